"""The published searches with a real model: every number of the report comes from their discussions."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from studies.prompt_search.reading import MANIFEST, REPORT, TRANSCRIPTS, read_searches
from studies.prompt_search.report import write_report

FOLDER = Path(__file__).parents[2] / "docs" / "studies" / "search"
ROUNDING = 1e-3
"""Log-probabilities are published with four decimals."""


@pytest.fixture(scope="module")
def found():
    """The published searches."""
    return read_searches(FOLDER)


def test_the_report_is_computed_from_the_published_files(found):
    """The page is what the records and discussions give."""
    assert write_report(found) == (FOLDER / REPORT).read_text("utf-8")


def test_the_published_files_are_small_and_whole(found):
    """They take less than 3 MB together, and the discussions have the digest of the manifest."""
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 3_000_000
    content = (FOLDER / TRANSCRIPTS).read_bytes()
    assert sha256(content).hexdigest() == found.manifest["transcripts"]["sha256"]
    assert len(found.searches[0].transcripts) == found.manifest["discussions"]
    kept = (FOLDER / MANIFEST).read_text("utf-8")
    assert "http" not in kept
    assert '"/' not in kept


def test_the_recorded_scores_are_those_of_the_discussions(found):
    """The scores with which the search went on are recomputed from replies and log-probabilities."""
    for one in found.searches:
        for candidate, scored in one.state.scores.items():
            again = one.score(candidate, scored.scores)
            assert again.scores == pytest.approx(dict(scored.scores), abs=ROUNDING)
            assert again.unreadable == pytest.approx(scored.unreadable)
    tried = {(one.method, one.temperature): len(one.state.scores) - 1 for one in found.searches}
    assert tried == {("grips", 0.8): 8, ("opro", 0.8): 4, ("opro", 1.2): 10}


def test_every_search_ends_as_it_is_published(found):
    """The decision is recomputed from the scores of the finalists, and is that of `search.json`."""
    for one in found.searches:
        assert one.state.finished
        assert one.result["chosen"] == one.adoption.chosen
        assert one.result["adopted"] == one.adoption.adopted
        for row in one.adoption.finalists:
            selected = one.score(row.candidate, one.splits.select)
            assert selected.scores.keys() == set(one.splits.select)
            assert row.mean == pytest.approx(sum(selected.scores.values()) / 20, abs=ROUNDING)
