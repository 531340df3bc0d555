"""Pairs of a better and a worse answer: made by rule or by a writer, verified, audited, and filed."""

from peerjudge.pairing.making import pairs, pairs_sync
from peerjudge.pairing.nouns import Paired
from peerjudge.pairing.recipes import RECIPES

__all__ = ["RECIPES", "Paired", "pairs", "pairs_sync"]
