"""Factorial study of the wording of a bare pairwise verdict, with real models."""
