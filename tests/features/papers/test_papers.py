"""The contract of papers: two files of one name, every item answered, every value with its source."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import peerjudge.features.papers.declared as folder
import peerjudge.features.papers.reading as reader
from peerjudge.analysis.ballots import Ballots
from peerjudge.data import Measurement
from peerjudge.errors import DataError
from peerjudge.features.papers.declared import find_estimates
from peerjudge.features.papers.reproducing import Estimates, Evidence
from peerjudge.runs.reading import read_material
from peerjudge.testing import transcript_of

PAPERS = {paper.name: paper for paper in reader.list_papers()}
CODE = Path(str(folder.__file__)).parent


@pytest.fixture(scope="module")
def foreign() -> Ballots:
    """Ballots of a discussion on other data by other reviewers than those of any paper."""
    return read_material([transcript_of("2|1 2 1 1 1", gold=1)]).ballots


def test_every_paper_has_two_files_of_one_name():
    """What a paper prints and how we estimate it are found by the same name."""
    assert set(PAPERS) == {path.stem for path in CODE.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("name", PAPERS)
def test_every_item_is_answered_or_impossible(name):
    """No item is listed that no source could give, unless it says why."""
    items = {item.name: item for item in PAPERS[name].items}
    assert len(items) == len(PAPERS[name].items)
    answered = find_estimates(name)
    assert set(answered) <= set(items)
    for item in items.values():
        impossible = item.cells and all(cell.impossible for cell in item.cells)
        assert item.name in answered or impossible, item.name


@pytest.mark.parametrize("name", PAPERS)
def test_every_value_has_a_source_and_a_name(name):
    """A printed value says where it is printed, once, with the decimals that it has there."""
    for item in PAPERS[name].items:
        assert re.fullmatch(r"(Table|Figure|Section|Appendix) [A-Z0-9.]+", item.name)
        assert item.source
        assert item.needs or item.dialogues, item.name
        assert len({cell.key for cell in item.cells}) == len(item.cells)
        for cell in item.cells:
            if isinstance(cell.value, float | int):
                assert round(cell.value, cell.digits) == cell.value, cell.name


@pytest.mark.parametrize("name", PAPERS)
def test_nothing_is_estimated_from_foreign_reviewers(name, foreign):
    """Reviewers and contestants that are none of the paper's give none of its values."""
    for item in PAPERS[name].items:
        estimate = find_estimates(name).get(item.name, lambda _: Estimates())
        found = estimate(Evidence(item=item, ballots=foreign, reviewers={}, contestants={}))
        assert not found.values or found.origin, item.name
        assert all(isinstance(value, Measurement | str) for value in found.values.values())


def test_an_unknown_paper_is_refused():
    """The message lists the papers that there are."""
    with pytest.raises(DataError, match=", ".join(PAPERS)):
        reader.read_paper("nothing")


def test_a_word_for_nothing_is_no_value(tmp_path, monkeypatch):
    """An empty value is left out, and a drawn one has a cell without a number."""
    text = """
        title = "T"
        source = "S"
        [[items]]
        name = "Table 1"
        title = "one"
        needs = "x"
        [[items.grids]]
        digits = 1
        columns = ["a", "b", "c"]
        [items.grids.rows]
        "row" = [0.5, "", "drawn"]
    """
    tomllib.loads(text)
    (tmp_path / "mine.toml").write_text(text)
    monkeypatch.setattr(reader, "_TABLES", tmp_path)
    (item,) = reader.read_paper("mine").items
    assert [(cell.name, cell.value) for cell in item.cells] == [("row, a", 0.5), ("row, c", None)]


def test_how_cards_discuss_was_fitted_to_no_published_accuracy_of_vicuna80():
    """Of PRD's Table 5, the accuracies of reviews are fitted, that of the discussion is not."""
    (table,) = (item for item in PAPERS["prd"].items if item.name == "Table 5")
    fitted = {cell.key[1]: bool(cell.fitted) for cell in table.cells}
    assert fitted == {"GPT-4": True, "GPT-4 & Claude": False, "All": True, "All (weighted)": True}
