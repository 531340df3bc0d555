"""Dataset modules: the module's name is the dataset's, its `SOURCE` says how to read it."""
