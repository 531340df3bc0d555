"""The page of recorded reviews."""

import json
import re
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.analysis import collect_reviews
from peerjudge.analysis.recorded import RecordedFindings, build_recorded_findings
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
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.reporting import (
    Published,
    build_findings_document,
    draw_recorded_figures,
    find_published,
    write_recorded_report,
)


def find(dataset: Dataset, **kwargs) -> RecordedFindings:
    """The findings of the recorded reviews of a dataset."""
    return build_recorded_findings(collect_reviews(dataset), **kwargs)


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


def page_of(found: RecordedFindings, folder: Path, printed: Published | None = None) -> str:
    """Return the text of the page."""
    path = write_recorded_report(found, printed or Published(), path=folder / "page.html")
    return path.read_text("utf-8")


def test_every_jury_of_the_paper_ranks_and_agrees() -> None:
    """The best contestant alone, all, all by weight and people rank; they all but people agree."""
    found = find(small())
    assert [one.jury.name for one in found.evaluators] == ["ann", "All", "All (weighted)", "Human"]
    accuracies = {row.jury.name: row.agreement.accuracy.value for row in found.agreement}
    assert accuracies["ann"] == 1.0
    assert accuracies["bob"] == 0.5
    assert {one.reviewer: one.share.value for one in found.positions} == {"ann": 0.5, "bob": 1.0}
    assert found.evaluators[0].head_to_head.shares[0][1] == 1.0
    assert set(found.weights) == {"prd", "damped"}


def test_without_named_authors_there_is_accuracy_and_no_ranking(tmp_path: Path) -> None:
    """A benchmark of right and wrong answers has no contestants, and the page says so."""
    found = find(small(authors=("", "")))
    assert found.evaluators == ()
    assert found.weights == {}
    page = page_of(found, tmp_path)
    assert "The authors of the answers are not known" in page
    assert "Table: Accuracy in %" in page


def test_without_gold_there_is_a_ranking_and_no_accuracy(tmp_path: Path) -> None:
    """Reviews without gold give a ranking and no accuracy."""
    whole = small()
    bare = tuple(
        Comparison(id=one.id, question=one.question, answers=one.answers)
        for one in whole.comparisons
    )
    found = find(Dataset(name="bare", description="", comparisons=bare, reviews=whole.reviews))
    assert found.scores == ()
    assert found.evaluators
    assert "no accuracy" in page_of(found, tmp_path)


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
        find(dataset)


def test_ties_and_ratings_need_not_be_there() -> None:
    """A reviewer that only ties has no position preference, and the figure is still drawn."""
    whole = small()
    ties = tuple(review(one, "cid", TIE, swap=False) for one in whole.comparisons)
    found = find(
        Dataset(
            name="ties",
            description="",
            comparisons=whole.comparisons,
            reviews=(*whole.reviews, *ties),
            humans=("people",),
        )
    )
    assert draw_recorded_figures(found, Published())["position"]


def test_the_page_loads_nothing_and_runs_its_own_script_only(tmp_path: Path) -> None:
    """The policy is the same as on the page of a run."""
    page = page_of(find(small()), tmp_path)
    assert "default-src 'none'" in page
    assert len(re.findall(r"<script", page)) == 1
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "simulated reviewers" not in page


def test_the_numbers_stand_in_the_document(tmp_path: Path) -> None:
    """The numbers of the page are in the document, without NaN or infinity."""
    found = find(small())
    document = json.loads(json.dumps(build_findings_document(found), allow_nan=False))
    assert document["schema"] == "RecordedFindings/1"
    assert [one["jury"]["name"] for one in document["data"]["agreement"]][:2] == ["ann", "bob"]


def test_most_datasets_have_no_printed_values() -> None:
    """A dataset without a paper has no printed values."""
    assert find_published("small") == Published()
    assert find_published("../published") == Published()


@pytest.mark.slow
def test_our_values_equal_those_of_the_paper(tmp_path: Path, verdicts) -> None:
    """All of PRD's Tables 2 and 3 come out of the real reviews, and the page shows both."""
    printed = find_published("vicuna80")
    found = find(load(verdicts("vicuna80")), juries=printed.juries)
    for one in found.evaluators:
        for name, standing in one.win_rate.contestants.items():
            assert standing.score == pytest.approx(printed.win_rate[one.jury.name][name], abs=1e-3)
            assert standing.low is not None
        assert one.elo is not None
        for name, standing in one.elo.contestants.items():
            assert standing.score == pytest.approx(printed.elo[one.jury.name][name], abs=6)
    ours = {row.jury.name: row.agreement for row in found.agreement}
    assert len(printed.agreement) == 5
    for name, values in printed.agreement.items():
        assert ours[name].accuracy.value == pytest.approx(values["accuracy"], abs=6e-4)
        assert ours[name].fleiss_kappa.value == pytest.approx(values["kappa"], abs=6e-4)
    page = page_of(found, tmp_path, printed)
    assert "arXiv:2307.02762" in page
    assert "Of 50 printed values from the same reviews, the furthest from ours:" in page
    for place in ("Table 2", "Table 3", "Figure 3", "Figure 4", "Figure 5", "Figure 7"):
        assert f"(PRD {place})" in page


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
    found = find(apart(("ann", "bob"), ("cid", "dee")))
    assert found.weights == {}
    assert {one.jury.weights for one in found.evaluators} == {"equal"}
    assert "no battles connect these: ann, bob; cid, dee" in found.weights_missing
    assert "--weights" not in found.weights_missing
    assert "No reviewer is weighed: peer weights" in page_of(found, tmp_path)


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
    page = page_of(find(dataset), tmp_path)
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
