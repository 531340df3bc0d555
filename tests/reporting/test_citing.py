"""Works to cite: of the data, the protocols' docstrings, a search, and PeerJudge itself."""

from __future__ import annotations

import json
import re

import pytest

import peerjudge as pj
from peerjudge.results.citing import find_sources
from peerjudge.shelf import Shelf
from tests.reporting.conftest import command

OWN = '"""Reviews once, in silence.\n\nSource: "Silent juries",\na manuscript of ours.\n\nMore.\n"""\n'


def test_a_run_cites_the_sources_of_its_protocols(study):
    """PRD for discussions and votes, PRePair where explanations come first, PeerJudge always."""
    works = {one.key: one for one in pj.cite(study).works}
    assert list(works) == ["peerjudge", "prd", "prepair"]
    assert "protocol leader_follower" in works["prd"].for_what
    assert works["prepair"].for_what == ("protocol prepair_discussion",)
    assert "arXiv:2307.02762" in works["prd"].text


@pytest.mark.parametrize("name", [entry.name for entry in Shelf().entries("protocols")])
def test_every_built_in_protocol_has_a_known_source(name):
    """The docstring of each protocol names a work that has an entry."""
    keys, words = find_sources(name, Shelf())
    assert keys
    assert words


def test_data_and_searches_are_cited(tmp_path):
    """A dataset is known by its name, a search by its method."""
    (tmp_path / "search.json").write_text(json.dumps({"method": "opro", "data": "lfqa:x"}))
    assert [one.key for one in pj.cite(tmp_path).works] == ["peerjudge", "lfqa", "opro"]
    assert [one.key for one in pj.cite("sample").works] == ["peerjudge"]


def test_a_source_without_an_entry_is_cited_in_its_own_words(tmp_path):
    """The docstring of a user's protocol is quoted where no entry has its title."""
    (tmp_path / "protocols").mkdir()
    (tmp_path / "protocols" / "silent.py").write_text(OWN)
    keys, words = find_sources("silent", Shelf(tmp_path))
    assert keys == []
    assert words == '"Silent juries", a manuscript of ours.'


def test_a_bibliography_has_one_entry_per_work(study, capsys):
    """Braces balance, authors are joined by `and`, and the version of the software is stated."""
    code, printed, _ = command(capsys, "cite", str(study), "--format", "bibtex")
    assert code == 0
    assert re.findall(r"^@\w+\{(\w+),$", printed, re.MULTILINE) == ["peerjudge", "prd", "prepair"]
    assert printed.count("{") == printed.count("}")
    assert "author = {Li, Ruosen and Patel, Teerth and Du, Xinya}" in printed
    assert f"version = {{{pj.__version__}}}" in printed
