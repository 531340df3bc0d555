"""The page of recorded reviews."""

import json
import re
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import (
    TIE,
    Answer,
    Comparison,
    Dataset,
    Question,
    RecordedReview,
    Verdict,
    replace,
)
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import DataError
from peerjudge.results.reports import RecordedReport

ONE, TWO = Verdict.of("one"), Verdict.of("two")


def pair(number: int, *, authors: tuple[str, str] = ("ann", "bob")) -> Comparison:
    """Return two answers of which people prefer the first."""
    answers = (
        Answer(id="one", text="Short.", author=authors[0]),
        Answer(id="two", text="Rather longer.", author=authors[1]),
    )
    question = Question(id=f"q{number}", text="?", category="facts")
    return Comparison(id=f"c{number}", question=question, answers=answers, gold=ONE)


def review(
    comparison: Comparison, reviewer: str, verdict: Verdict = ONE, *, swap: bool = False
) -> RecordedReview:
    """Return the review of a pair shown in this order."""
    shown = comparison.shown[::-1] if swap else comparison.shown
    return RecordedReview(comparison=comparison.id, shown=shown, reviewer=reviewer, verdict=verdict)


def small(*, authors: tuple[str, str] = ("ann", "bob")) -> Dataset:
    """Return reviews of ann, who always prefers the first answer, and bob, who prefers the first shown."""
    pairs = tuple(pair(number, authors=authors) for number in range(6))
    reviews = [
        said
        for one in pairs
        for said in (
            *(review(one, "ann", swap=swap) for swap in (False, True)),
            *(review(one, "bob", TWO if swap else ONE, swap=swap) for swap in (False, True)),
            review(one, "people"),
        )
    ]
    return Dataset(
        name="small",
        description="a few pairs",
        comparisons=pairs,
        reviews=tuple(reviews),
        humans=("people",),
    )


@pytest.fixture(scope="module")
def report() -> RecordedReport:
    """The report of `small`."""
    return pj.report(small())


def page_of(dataset: Dataset, folder: Path) -> str:
    """Return the text of the page of a dataset."""
    return pj.report(dataset).save(folder / "page.html").read_text("utf-8")


def test_the_page_has_the_results_of_the_commands(report):
    """Each number of the document is that of a command for the same reviews."""
    found, document = report, report.document()
    assert isinstance(found, RecordedReport)
    assert document["bias"] == pj.bias(small()).document()
    assert document["agreement"] == pj.agreement(small(), panel=True).document()
    assert document["people"] == pj.rank(small(), reviewers="human").document()
    assert document["score"] == pj.score(small(), by="category", own_reading=False).document()
    weights = document["peers"]["peers"]["weights"]
    assert set(weights) == {"ann", "bob"}
    assert weights["ann"]["value"] > weights["bob"]["value"]
    assert found.df["value"].to_list() == [1.0, 0.5]


def test_without_named_authors_there_is_accuracy_and_no_ranking(tmp_path):
    """A benchmark of right and wrong answers has no contestants, and the page says so."""
    page = page_of(small(authors=("", "")), tmp_path)
    assert "no private review compared the answers of two named contestants" in page
    assert "Table: Accuracy in %" in page


def test_without_gold_there_is_a_ranking_and_no_accuracy(tmp_path):
    """Reviews without gold give a ranking, and a sentence in place of the accuracy."""
    whole = small()
    bare = tuple(replace(one, gold=None) for one in whole.comparisons)
    found = pj.report(replace(whole, comparisons=bare, humans=()))
    assert "score" not in found.document()
    assert "has a gold" in found.document()["missing"]["score"]
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    assert "Table: Ranking by the private reviews" in page
    assert "has a gold" in page


def test_a_dataset_of_human_votes_only_says_what_to_do():
    """People are the gold, so there is no reviewer to report on."""
    whole = small()
    votes = tuple(one for one in whole.reviews if one.reviewer == "people")
    with pytest.raises(DataError, match=r"reviews by people only.*peerjudge run"):
        pj.report(replace(whole, reviews=votes))


def test_ties_and_ratings_need_not_be_there():
    """A reviewer that only ties has no position preference, and the figure is still drawn."""
    whole = small()
    ties = tuple(review(one, "cid", TIE) for one in whole.comparisons)
    assert pj.report(replace(whole, reviews=(*whole.reviews, *ties))).figures["position"]


def test_the_page_loads_nothing_and_runs_its_own_script_only(report, tmp_path):
    """The policy is the same as on the page of a run.

    The document beside the page is written without NaN or infinity, and is replaced by a later report.
    """
    for _ in range(2):
        page = report.save(tmp_path / "page.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert len(re.findall(r"<script", page)) == 1
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "simulated reviewers" not in page
    document = json.loads((tmp_path / "page.json").read_text("utf-8"))
    assert document["schema"] == "RecordedFindings/2"
    assert json.dumps(document, allow_nan=False)


@pytest.mark.slow
def test_our_values_equal_those_of_the_paper(tmp_path, verdicts):
    """The page of the real reviews has PRD's tables beside ours, nearly all equal."""
    found = pj.report(verdicts("vicuna80"))
    items = {item["name"]: item for item in found.document()["prd"]["items"]}
    assert {"Table 2", "Table 3", "Figure 3", "Figure 7"} <= set(items)
    # PRD's Figures 4 and 5, of which no values are printed.
    assert {"elo_trajectory", "position"} <= set(found.figures)
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    assert 'id="prd"' in page
    assert re.search(r"Recorded: \d+ of \d+ published values equal to ours", page)


DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def test_the_report_of_a_few_questions_counts_as_reproduce_does(verdicts):
    """Also of a part of the data, values that it does not give are counted over the whole paper."""
    whole = load_dataset(verdicts("vicuna80"))
    few = whole.comparisons[:80]
    kept = {one.id for one in few}
    reviews = tuple(one for one in whole.reviews if one.comparison in kept)
    part = replace(whole, comparisons=few, reviews=reviews)
    counts = pj.reproduce("prd", part).describe_counts()
    assert "values not from this source." in counts[-1]
    assert pj.report(part).results["prd"].describe_counts() == counts


@pytest.mark.slow
@pytest.mark.parametrize("files", ["published", "original"])
@pytest.mark.parametrize(("name", "paper"), [("vicuna80", "prd"), ("llmbar", "prepair")])
def test_the_report_counts_the_values_of_a_paper_as_reproduce_does(verdicts, files, name, paper):
    """How many values a source does not give is one number, in the command and in the report."""
    if files == "original" and not (DATA / name).is_dir():
        pytest.skip(f"needs the data of {name}")
    source = verdicts(name) if files == "published" else f"{name}:{DATA / name}"
    found = pj.reproduce(paper, source)
    inside = pj.report(source).results[paper]
    assert inside.describe_counts() == found.describe_counts()
    assert inside.document()["cells"] == found.document()["cells"]


def apart(*pairs: tuple[str, str]) -> Dataset:
    """Return pairs of contestants who review one another's pair and never meet the others."""
    comparisons = [
        replace(pair(number, authors=authors), id=f"{authors}{number}")
        for authors in pairs
        for number in range(8)
    ]
    return Dataset(
        name="apart",
        description="",
        comparisons=tuple(comparisons),
        reviews=tuple(
            review(one, judge, ONE if int(one.id[-1]) % 3 else TWO)
            for authors in pairs
            for judge in authors
            for one in comparisons
            if one.id.startswith(str(authors))
        ),
    )


def test_reviewers_that_never_met_are_reported_without_weights(tmp_path):
    """Peer weights have no common measure there; everything else is reported, and the reason is said."""
    found = pj.report(apart(("ann", "bob"), ("cid", "dee")))
    document = found.document()
    assert document["peers"]["peers"]["weights"] == {}
    assert "no battles connect these: ann, bob; cid, dee" in document["missing"]["weighted"]
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    assert "no battles connect the reviewers as contestants" in page


def test_values_that_need_weights_are_missing_where_contestants_never_met():
    """A paper's other values are still beside ours."""
    found = pj.reproduce("prd", apart(("gpt-4", "claude"), ("gpt-3.5", "bard"))).document()
    items = {item["name"]: item for item in found["items"]}
    assert items["Section 4.2"]["given"] == 2
    assert items["Table 3"]["given"] == 6
    assert "no battles connect these: bard, gpt-3.5; claude, gpt-4" in items["Table 3"]["missing"]


def test_hostile_names_add_no_element(tmp_path):
    """Names of reviewers, contestants and datasets stay text."""
    attack = "<img src=x onerror=alert(1)></script><script>alert(1)</script>{{ 7*7 }}"
    authors = (f"ann{attack}", f"bob{attack}")
    whole = small(authors=authors)
    names = dict(zip(("ann", "bob"), authors, strict=True))
    reviews = tuple(
        replace(one, reviewer=names[one.reviewer]) for one in whole.reviews if one.reviewer in names
    )
    hostile = replace(whole, name=attack, description=attack, reviews=reviews, humans=())
    page = page_of(hostile, tmp_path)
    assert "<img" not in page
    assert len(re.findall(r"<script", page)) == 1
    assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.DOTALL)[0]
