"""Features: one folder each."""
