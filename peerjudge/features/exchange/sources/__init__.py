"""Formats of other tools, one module each, with the constant `SOURCE`."""
