"""Contracts and fixtures for tests of protocols, reviewers and analyses: no model, no network."""

from peerjudge.protocol.scripted import comparison_of, seats_of, transcript_of, verdict_of
from peerjudge.testing.contracts import CLAUSES, BrokenClause, check_protocol, check_scenario
from peerjudge.testing.fixtures import PLAIN_PACK, ScriptedReviewer, rounds_of
from peerjudge.testing.projects import (
    CheckedFile,
    check_card,
    check_experiment,
    check_pack,
    check_project,
)
from peerjudge.testing.scenarios import Scenario, generate_scenarios
from peerjudge.testing.tried import TriedCard, list_python_cards

__all__ = [
    "CLAUSES",
    "PLAIN_PACK",
    "BrokenClause",
    "CheckedFile",
    "Scenario",
    "ScriptedReviewer",
    "TriedCard",
    "check_card",
    "check_experiment",
    "check_pack",
    "check_project",
    "check_protocol",
    "check_scenario",
    "comparison_of",
    "generate_scenarios",
    "list_python_cards",
    "rounds_of",
    "seats_of",
    "transcript_of",
    "verdict_of",
]
