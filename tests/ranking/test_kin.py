"""Battles without kin."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from peerjudge.ranking import without_family
from tests.ranking.battles import PEERS, list_battles, tournaments


@given(tournaments, st.dictionaries(st.sampled_from([*PEERS, "eve"]), st.sampled_from(["x", ""])))
@settings(max_examples=30)
def test_battles_of_the_reviewers_family_are_removed(tournament, families):
    """Exactly the battles without a contestant of the reviewer's family remain."""

    def kind(name: str) -> tuple[str, str]:
        return ("family", families[name]) if families.get(name) else ("name", name)

    found = without_family(tournament, families)
    assert list_battles(found) == [
        one
        for one in list_battles(tournament)
        if kind(one.reviewer) not in (kind(one.first), kind(one.second))
    ]
    assert found.contestants == tournament.contestants
