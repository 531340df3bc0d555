"""The documentation site: staging of its pages, generated reference, build and checks."""
