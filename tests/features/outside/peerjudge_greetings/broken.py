"""A feature whose import fails, as one of a package that was written for another version does."""

raise RuntimeError("written for\nanother version")
