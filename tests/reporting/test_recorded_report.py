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
from peerjudge.errors import DataError
from peerjudge.results.reports import RecordedReport


def pair(number: int, *, authors: tuple[str, str] = ("ann", "bob")) -> Comparison:
    """Return two answers of which people prefer the first."""
    first, second = authors
    return Comparison(
        id=f"c{number}",
        question=Question(id=f"q{number}", text="?", category="facts"),
        answers=(
            Answer(id="one", text="Short.", author=first),
            Answer(id="two", text="Rather longer.", author=second),
        ),
        gold=Verdict.of("one"),
    )


def review(
    comparison: Comparison, reviewer: str, verdict: Verdict, *, swap: bool
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
        for swap in (False, True)
        for said in (
            review(one, "ann", Verdict.of("one"), swap=swap),
            review(one, "bob", Verdict.of("two" if swap else "one"), swap=swap),
            *([review(one, "people", Verdict.of("one"), swap=False)] if not swap else ()),
        )
    ]
    return Dataset(
        name="small",
        description="a few pairs",
        comparisons=pairs,
        reviews=tuple(reviews),
        humans=("people",),
    )


def page_of(dataset: Dataset, folder: Path) -> str:
    """Return the text of the page of a dataset."""
    return pj.report(dataset).save(folder / "page.html").read_text("utf-8")


def test_the_page_has_the_results_of_the_commands() -> None:
    """Each number of the document is that of a command for the same reviews."""
    found = pj.report(small())
    document = found.document()
    assert isinstance(found, RecordedReport)
    assert document["bias"] == pj.bias(small()).document()
    assert document["agreement"] == pj.agreement(small(), panel=True).document()
    assert document["people"] == pj.rank(small(), reviewers="human").document()
    assert document["score"] == pj.score(small(), by="category", own_reading=False).document()
    weights = document["peers"]["peers"]["weights"]
    assert set(weights) == {"ann", "bob"}
    assert weights["ann"]["value"] > weights["bob"]["value"]
    assert found.df["value"].to_list() == [1.0, 0.5]


def test_without_named_authors_there_is_accuracy_and_no_ranking(tmp_path: Path) -> None:
    """A benchmark of right and wrong answers has no contestants, and the page says so."""
    page = page_of(small(authors=("", "")), tmp_path)
    assert "no private review compared the answers of two named contestants" in page
    assert "Table: Accuracy in %" in page


def test_without_gold_there_is_a_ranking_and_no_accuracy(tmp_path: Path) -> None:
    """Reviews without gold give a ranking, and a sentence in place of the accuracy."""
    whole = small()
    bare = tuple(
        Comparison(id=one.id, question=one.question, answers=one.answers)
        for one in whole.comparisons
    )
    dataset = Dataset(name="bare", description="", comparisons=bare, reviews=whole.reviews)
    found = pj.report(dataset)
    assert "score" not in found.document()
    assert "has a gold" in found.document()["missing"]["score"]
    page = page_of(dataset, tmp_path)
    assert "Table: Ranking by the private reviews" in page
    assert "has a gold" in page


def test_a_dataset_of_human_votes_only_says_what_to_do() -> None:
    """People are the gold, so there is no reviewer to report on."""
    whole = small()
    votes = tuple(one for one in whole.reviews if one.reviewer == "people")
    dataset = Dataset(
        name="votes",
        description="",
        comparisons=whole.comparisons,
        reviews=votes,
        humans=("people",),
    )
    with pytest.raises(DataError, match=r"reviews by people only.*peerjudge run"):
        pj.report(dataset)


def test_ties_and_ratings_need_not_be_there() -> None:
    """A reviewer that only ties has no position preference, and the figure is still drawn."""
    whole = small()
    ties = tuple(review(one, "cid", TIE, swap=False) for one in whole.comparisons)
    dataset = Dataset(
        name="ties",
        description="",
        comparisons=whole.comparisons,
        reviews=(*whole.reviews, *ties),
        humans=("people",),
    )
    assert pj.report(dataset).figures["position"]


def test_the_page_loads_nothing_and_runs_its_own_script_only(tmp_path: Path) -> None:
    """The policy is the same as on the page of a run."""
    page = page_of(small(), tmp_path)
    assert "default-src 'none'" in page
    assert len(re.findall(r"<script", page)) == 1
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "simulated reviewers" not in page


def test_the_numbers_stand_in_a_document_beside_the_page(tmp_path: Path) -> None:
    """The document of the results is written without NaN or infinity, and is replaced by a later report."""
    found = pj.report(small())
    for _ in range(2):
        found.save(tmp_path / "page.html")
    document = json.loads((tmp_path / "page.json").read_text("utf-8"))
    assert document["schema"] == "RecordedFindings/2"
    assert json.dumps(document, allow_nan=False)


@pytest.mark.slow
def test_our_values_equal_those_of_the_paper(tmp_path: Path, verdicts) -> None:
    """The page of the real reviews has PRD's tables beside ours, nearly all equal."""
    found = pj.report(verdicts("vicuna80"))
    items = {item["name"]: item for item in found.document()["prd"]["items"]}
    assert {"Table 2", "Table 3", "Figure 3", "Figure 7"} <= set(items)
    # PRD's Figures 4 and 5, of which no values are printed.
    assert {"elo_trajectory", "position"} <= set(found.figures)
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    assert 'id="prd"' in page
    assert re.search(r"Recorded: \d+ of \d+ published values equal to ours", page)


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
            review(one, judge, Verdict.of("one" if int(one.id[-1]) % 3 else "two"), swap=False)
            for authors in pairs
            for judge in authors
            for one in comparisons
            if one.id.startswith(str(authors))
        ),
    )


def test_reviewers_that_never_met_are_reported_without_weights(tmp_path: Path):
    """Peer weights have no common measure there; everything else is reported, and the reason is said."""
    dataset = apart(("ann", "bob"), ("cid", "dee"))
    document = pj.report(dataset).document()
    assert document["peers"]["peers"]["weights"] == {}
    assert "no battles connect these: ann, bob; cid, dee" in document["missing"]["weighted"]
    assert "no battles connect the reviewers as contestants" in page_of(dataset, tmp_path)


def test_values_that_need_weights_are_missing_where_contestants_never_met():
    """A paper's other values are still beside ours."""
    found = pj.reproduce("prd", apart(("gpt-4", "claude"), ("gpt-3.5", "bard"))).document()
    items = {item["name"]: item for item in found["items"]}
    assert items["Section 4.2"]["given"] == 2
    assert items["Table 3"]["given"] == 6
    assert "no battles connect these: bard, gpt-3.5; claude, gpt-4" in items["Table 3"]["missing"]


def test_hostile_names_add_no_element(tmp_path: Path) -> None:
    """Names of reviewers, contestants and datasets stay text."""
    attack = "<img src=x onerror=alert(1)></script><script>alert(1)</script>{{ 7*7 }}"
    authors = (f"ann{attack}", f"bob{attack}")
    pairs = tuple(pair(number, authors=authors) for number in range(4))
    dataset = Dataset(
        name=attack,
        description=attack,
        comparisons=pairs,
        reviews=tuple(
            review(one, name, Verdict.of("one"), swap=swap)
            for one in pairs
            for name in authors
            for swap in (False, True)
        ),
    )
    page = page_of(dataset, tmp_path)
    assert "<img" not in page
    assert len(re.findall(r"<script", page)) == 1
    assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.DOTALL)[0]


def test_votes_that_disagree_have_a_section_of_their_own(tmp_path: Path) -> None:
    """The page and its JSON have the numbers of `score --annotators`; names of people stay texts."""
    dataset, people = small(), ("<b>ann</b>", "ben", "cid")
    votes = [
        review(one, name, Verdict.of("two" if errs else "one"), swap=False)
        for number, one in enumerate(dataset.comparisons)
        for name, errs in zip(people, (False, False, number % 2 == 0), strict=True)
    ]
    models = [one for one in dataset.reviews if one.reviewer != "people"]
    voted = replace(dataset, reviews=(*models, *votes), humans=people)
    found = pj.report(voted)
    assert found.document()["annotators"] == pj.annotators(voted).document()
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    section = page[page.index('id="annotators"') :].split("</section>")[0]
    assert "<td" in section
    assert "&lt;b&gt;ann" in section
    assert "<b>ann" not in page


def test_one_vote_on_each_pair_has_no_annotator_model(tmp_path: Path) -> None:
    """Nothing tells how often people err where each pair has one vote."""
    found = pj.report(small())
    assert "annotators" not in found.document()
    assert 'id="annotators"' not in found.save(tmp_path / "page.html").read_text("utf-8")
