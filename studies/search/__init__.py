"""Repeated searches for better prompts, with a planted edit and without one."""
