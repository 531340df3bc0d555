"""Batches: the calls of a run through the batch APIs of OpenAI and Anthropic, at half the price."""

from peerjudge.registry import Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Send the calls of a run through the batch API of OpenAI or Anthropic, at half the price.",
    hooks={"delivery": {"batch": "sending:BATCHES"}},
)
