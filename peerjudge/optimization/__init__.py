"""Search for better prompts: play candidates, choose on unseen questions, and test once."""

from peerjudge.optimization.findings import Optimized, TestFindings, TransferRow
from peerjudge.optimization.optimizing import optimize

__all__ = ["Optimized", "TestFindings", "TransferRow", "optimize"]
