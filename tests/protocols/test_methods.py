"""The methods of judging: their cues in order, and their conclusions."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from pathlib import Path

import pytest

from peerjudge.data import (
    INCONSISTENT,
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Expects,
    Question,
    Review,
    Scalar,
    Seat,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.errors import ProtocolError
from peerjudge.prompts import render
from peerjudge.protocol import Method, choose_best_rated, collect_stances
from peerjudge.shelf import Shelf
from peerjudge.verdicts import read_review

SHELF = Shelf(project=Path(__file__).resolve().parents[2])
READ = {"a": Verdict.of("a"), "b": Verdict.of("b"), "c": Verdict.of("c"), "d": Verdict.of("d")}
READ |= {"t": TIE, "?": UNREADABLE, "!": REFUSED}
METHODS = typing.get_args(Method)


def comparison(ids: str = "ab") -> Comparison:
    """Answers with these one-letter ids, shown in this order."""
    answers = tuple(Answer(id=name, text=name.upper()) for name in ids)
    return Comparison(id="c", question=Question(id="q", text="?"), answers=answers)


class Played:
    """A discussion: `verdicts` by cue for a verdict, `ratings` by answer.

    A rating is a number, or `?` where it could not be read, or `!` where it was declined.
    """

    def __init__(
        self,
        name: str,
        verdicts: str = "",
        *,
        ids: str = "ab",
        seats: int = 1,
        ratings: Mapping[str, float | str] | None = None,
        **options: Scalar,
    ) -> None:
        self.protocol = SHELF.protocol(name, options)
        self.seats = tuple(Seat(id=str(n), reviewer=f"r{n}") for n in range(seats))
        self.comparison = comparison(ids)
        self.protocol.require(seats=seats, answers=len(ids))
        self._left = iter(verdicts)
        self._ratings = ratings or {}
        self.turns: tuple[Turn, ...] = ()
        while cues := self.protocol.next_cues(self.seats, self.comparison, self.turns):
            for cue in cues:
                turn = Turn(
                    index=len(self.turns),
                    cue=cue,
                    utterance=Utterance(text="..."),
                    review=self._read(cue.expects, cue.sees),
                )
                self.turns += (turn,)
        assert next(self._left, None) is None, "more verdicts given than asked for"

    def _read(self, expects: Expects, sees: tuple[str, ...]) -> Review:
        if expects is Expects.VERDICT:
            return Review(verdict=READ[next(self._left)])
        rating = self._ratings.get(sees[0]) if expects is Expects.RATING else None
        if isinstance(rating, str):
            return Review(verdict=REFUSED if rating == "!" else None)
        return Review(score=rating)

    @property
    def cues(self) -> list[tuple[object, ...]]:
        """The cues as (task, sees, hears)."""
        return [(t.cue.task, "".join(t.cue.sees), t.cue.hears) for t in self.turns]

    @property
    def verdict(self) -> Verdict:
        """The conclusion of the protocol."""
        return self.protocol.conclude(self.seats, self.comparison, self.turns)


@pytest.mark.parametrize(
    ("ratings", "verdict"),
    [
        ({"a": 4.0, "b": 3.0}, READ["a"]),
        ({"a": 3.9, "b": 4.1}, READ["b"]),
        ({"a": 4.0, "b": 4.0}, TIE),
        ({"a": 4.0, "b": "?"}, UNREADABLE),
        ({"a": "!", "b": 5.0}, REFUSED),
        ({"a": "!", "b": "?"}, REFUSED),
    ],
)
def test_pointwise_judges_by_the_higher_rating(ratings, verdict):
    """The higher rating wins, equal ratings tie, and a missing rating gives no conclusion."""
    played = Played("pointwise", ratings=ratings)
    assert played.cues == [("rate", "a", ()), ("rate", "b", ())]
    assert all(turn.cue.scale == (1, 5) for turn in played.turns)
    assert played.verdict == verdict


def test_one_answer_can_be_rated():
    """A comparison of one answer is its rating."""
    assert Played("pointwise", ids="a", ratings={"a": 2.0}).verdict == READ["a"]
    assert Played("score_reasons", ids="a", ratings={"a": "?"}).verdict == UNREADABLE


def test_the_best_of_several_ratings_must_be_unique():
    """Of three answers, the winner must be ahead of all others."""
    assert Played("pointwise", ids="abc", ratings={"a": 1, "b": 3, "c": 2}).verdict == READ["b"]
    assert Played("pointwise", ids="abc", ratings={"a": 3, "b": 3, "c": 2}).verdict == TIE
    assert choose_best_rated(comparison(), ()) == UNREADABLE


def test_the_lower_rating_wins_where_one_is_best():
    """On the scale of the sequencing study, ten means severe problems."""
    ratings = {"a": 7.0, "b": 2.0}
    assert Played("score_reasons", ratings=ratings, scale="10-1").verdict == READ["b"]
    assert Played("score_reasons", ratings=ratings, scale="1-10").verdict == READ["a"]


@pytest.mark.parametrize("form", ["example", "schema"])
@pytest.mark.parametrize("order", ["score_only", "score_reasons", "reasons_score"])
@pytest.mark.parametrize("rules", [False, True])
def test_the_six_forms_with_and_without_rules(form, order, rules):
    """Order and form choose the form of reply, `rules` the task."""
    played = Played("score_reasons", order=order, form=form, rules=rules)
    assert {turn.cue.reply for turn in played.turns} == {f"{form}_{order}"}
    assert {turn.cue.task for turn in played.turns} == {"score_by_rules" if rules else "score"}
    assert all(len(turn.cue.sees) == 1 and not turn.cue.hears for turn in played.turns)


def test_own_criteria_come_before_any_answer_and_are_heard_throughout():
    """The judge writes criteria before it sees an answer, and every later step hears them."""
    assert Played("self_metrics", "b").cues == [
        ("write_criteria", "", ()),
        ("review", "ab", (0,)),
    ]
    assert Played("self_metrics", "b", then="prepair").cues == [
        ("write_criteria", "", ()),
        ("explain_one", "a", (0,)),
        ("explain_one", "b", (0,)),
        ("decide", "ab", (0, 1, 2)),
    ]


def test_own_criteria_can_be_followed_by_ratings():
    """After criteria and pointwise ratings, the better rating decides."""
    played = Played("self_metrics", then="pointwise", ratings={"a": 2.0, "b": 3.0})
    assert played.cues == [
        ("write_criteria", "", ()),
        ("rate", "a", (0,)),
        ("rate", "b", (0,)),
    ]
    assert played.verdict == READ["b"]


@pytest.mark.parametrize("ids", ["abc", "abcd"])
def test_three_or_four_answers_take_one_verdict(ids):
    """All answers are shown at once; one verdict decides."""
    played = Played("n_way", "c", ids=ids, ties=True)
    assert played.cues == [("review_explained", ids, ())]
    assert Played("n_way", "c", ids=ids, explained=False).cues == [("review", ids, ())]
    (turn,) = played.turns
    for number, answer in enumerate(ids, start=1):
        read = read_review(f"So:\n\n{number}", cue=turn.cue, comparison=played.comparison)
        assert read.verdict == READ[answer]
    tie = read_review(f"So:\n\n{len(ids) + 1}", cue=turn.cue, comparison=played.comparison)
    assert tie.verdict == TIE


def test_two_answers_are_no_n_way_comparison():
    """A comparison of two answers is refused."""
    with pytest.raises(ProtocolError, match="takes 3 to 4 answers, not 2"):
        Played("n_way", "a")


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ("aa", READ["a"]),
        ("tt", TIE),
        ("ab", INCONSISTENT),
        ("at", INCONSISTENT),
        ("a?", UNREADABLE),
        ("!a", REFUSED),
    ],
)
def test_the_verdict_of_both_orders_counts(verdicts, verdict):
    """The judge judges in both orders, and a contradiction is an outcome of its own."""
    played = Played("reconciled", verdicts, ties=True)
    assert played.cues == [("review", "ab", ()), ("review", "ba", ())]
    assert played.verdict == verdict


def test_both_orders_share_cues_about_one_answer():
    """PRePair shares its explanations in both orders, and the judge never hears its other verdict."""
    assert Played("reconciled", "aa", method="prepair", self_metrics=True).cues == [
        ("write_criteria", "", ()),
        ("explain_one", "a", (0,)),
        ("explain_one", "b", (0,)),
        ("decide", "ab", (0, 1, 2)),
        ("decide", "ba", (0, 1, 2)),
    ]
    assert Played("reconciled", "aa", method="prepair_star").cues == [
        ("explain_both", "ab", ()),
        ("decide", "ab", (0,)),
        ("explain_both", "ba", ()),
        ("decide", "ba", (2,)),
    ]


def test_a_verdict_in_the_other_order_names_the_other_place():
    """Number 1 is the answer that the cue shows first."""
    _, other = Played("reconciled", "aa").turns
    assert read_review("1", cue=other.cue, comparison=comparison()).verdict == READ["b"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["leader_follower", "self_discussion", "prepair_discussion"])
def test_every_method_opens_every_discussion(name, method):
    """With any method, each seat hears only itself and has a stance before the discussion."""
    ratings = {"a": 4.0, "b": 2.0}
    played = Played(name, "abab", seats=2, ratings=ratings, opening=method, turns=2)
    private = [turn for turn in played.turns if turn.cue.private]
    assert [turn.cue.private for turn in played.turns] == [True] * len(private) + [False] * 2
    assert collect_stances(played.seats, private) == {"0": READ["a"], "1": READ["b"]}
    own = {seat.id: [t.index for t in private if t.cue.seat == seat.id] for seat in played.seats}
    assert all(set(turn.cue.hears) <= set(own[turn.cue.seat]) for turn in private)
    assert played.turns[-1].cue.hears == tuple(range(len(played.turns) - 1))


def test_an_opening_has_the_cues_of_the_lone_method():
    """A seat that opens with a method gets the cues of a lone judge with that method."""
    for method in (
        "pairwise",
        "pairwise_cot",
        "pros_cons",
        "solve_first",
        "prepair",
        "prepair_star",
    ):
        alone = [turn.cue for turn in Played(method, "a").turns]
        opening = Played("vote", "ab", seats=2, opening=method)
        assert [turn.cue for turn in opening.turns[: len(alone)]] == alone


def test_ratings_before_a_discussion_end_in_a_decision():
    """Ratings alone are no stance, so the seat decides before the discussion."""
    played = Played("leader_follower", "ab", seats=2, opening="pointwise", turns=0)
    assert played.cues == [
        ("rate", "a", ()),
        ("rate", "b", ()),
        ("decide", "ab", (0, 1)),
        ("rate", "a", ()),
        ("rate", "b", ()),
        ("decide", "ab", (3, 4)),
    ]


def test_a_panel_can_open_with_criteria_of_its_own():
    """Every panelist writes criteria first and hears them; the others hear them in the rounds."""
    played = Played("panel", "aaaaaa", seats=3, self_metrics=True, rounds=1)
    assert played.cues[:4] == [
        ("write_criteria", "", ()),
        ("review_explained", "ab", (0,)),
        ("write_criteria", "", ()),
        ("review_explained", "ab", (2,)),
    ]
    assert played.cues[6] == ("discuss", "ab", (0, 1, 2, 3, 4, 5))


def test_prepair_discussion_is_a_discussion_opened_by_prepair():
    """`prepair_discussion` equals `leader_follower` with another opening."""
    named = Played("prepair_discussion", "abab", seats=2, turns=2)
    opened = Played("leader_follower", "abab", seats=2, turns=2, opening="prepair")
    assert [turn.cue for turn in named.turns] == [turn.cue for turn in opened.turns]


def test_four_answers_can_be_discussed():
    """A discussion takes up to four answers."""
    played = Played("leader_follower", "dddd", ids="abcd", seats=2, opening="prepair", turns=2)
    assert [sees for task, sees, _ in played.cues if task == "explain_one"] == [*"abcd"] * 2
    assert played.verdict == READ["d"]


def test_an_opening_that_is_no_method_is_refused():
    """An unknown opening is refused."""
    with pytest.raises(ProtocolError, match="opening"):
        SHELF.protocol("leader_follower", {"opening": "prepare"})


@pytest.mark.parametrize("method", ["prepair", "prepair_star"])
def test_a_blind_decision_rests_on_the_explanations_alone(method: str):
    """A blind decision shows neither question nor answers and still names them."""
    seen, blind = (Played(method, "b", blind=chosen) for chosen in (False, True))
    assert {"> ?", "> A", "> B"} <= {*_prompt(seen).splitlines()}
    text = _prompt(blind)
    assert {line for line in text.splitlines() if line.startswith(">")} == {"> ..."}
    assert "Answer (a)" in text
    assert "Answer (b)" in text
    assert blind.verdict == Verdict.of("b")


@pytest.mark.parametrize(("method", "blind"), [("prepair", False), ("prepair_star", True)])
@pytest.mark.parametrize("protocol", ["alone", "vote", "reconciled", "self_metrics"])
def test_only_the_decision_of_prepair_star_is_blind_by_default(
    protocol: str, method: str, blind: bool
):
    """PRePair's Figure 8 prints the decision without question and answers, Figure 7 with them."""
    played = {
        "alone": lambda: Played(method, "a"),
        "vote": lambda: Played("vote", "ab", seats=2, opening=method),
        "reconciled": lambda: Played("reconciled", "aa", method=method),
        "self_metrics": lambda: Played("self_metrics", "a", then=method),
    }[protocol]()
    decisions = [turn.cue for turn in played.turns if turn.cue.task == "decide"]
    assert decisions
    assert all(cue.blind is blind for cue in decisions)


def _prompt(played: Played) -> str:
    """The prompt of the last turn."""
    *earlier, last = played.turns
    messages = render(
        SHELF.prompts("instruction_following"),
        seats=played.seats,
        comparison=played.comparison,
        turns=earlier,
        cue=last.cue,
    )
    return "\n".join(message.text for message in messages)
