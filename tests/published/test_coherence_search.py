"""Output sequencing, Table 3: the search for a form of the reply that rates SummEval's coherence."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerjudge as pj

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "summeval_full"
TARGET = "pack@summary_coherence:reply.schema_reasons_score"


@pytest.fixture
def data():
    """All summaries with the ratings of the experts."""
    if not DATA.exists():
        pytest.skip(f"the published data are not at {DATA}")
    return f"summeval:{DATA}"


def plan(name: str, data: str, folder: Path, **given):
    """The most that a search of the experiment takes with the split of the paper."""
    found = pj.optimize_sync(name, data=data, split="paper", out=folder, dry_run=True, **given)
    assert found.estimate is not None
    return found, {phase.name: phase.calls for phase in found.estimate.phases}


def test_grips_has_the_sizes_of_the_paper(data, tmp_path):
    """Ten of 100 articles with 16 summaries each: the base and 10 steps of 5 candidates; 90 to test."""
    found, calls = plan("coherence_search", data, tmp_path)
    sizes = {name: size.comparisons for name, size in found.splits.items()}
    assert sizes == {"search": 160, "select": 0, "test": 1440}
    assert calls == {"search": 160 * (1 + 10 * 5), "select": 0, "test": 2 * 1440}
    assert list(found.targets) == ["pack:reply.schema_reasons_score"]


def test_opro_has_the_sizes_of_the_paper(data, tmp_path):
    """OPRO searches on 5 articles, 50 steps of 2 texts."""
    found, calls = plan("coherence_search", data, tmp_path, method="opro", proposer="gpt_4o")
    assert found.splits["search"].comparisons == 80
    assert calls["search"] == 80 * (1 + 50 * 2)
    assert found.estimate.texts == 100


def test_other_wordings_cost_a_search_nothing(data, tmp_path):
    """In coherence_prompt, the conditions with forms of their own are neither played nor counted."""
    found, calls = plan(
        "coherence_prompt",
        data,
        tmp_path,
        targets=(TARGET,),
        objective="error",
        aspect="coherence",
    )
    assert found.unchanged == ("GRIPS", "OPRO")
    assert calls["search"] == 8160
