"""Search for better prompts: play candidates, choose on unseen questions, and test once."""

from peerjudge.optimization.findings import Optimized, TestFindings, TransferRow
from peerjudge.optimization.optimizing import optimize, optimize_sync

__all__ = ["Optimized", "TestFindings", "TransferRow", "optimize", "optimize_sync"]
