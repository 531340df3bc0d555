"""Peer-discussion experiments with language-model reviewers."""
