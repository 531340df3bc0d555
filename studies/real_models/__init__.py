"""Recorded study: two small language models judge alone, vote, and discuss; transcripts in `docs/studies`."""
