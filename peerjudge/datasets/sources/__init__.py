"""One module per dataset: its name is the dataset's, and its `SOURCE` says how to read it."""
