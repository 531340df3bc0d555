"""Recorded searches for better prompts with a small language model as judge and as proposer."""
