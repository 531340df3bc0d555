"""Fits simulated reviewers to published figures, and says how well and how surely that works."""
