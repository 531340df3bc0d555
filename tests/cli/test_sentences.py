"""The sentences around printed numbers: what intervals are, what was left out, and in a fixed order."""

import csv
import re

import pytest

import peerjudge as pj
from peerjudge.data import replace
from peerjudge.testing import transcript_of

from .talks import discuss


@pytest.mark.parametrize(
    "compute",
    [
        pj.agreement,
        pj.bias,
        pj.compare,
        pj.score,
        lambda source: pj.events(source, summary=True),
    ],
)
def test_printed_intervals_say_their_level(compute):
    """An interval without its level can be a standard error, 90 % or 95 %."""
    text = str(compute(discuss()))
    assert "[" not in text or re.search(r"95 ?%", text)
    assert "Caution: only 4 questions" in text


def test_a_note_explains_printed_columns_only():
    """A run has no records to read again, so no column of an own reading, and no note on one."""
    text = str(pj.score(discuss()).with_details())
    assert "Range: the accuracy" in text
    assert "Own reading" not in text


def test_the_effect_of_leading_says_that_it_is_paired():
    """The shares by role count all discussions, so their difference is not the paired effect of leading."""
    explained = "pairs the comparisons that the same seats discussed under both leaders"
    assert explained in " ".join(str(pj.events(discuss(), summary=True)).split())
    vote = replace(transcript_of("1|2", gold=1), protocol="vote")
    assert explained not in " ".join(str(pj.events([vote], summary=True)).split())


def test_a_share_of_resamples_is_explained_beside_it():
    """A ranking says what is above what, in which share of which things."""
    explained = "of the resamples of questions, those that rank it above the row below"
    assert explained in str(pj.rank(discuss(), bootstrap=20))
    assert explained not in str(pj.rank(discuss(), bootstrap=0))


def test_a_source_without_verdicts_is_named():
    """Two runs of which one is empty were compared as if the other one were alone."""
    unjudged = [replace(one, comparison=replace(one.comparison, gold=None)) for one in discuss()]
    with pytest.raises(pj.PeerJudgeError, match="nothing to compare in source 2"):
        pj.compare(discuss(), unjudged)


def test_a_source_without_reviews_says_what_to_do():
    """A run that was stopped before its first discussion has no reviewer whose verdicts could be scored."""
    with pytest.raises(pj.PeerJudgeError, match="has no reviews to score; run it"):
        pj.score([])


@pytest.mark.parametrize("compute", [pj.score, pj.agreement, pj.bias, pj.rank, pj.compare])
def test_data_that_nobody_judged_are_told_from_data_without_a_reviewer(compute, tmp_path):
    """Every analysis of pairs without reviews says that there are none, and to run the data first."""
    table = tmp_path / "pairs.csv"
    table.write_text("question,answer_a,answer_b,gold,author_a,author_b\nWhy?,So.,Thus.,a,m1,m2\n")
    with pytest.raises(pj.PeerJudgeError, match=r"no reviews.*run"):
        compute(str(table))


def test_what_cannot_be_ranked_names_the_columns_that_it_needs():
    """Without authors of answers there are no contestants."""
    anonymous = []
    for one in discuss():
        answers = tuple(replace(answer, author="") for answer in one.comparison.answers)
        anonymous.append(replace(one, comparison=replace(one.comparison, answers=answers)))
    with pytest.raises(pj.PeerJudgeError, match="author_a and author_b"):
        pj.rank(anonymous)


@pytest.mark.parametrize("more", [(), ("--control", "length")], ids=["plain", "controlled"])
def test_ranks_as_csv_are_numbers_with_bounds_of_their_own(played, more):
    """A spreadsheet can sort by rank: no cell holds a rank together with its bounds."""
    told = played("rank", "study", "--format", "csv", *more).out
    table = told.split("\n\n")[0].splitlines()[1:]
    rows = list(csv.DictReader(table))
    ranks = [name for name in rows[0] if name.startswith("rank")]
    assert any(name.endswith("_low") for name in ranks)
    assert all(float(row[name]) >= 1 for row in rows for name in ranks)


def test_a_run_without_discussions_says_that_there_are_no_events(tmp_path):
    """A run whose judges hear nobody has no opinion events, and its results say so."""
    alone = pj.Condition(name="alone", protocol="pairwise", seats=("sim_plain",))
    study = pj.Experiment(name="alone", data="sample", conditions=(alone,))
    played = pj.run_sync(study, limit=1, out=tmp_path, progress=False)
    assert str(pj.events(played)).startswith("no opinion events")
    assert "no opinion events" in str(pj.events(played, summary=True))


def test_reviewers_agree_with_one_another_without_gold():
    """Kappa and equal verdicts need no gold; an accuracy does, and the result says why it has none."""
    unknown = [replace(one, comparison=replace(one.comparison, gold=None)) for one in discuss()]
    found = pj.agreement(unknown, panel=True)
    assert found.panel.fleiss_kappa.n > 0
    assert "no pair has both a gold and a readable verdict" in str(found)
    assert "Accuracy by reviewer" not in str(found)
    assert found.document()["declined"] == found.declined
    with pytest.raises(pj.PeerJudgeError, match="no pair has both a gold"):
        pj.agreement(unknown)
