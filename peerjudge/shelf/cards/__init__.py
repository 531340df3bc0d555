"""Reviewer cards: who speaks, in which role, how it is sampled, and what makes two of them one."""

from peerjudge.shelf.cards.identity import card_identity
from peerjudge.shelf.cards.naming import check_name
from peerjudge.shelf.cards.providers import PROVIDERS, Provider
from peerjudge.shelf.cards.read import read_card

__all__ = ["PROVIDERS", "Provider", "card_identity", "check_name", "read_card"]
