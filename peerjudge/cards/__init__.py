"""Reviewer cards: who speaks, in which role, how it is sampled, and what makes two of them one."""

from peerjudge.cards.identity import card_identity
from peerjudge.cards.naming import check_name
from peerjudge.cards.providers import PROVIDERS, Provider
from peerjudge.cards.read import read_card

__all__ = ["PROVIDERS", "Provider", "card_identity", "check_name", "read_card"]
