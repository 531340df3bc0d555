"""Populations of reviewers over many rounds, in which weights feed back into who is heard."""
