"""Accuracy of reviewers: published statistics, cases computed by hand, and invariants."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis import collect_reviews, measure_accuracy
from peerjudge.analysis.collecting import collect_transcripts
from peerjudge.analysis.score_document import build_score_document
from peerjudge.analysis.scoring import Scores, score_ballots
from peerjudge.data import TIE, Dataset, Question, StopReason, Verdict, replace
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.statistics.sampler import Sampler
from peerjudge.testing import comparison_of
from tests.analysis.analysis_kit import dataset_of, rated_by, read_mark, review_of, told

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def _published(place: str) -> Path:
    if not (DATA / place).exists():
        pytest.skip(f"the published data are not at {DATA / place}")
    return DATA / place


def _comparison(name: str, *, gold: str = "1", subset: str = "", category: str = "", **meta):
    question = Question(id=name.partition(".")[0], text="Why?", category=category)
    return replace(
        comparison_of(2, name=name),
        gold=read_mark(gold) if gold else None,
        subset=subset,
        question=question,
        meta=meta,
    )


def _told(marks: dict[str, str], **kinds) -> Dataset:
    """The marks of one judge by comparison, in the given and in the other order."""
    comparisons = [_comparison(name, **kinds) for name in marks]
    reviews = [
        review_of(one, mark, swap=bool(place))
        for one in comparisons
        for place, mark in enumerate(marks[one.id])
    ]
    return dataset_of(comparisons, reviews)


def _score(dataset: Dataset, **options) -> Scores:
    return score_ballots(collect_reviews(dataset), reviews=dataset.reviews, **options)


def _score_run(run, **options) -> Scores:
    return score_ballots(collect_transcripts(run, name="run"), **options)


def _only(dataset: Dataset, **options):
    (found,) = _score(dataset, **options).scores
    return found


# The published figures.


@pytest.fixture(scope="module")
def native():
    """LLMBar's own folder: Natural and Manual, and six runs on Manual."""
    return load(f"llmbar:{_published('llmbar/original')}")


def test_scores_reproduce_the_statistics_of_the_authors(llmbar):
    """Right in the given and the other order, in both, and equal in both, of 46 in Manual.

    From `correct_False`, `correct_True`, `correct_both` and `equal` in LLMBar's `statistics.json`.
    """
    printed = {
        "Falcon/Vanilla": (22, 25, 12, 23),
        "GPT-4/Metrics_Reference": (37, 40, 35, 39),
        "GPT-4/Rating": (40, 38, 35, 38),
        "GPT-4/Swap_CoT": (35, 36, 34, 43),
        "GPT-4/Vanilla": (35, 39, 33, 38),
        "LLaMA2/CoT": (18, 18, 6, 22),
    }
    found = _score(llmbar, reviewers=[*printed], by="subset").scores
    assert {one.judge.reviewer for one in found} == set(printed)
    for one in found:
        orders, counts = one.groups["Manual"].orders, printed[one.judge.reviewer]
        shares = (orders.given, orders.other, orders.both, orders.same)
        assert shares == pytest.approx(tuple(count / 46 for count in counts))
        assert orders.average == pytest.approx(sum(counts[:2]) / 92)


@pytest.mark.data
def test_the_tidy_tables_have_the_same_scores_as_the_folders(native):
    """Manual in the tables is Manual in the benchmark's folder; Adversarial pools its four subsets."""
    judges = ["GPT-4/Swap_CoT", "LLaMA2/CoT"]
    tidy = load(f"llmbar:{_published('llmbar')}")
    scores = _score(tidy, reviewers=judges, by="subset", samples=2)
    assert scores.groups[-1] == "Adversarial"
    before = {one.judge.reviewer: one for one in _score(native, by="subset").scores}
    for one in scores.scores:
        assert one.groups["Manual"].orders == before[one.judge.reviewer].groups["Manual"].orders
        parts = [one.groups[name] for name in ("Neighbor", "GPTInst", "GPTOut", "Manual")]
        total = one.groups["Adversarial"]
        assert total.n == sum(part.n for part in parts) == 638
        assert total.right == sum(part.right for part in parts)
        assert one.total.right == total.right + one.groups["Natural"].right


@pytest.mark.data
def test_replies_on_record_are_read_again(native):
    """Recorded replies have a second reading; ratings are no replies and are not read."""
    found = {one.judge.reviewer: one.own_reading for one in _score(native, by="subset").scores}
    assert found["GPT-4/Rating"] is None
    plain = found["GPT-4/Vanilla"]
    assert (plain.same, plain.different, plain.only_recorded, plain.only_own) == (92, 0, 0, 0)


def test_crowd_and_experts_do_not_agree_on_summaries(verdicts):
    """The crowd's ratings of SummEval hardly correlate with those of experts on any aspect."""
    scores = _score(load(verdicts("summeval")), samples=100)
    found = {one.aspect: one for one in scores.correlations}
    assert list(found) == ["coherence", "consistency", "fluency", "relevance"]
    for one in found.values():
        assert (one.answers, one.unrated) == (1200, 0)
        assert abs(one.pearson.value) < 0.15
        assert one.pearson.low < one.pearson.value < one.pearson.high


# By hand.


def test_counts_of_a_judge_in_both_orders():
    """Right, tie, unreadable and inconsistent verdicts are counted apart, with their bounds."""
    cell = _only(_told({"a": "11", "b": "12", "c": "=?", "d": "x2"})).total
    assert (cell.n, cell.right, cell.questions) == (8, 3, 4)
    assert (cell.ties, cell.inconsistent, cell.unreadable, cell.refused) == (1, 1, 1, 0)
    assert (cell.accuracy.value, cell.accuracy.n) == (3 / 6, 6)
    assert (cell.worst_case, cell.best_case) == (3 / 8, 5 / 8)
    assert (cell.orders.given, cell.orders.other) == (2 / 4, 1 / 4)
    assert (cell.orders.both, cell.orders.same) == (1 / 4, 1 / 4)
    consistency = cell.consistency
    assert (consistency.judged, consistency.same) == (4, 1)
    assert (consistency.inconsistent, consistency.unreadable) == (1, 2)


def test_a_tie_is_right_only_where_gold_is_a_tie():
    """A tie is wrong against a choice and right against a tie."""
    assert _only(_told({"a": "=="})).total.right == 0
    met = _only(_told({"a": "=="}, gold="=")).total
    assert met.right == 2


def test_intervals_are_those_of_the_accuracy_of_a_report():
    """If all verdicts are readable, score and report have the same intervals."""
    marks = {f"c{n}": "11" if n % 3 else "12" for n in range(30)}
    dataset = _told(marks)
    found = measure_accuracy(collect_reviews(dataset), sampler=Sampler())
    assert _only(dataset).total.accuracy == found.accuracy


def test_every_vote_of_a_labeler_is_a_gold_of_its_own():
    """One verdict against two experts and an author: right for one expert, wrong for the others."""
    one = _comparison("a", gold="")
    votes = [
        review_of(one, "1", by="expert_1"),
        review_of(one, "2", by="expert_2"),
        review_of(one, "2", by="author_7"),
        review_of(one, "?", by="author_8"),
    ]
    humans = ("expert_1", "expert_2", "author_7", "author_8")
    dataset = dataset_of([one], [*votes, review_of(one, "1")], humans=humans)
    found = _only(dataset, by="labeler")
    assert (found.total.n, found.total.right) == (3, 1)
    assert (found.groups["expert"].n, found.groups["expert"].right) == (2, 1)
    assert (found.groups["author"].n, found.groups["author"].right) == (1, 0)


def test_votes_of_experts_and_authors_of_mtbench_are_counted_apart(mtbench):
    """The first turn of MT-Bench has 1,343 votes of experts and 346 of its authors."""
    first = tuple(one for one in mtbench.comparisons if one.subset == "turn 1")
    names = {one.id for one in first}
    reviews = tuple(review for review in mtbench.reviews if review.comparison in names)
    found = _only(replace(mtbench, comparisons=first, reviews=reviews), by="labeler")
    assert {name: cell.n for name, cell in found.groups.items()} == {"expert": 1343, "author": 346}


def test_votes_do_not_multiply_the_orders_of_a_verdict():
    """A comparison judged in both orders is one consistent judgement with any number of votes."""
    one = _comparison("a", gold="")
    votes = [review_of(one, "1", by=f"expert_{n}") for n in range(3)]
    mine = [review_of(one, "1"), review_of(one, "1", swap=True)]
    found = _only(
        dataset_of([one], [*votes, *mine], humans=("expert_0", "expert_1", "expert_2")),
        by="labeler",
    )
    assert (found.groups["expert"].n, found.groups["expert"].consistency.judged) == (6, 1)


def test_subsets_that_make_up_a_category_are_pooled():
    """A category of two whole subsets is their total; one that cuts across subsets is not."""
    nested = [
        _comparison("a", subset="Natural", category="Natural"),
        _comparison("b", subset="Manual", category="Adversarial"),
        _comparison("c", subset="Neighbor", category="Adversarial"),
    ]
    reviews = [review_of(one, "1") for one in nested]
    assert _score(dataset_of(nested, reviews), by="subset").groups == (
        "Natural",
        "Manual",
        "Neighbor",
        "Adversarial",
    )
    across = [replace(one, subset="plain") for one in nested]
    assert _score(dataset_of(across, reviews), by="subset").groups == ("plain",)


def test_any_column_of_the_data_makes_groups():
    """A key of `meta` makes groups; an unknown name lists the groups there are."""
    comparisons = [_comparison("a", level=1), _comparison("b", level=2)]
    dataset = dataset_of(comparisons, [review_of(one, "1") for one in comparisons])
    assert _only(dataset, by="level").groups.keys() == {"1", "2"}
    with pytest.raises(DataError, match="cannot be scored by 'size'; it has level"):
        _only(dataset, by="size")
    with pytest.raises(DataError, match="--gold"):
        _only(dataset, by="labeler")


def test_own_reading_is_scored_and_its_disagreements_listed():
    """A reply that names another answer than the record is listed with the rule that read it."""
    one, two = _comparison("a"), _comparison("b")
    reviews = [
        review_of(one, "2", text="Both are fine. Output (a) is better."),
        review_of(two, "1", text="Output (b) is better.", swap=True),
        review_of(two, "1", text="I would rather not say anything of them."),
    ]
    scores = _score(dataset_of([one, two], reviews))
    own = scores.scores[0].own_reading
    assert (own.same, own.different, own.only_recorded, own.only_own) == (1, 1, 1, 0)
    assert (own.total.right, own.total.n) == (2, 3)
    assert scores.scores[0].total.right == 2
    assert [str(found.own) for found in scores.disagreements] == ["answer-1", "unreadable"]


def test_a_tie_is_read_only_where_ties_are_known():
    """The same text is a tie in data with ties, and no verdict in data without."""
    one, two = _comparison("a"), _comparison("b")
    said = review_of(one, "?", text="It is a tie.")
    without = _score(dataset_of([one, two], [said, review_of(two, "1")]))
    known = _score(dataset_of([one, two], [said, review_of(two, "=")]))
    assert [one.comparison for one in without.disagreements] == ["b"]
    assert without.scores[0].own_reading.total.unreadable == 2
    assert known.disagreements[0].own == TIE


def test_labels_ratings_and_people_are_not_read():
    """Reviews without a text, with ratings, or by people have no second reading."""
    one = _comparison("a")
    reviews = [
        review_of(one, "1"),
        replace(review_of(one, "1", by="rater", text="answer-1: 4"), scores=(4.0, 2.0)),
        review_of(one, "1", by="human", text="Output (b) is better."),
    ]
    dataset = replace(dataset_of([one], reviews, humans=("human",)), labeled=(one.id,))
    scores = _score(dataset, reviewers=["judge", "rater", "human"]).scores
    assert [found.own_reading for found in scores] == [None, None, None]


def test_reviewers_are_chosen_by_name_or_pattern():
    """`A/*` is all of A; an unknown pattern lists the reviewers; people are chosen by name only."""
    one = _comparison("a")
    names = ("A/x", "A/y", "B/x", "human")
    dataset = dataset_of([one], [review_of(one, "1", by=name) for name in names], humans=("human",))
    dataset = replace(dataset, labeled=(one.id,))

    def chosen(*patterns):
        return [
            found.judge.reviewer for found in _score(dataset, reviewers=patterns or None).scores
        ]

    assert chosen() == ["A/x", "A/y", "B/x"]
    assert chosen("A/*") == ["A/x", "A/y"]
    assert chosen("*/x", "human") == ["A/x", "B/x", "human"]
    with pytest.raises(DataError, match=r"no reviews by 'C/\*'; reviews are by A/x"):
        chosen("C/*")


def test_without_gold_or_reviewers_there_is_nothing_to_score():
    """A source with reviews by labelers only, or without gold, is an error."""
    one = _comparison("a", gold="")
    with pytest.raises(DataError, match="no reviews to score except by its labelers"):
        _score(dataset_of([one], [review_of(one, "1", by="human")], humans=("human",)))
    with pytest.raises(DataError, match="no judgement in made has a gold"):
        _only(dataset_of([one], [review_of(one, "1")]))


# Runs.


def _discussion(moves: str, name: str = "a", **changes):
    made = told(moves, name, protocol="panel", seats=None, **changes)
    return replace(made, comparison=replace(made.comparison, subset="s"))


def test_a_run_scores_private_and_concluded_verdicts_by_condition():
    """Two seats, one of which is right in private, reach the right conclusion."""
    scores = _score_run([_discussion("2|1 1 1")]).scores
    found = {(one.judge.reviewer, one.judge.stance): one.total.right for one in scores}
    assert found == {
        ("reviewer-1 & reviewer-2", "concluded"): 1,
        ("reviewer-1", "private"): 0,
        ("reviewer-2", "private"): 1,
    }
    assert {one.judge.condition for one in scores} == {"talk"}


def test_a_lone_judge_is_scored_once():
    """The conclusion of a lone judge is its own verdict; both orders are matched."""
    told = [_discussion("1"), _discussion("1", swap=True)]
    (found,) = _score_run(told, by="subset").scores
    assert (found.judge.reviewer, found.judge.stance) == ("reviewer-1", "concluded")
    # The first-shown answer twice: once gold, once not.
    assert (found.total.n, found.total.right) == (2, 1)
    assert (found.total.consistency.judged, found.total.consistency.inconsistent) == (1, 1)


def test_incomplete_discussions_are_left_out_and_counted():
    """A failed and an unfinished discussion give no verdict."""
    told = [
        _discussion("1"),
        _discussion("2", "b", stop=StopReason.FAILED),
        _discussion("2", "c", stop=None),
    ]
    scores = _score_run(told)
    assert (scores.left_out, scores.scores[0].total.n) == (2, 1)
    with pytest.raises(DataError, match="run has no complete discussion"):
        _score_run(told[1:])


def test_gold_can_be_taken_from_adataset_of():
    """A run is scored by the votes and the gold of the data it was played on."""
    one = _comparison("a", gold="2")
    votes = [review_of(one, "1", by="expert_1"), review_of(one, "2", by="author_1")]
    gold = dataset_of([one], votes, humans=("expert_1", "author_1"))
    (found,) = _score_run([_discussion("1")], gold=gold, by="labeler").scores
    assert (found.groups["expert"].right, found.groups["author"].right) == (1, 0)
    assert _score_run([_discussion("1")], gold=gold).scores[0].total.right == 0
    with pytest.raises(DataError, match="made has none of the comparisons of run"):
        _score_run([_discussion("1")], gold=dataset_of([_comparison("z")]))


def test_gold_of_a_dataset_uses_its_own_order():
    """The order of the gold data counts as the given one, also if the run showed the other first."""
    gold = dataset_of([_comparison("a", gold="1")])
    (found,) = _score_run([_discussion("2", swap=True)], gold=gold).scores
    assert (found.total.right, found.total.orders.other) == (1, 1.0)
    assert math.isnan(found.total.orders.given)


# Ratings.


def _rated(scores: list[float | None], golds: list[float]) -> Dataset:
    return rated_by({"rater": scores}, golds, size=3)


def test_ratings_are_scored_by_their_correlation_with_gold():
    """Ratings in the order of gold have rank correlation 1; missing ratings are counted."""
    golds = [1.0, 2.0, 3.0, 4.0, 5.0, 3.5]
    dataset = _rated([2.0, 3.0, 4.0, 5.0, 6.0, None], golds)
    (found,) = _score(dataset).correlations
    assert (found.aspect, found.answers, found.unrated) == ("style", 5, 1)
    assert found.pearson.value == pytest.approx(1.0)
    assert (found.spearman.value, found.kendall.value) == (pytest.approx(1.0), pytest.approx(1.0))
    assert (found.mean, found.mean_gold, found.mean_error.value) == (4.0, 3.0, 1.0)
    assert found.by_question["kendall"] == pytest.approx(1.0)


def test_one_question_gives_a_correlation_without_bounds():
    """One question does not show how much questions differ."""
    (found,) = _score(_rated([1.0, 2.0, 2.0], [1.0, 2.0, 3.0])).correlations
    assert found.pearson.value == pytest.approx(0.866, abs=1e-3)
    assert math.isnan(found.pearson.low)
    assert math.isnan(found.pearson.high)


def test_ratings_that_never_vary_have_no_correlation():
    """With the same rating for every answer the coefficients are null in JSON."""
    scores = _score(_rated([3.0] * 4, [1.0, 2.0, 3.0, 4.0]))
    (row,) = build_score_document(scores)["correlations"]
    assert all(row[name]["value"] is None for name in ("pearson", "spearman", "kendall"))
    with pytest.raises(DataError, match="scored by aspect, not by 'subset'"):
        _score(_rated([3.0], [1.0]), by="subset")


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=12))
def test_correlations_are_those_of_scipy(pairs):
    """Pooled coefficients equal scipy's on the same numbers."""
    from scipy.stats import kendalltau, pearsonr, spearmanr

    ours, golds = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    (found,) = _score(_rated(ours, golds), samples=50).correlations
    if len(set(ours)) > 1 and len(set(golds)) > 1:
        assert found.pearson.value == pytest.approx(pearsonr(ours, golds).statistic)
        assert found.spearman.value == pytest.approx(spearmanr(ours, golds).statistic)
        assert found.kendall.value == pytest.approx(kendalltau(ours, golds).statistic)


# Invariants.

MARKS = st.text("12=?x", min_size=1, max_size=2)
TOLD = st.lists(st.tuples(MARKS, st.sampled_from("12=")), min_size=1, max_size=12)


def _made(told, *, rename=str, swap=False) -> Dataset:
    comparisons = [
        _comparison(f"c{n}", gold=gold, subset=f"s{n % 2}") for n, (_, gold) in enumerate(told)
    ]
    reviews = [
        review_of(one, mark, swap=bool(place))
        for one, (marks, _) in zip(comparisons, told, strict=True)
        for place, mark in enumerate(marks)
    ]
    if swap:
        comparisons = [one.swapped() for one in comparisons]
    return _renamed(dataset_of(comparisons, reviews), rename)


def _renamed(dataset: Dataset, rename) -> Dataset:
    """The same dataset with other answer ids."""

    def verdict(said):
        return said if said is None or said.choice is None else Verdict.of(rename(said.choice))

    comparisons = tuple(
        replace(
            one,
            answers=tuple(replace(answer, id=rename(answer.id)) for answer in one.answers),
            gold=verdict(one.gold),
        )
        for one in dataset.comparisons
    )
    reviews = tuple(
        replace(review, shown=tuple(map(rename, review.shown)), verdict=verdict(review.verdict))
        for review in dataset.reviews
    )
    return replace(dataset, comparisons=comparisons, reviews=reviews)


def _plain(dataset: Dataset):
    return build_score_document(_score(dataset, by="subset", samples=50))


@settings(max_examples=20)
@given(TOLD)
def test_the_names_of_answers_do_not_matter(told):
    """Renaming all answers changes no number."""
    assert _plain(_made(told)) == _plain(_made(told, rename=lambda name: f"new {name[::-1]}"))


@settings(max_examples=20)
@given(TOLD)
def test_which_order_is_called_given_does_not_matter(told):
    """Swapping every comparison of the source only exchanges the shares of the two orders."""

    def without_orders(dataset):
        document = _plain(dataset)
        found = []
        for row in document["rows"]:
            for cell in (row["total"], *row["groups"].values()):
                orders = cell["orders"]
                found.append((orders.pop("given"), orders.pop("other")))
        return document, found

    (one, orders), (other, swapped) = (without_orders(_made(told, swap=s)) for s in (False, True))
    assert one == other
    # The reviews are the same, so what was the given order is now the other one.
    assert sorted(map(str, orders)) == sorted(str(pair[::-1]) for pair in swapped)


@settings(max_examples=20)
@given(TOLD)
def test_bounds_hold_what_they_bound(told):
    """Worst and best case enclose the accuracy, intervals enclose the share, counts add up."""
    (found,) = _score(_made(told), by="subset", samples=50).scores
    for cell in (found.total, *found.groups.values()):
        assert cell.accuracy.n + cell.undecided == cell.n
        assert 0 <= cell.worst_case <= cell.best_case <= 1
        if cell.accuracy.n:
            assert cell.worst_case <= cell.accuracy.value + 1e-12
            assert cell.accuracy.value <= cell.best_case + 1e-12
            assert cell.accuracy.low - 1e-12 <= cell.accuracy.value <= cell.accuracy.high + 1e-12
            assert cell.accuracy.low < cell.accuracy.high
    assert found.total.right == sum(cell.right for cell in found.groups.values())
