"""One comparison judged by a discussion, in both orders: verdict, stances, cost, and what is refused."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from hypothesis import given, settings, strategies as st

import peerjudge as pj
from peerjudge.data import (
    INCONSISTENT,
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Verdict,
    replace,
    settle_orders,
)
from peerjudge.errors import DataError, ExperimentError, StoreError
from peerjudge.features.judge.judgements import build_comparison
from peerjudge.features.judge.opened import JudgingFailedError, LimitReachedError
from peerjudge.testing import transcript_of

PAIR = ["short", "a longer one"]
ONE, TWO = Verdict.of("1"), Verdict.of("2")


def judge(project, by, answers=PAIR, **options):
    """Judge in the project."""
    return pj.judge_sync(
        "Which?", answers, by=by, shelf=project.shelf, environ=project.environ, **options
    )


def test_a_verdict_is_the_same_answer_in_both_orders(project):
    """The judge is asked twice; the choice names the answer by its place among those given."""
    found = judge(project, "longer")
    assert (found.verdict, found.index, found.choice) == (TWO, 1, Answer(id="2", text=PAIR[1]))
    assert [one.comparison.shown for one in found.transcripts] == [("1", "2"), ("2", "1")]
    assert found.discussions == tuple(one.id for one in found.transcripts)
    assert not found.simulated


def test_a_judge_of_places_is_inconsistent_and_never_tied(project):
    """A reviewer that always takes the first answer contradicts itself."""
    found = judge(project, "first")
    assert found.verdict == INCONSISTENT
    assert (found.index, found.choice, found.readable) == (None, None, False)


def test_unreadable_is_a_value(project):
    """Words without a verdict are neither a tie nor an error."""
    found = judge(project, "mute")
    assert found.verdict == UNREADABLE
    assert found.verdict != TIE
    assert found.document()["verdict"] == "unreadable"
    assert "Verdict: unreadable" in str(found)


def test_a_discussion_shows_who_altered_its_opinion(project):
    """Stances before hearing another seat and at the end, by discussion and seat."""
    found = judge(project, "leader_follower:longer,swayed")
    assert found.verdict == TWO
    by_reviewer = {(one.reviewer, one.before, one.after) for one in found.stances}
    assert by_reviewer == {("longer", TWO, TWO), ("swayed", ONE, TWO)}
    assert {one.discussion for one in found.stances} == set(found.discussions)
    assert "I have read all of them." in found.transcript
    assert "altered" in found.transcript


@pytest.mark.parametrize("count", [3, 4])
def test_more_answers_are_shown_in_every_rotation(project, count):
    """A card alone judges three and four answers too."""
    answers = ["x" * (1 + at) for at in range(count)]
    found = judge(project, "longer", answers)
    assert found.index == count - 1
    assert len({one.comparison.shown for one in found.transcripts}) == count
    assert judge(project, "panel:longer,longer,longer", answers).index == count - 1


def test_answers_may_be_named_by_author(project):
    """The choice then says whose answer it is, and the table too."""
    found = judge(project, "longer", {"ann": "long enough", "bob": "no"})
    assert found.choice is not None
    assert found.choice.author == "ann"
    assert "answer 1 (ann)" in str(found)


def test_a_condition_and_an_experiment_judge_as_well(project):
    """Options and prompts of the declaration apply, and settings change them."""
    condition = pj.Condition(
        name="duel", protocol="leader_follower", seats=("longer", "swayed"), options={"turns": 2}
    )
    found = judge(project, condition)
    assert [len(one.turns) for one in found.transcripts] == [4, 4]
    study = pj.Experiment(data="sample", conditions=(condition,), name="own")
    assert [len(one.turns) for one in judge(project, study).transcripts] == [4, 4]
    longer = judge(project, study, settings={"turns": "3"})
    assert [len(one.turns) for one in longer.transcripts] == [5, 5]
    (project.folder / "duels.py").write_text(
        '"""Duels."""\n\nfrom peerjudge.data import Condition, Experiment\n\n'
        'EXPERIMENT = Experiment(data="sample", conditions=(\n'
        '    Condition(name="one", protocol="pairwise", seats=("longer",)),\n'
        '    Condition(name="two", protocol="pairwise", seats=("shorter",)),\n))\n'
    )
    assert judge(project, "duels.py#one").index == 1
    assert judge(project, "duels.py#two").index == 0


def test_a_folder_keeps_the_judgements_as_a_run(project):
    """The same call again plays nothing, and the analyses read the folder."""
    first = judge(project, "paid", ["apple", "pear"], out="judged")
    assert (first.index, first.cost.paid, first.cost.tokens) == (0, 2, 220)
    assert first.cost.usd == pytest.approx(220e-6)
    again = judge(project, "paid", ["apple", "pear"], out="judged")
    assert again == dataclasses.replace(first, cost=again.cost)
    assert (again.cost.paid, again.cost.tokens, again.cost.usd) == (0, 0, 0.0)
    judge(project, "paid", ["pear", "apple and more"], out="judged")
    assert len(pj.load_sync("judged")) == 4
    assert len(pj.turns_df("judged")) == 4
    assert sum(project.calls.values()) == 4


def test_without_a_folder_replies_are_still_paid_once(project):
    """They are in the user's reply cache; the discussions are in the result only."""
    first = judge(project, "paid", ["apple", "pear"])
    again = judge(project, "paid", ["apple", "pear"])
    assert (first.cost.paid, again.cost.paid, again.cost.cached) == (2, 0, 2)
    assert again.cost.usd == 0.0
    assert again.place is None


def test_a_cost_without_a_price_is_unknown_and_not_zero(project):
    """`known` is false and `usd` is `None`, as in the summary of a run."""
    (project.folder / "prices.toml").unlink()
    found = judge(project, "paid", ["apple", "pear"])
    assert (found.cost.paid, found.cost.usd, found.cost.known) == (2, None, False)
    assert "unknown" in str(found)


def test_a_limit_raises_and_a_higher_one_goes_on(project):
    """The discussion that fits is kept; the other one is played by the next call."""
    with pytest.raises(
        LimitReachedError, match=r"of 2 discussions were not played: .*token limit"
    ) as stop:
        judge(project, "paid", ["apple", "pear"], out="judged", token_limit=150)
    assert sum(project.calls.values()) <= 1
    enough = stop.value.enough
    assert enough is not None
    found = judge(project, "paid", ["apple", "pear"], out="judged", token_limit=2000)
    assert found.index == 0
    assert sum(project.calls.values()) == 2


def test_a_failed_call_raises_with_its_cause(project):
    """A failure of the service is no verdict; the next call plays what failed."""
    project.status = 401
    with pytest.raises(JudgingFailedError, match="paid failed in turn 0") as failed:
        judge(project, "paid", ["apple", "pear"], out="judged")
    assert "sk-secret" not in str(failed.value)
    project.status = 200
    assert judge(project, "paid", ["apple", "pear"], out="judged").index == 0


def test_criteria_replace_those_of_the_prompts(project):
    """Each is one line of the prompt, whatever line breaks it holds; other criteria are another judgement."""
    criteria = ["brevity\n\nAnswer (a)", "{{ 7 * 7 }}"]
    judge(project, "paid", ["apple", "pear"], out="judged", criteria=criteria)
    assert all("brevity Answer (a)" in prompt for prompt in project.prompts)
    assert all("{{ 7 * 7 }}" in prompt for prompt in project.prompts)
    judge(project, "paid", ["apple", "pear"], out="judged")
    assert sum(project.calls.values()) == 4
    assert {one.comparison.meta.get("criteria") for one in pj.load_sync("judged")} == {
        None,
        "\n".join(criteria),
    }


def test_a_reference_answer_reaches_prompts_that_show_it(project):
    """It is part of the judgement's identity; a judge whose prompts show none refuses it before any call."""
    shown = pj.Condition(
        name="checked", protocol="pairwise", seats=("paid",), prompts="open_chat_reference"
    )
    judge(project, shown, ["apple", "pear"], out="judged", reference="plum")
    assert all("# Reference answer\n> plum\n" in prompt for prompt in project.prompts)
    judge(project, shown, ["apple", "pear"], out="judged", reference="fig")
    assert sum(project.calls.values()) == 4
    with pytest.raises(ExperimentError, match=r"shows no reference answer.*open_chat_reference"):
        judge(project, "paid", ["apple", "pear"], out="other", reference="plum")
    assert sum(project.calls.values()) == 4


async def test_an_open_judge_plays_equal_requests_once(project):
    """Many comparisons at a time, in one store and under one budget."""
    async with pj.Judge.open(
        "paid", out="judged", shelf=project.shelf, environ=project.environ, cost_limit=1.0
    ) as opened:
        pairs = [["apple", f"pear {at % 3}"] for at in range(9)]
        found = await asyncio.gather(*(opened.judge("Which?", pair) for pair in pairs))
    assert {one.index for one in found} == {0}
    assert sum(project.calls.values()) == 6
    assert len(pj.load_sync("judged")) == 6


async def test_a_cancelled_request_does_not_lose_what_it_paid(project):
    """Its discussions are played to their end, and the next request reads them."""
    async with pj.Judge.open(
        "paid", out="judged", shelf=project.shelf, environ=project.environ
    ) as opened:
        first = asyncio.create_task(opened.judge("Which?", ["apple", "pear"]))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        found = await opened.judge("Which?", ["apple", "pear"])
    assert found.index == 0
    assert sum(project.calls.values()) == 2


async def test_an_open_judge_goes_on_after_a_refused_request(project):
    """A request that does not fit the rest of a limit is refused alone."""
    async with pj.Judge.open(
        "paid", out="judged", shelf=project.shelf, environ=project.environ, token_limit=3000
    ) as opened:
        with pytest.raises(LimitReachedError):
            await opened.judge("Which?", ["apple " * 4000, "pear"])
        assert (await opened.judge("Which?", ["apple", "pear"])).index == 0


async def test_the_form_without_await_refuses_to_stop_a_loop(project):
    """It names what to write instead."""
    with pytest.raises(ExperimentError, match=r"await peerjudge\.judge"):
        judge(project, "longer")


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("panel", "is a protocol; name its reviewers as well, as in panel:CARD1,CARD2,CARD3"),
        ("panel:", "names no cards"),
        ("panel:longer", "takes 3 to any number seats"),
        ("quickstart", r"choose one with quickstart#CONDITION: 'strong with weak'"),
        ("quickstart#weak", "has no condition 'weak'"),
        ("nobody", "no card or experiment is called 'nobody'"),
        ("leader_follower:longer,nobody", "no 'nobody' among the agents"),
    ],
)
def test_a_wrong_judge_is_named_with_what_to_write(project, by, message):
    """Nothing is created before the judge is known."""
    with pytest.raises(pj.PeerJudgeError, match=message):
        judge(project, by, out="judged")
    assert not (project.folder / "judged").exists()


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["one"], "compares 2 to 4 answers, not 1"),
        (["a"] * 5, "compares 2 to 4 answers, not 5"),
        ("ab", "not one text"),
        (["", "  "], "none of the answers has a text"),
        (["a", None], "answer 2 is None; an answer is a text"),
    ],
)
def test_wrong_answers_are_refused(project, answers, message):
    """An answer that another tool left out is `None` there, and must not be judged as a text."""
    with pytest.raises(DataError, match=message):
        judge(project, "longer", answers)


def test_a_judge_of_pairs_refuses_three(project):
    """The message names protocols that take them."""
    with pytest.raises(ExperimentError, match="cannot judge 3 answers at once: protocol pros_cons"):
        judge(project, "pros_cons:longer", ["a", "b", "c"])


def test_a_folder_of_another_judge_is_refused(project):
    """Judgements of two judges do not mix in one run."""
    judge(project, "longer", out="judged")
    with pytest.raises(StoreError, match="holds a run of 'judge-longer'"):
        judge(project, "shorter", out="judged")


VERDICTS = st.sampled_from([ONE, TWO, TIE, UNREADABLE, REFUSED, INCONSISTENT])


@settings(max_examples=40)
@given(st.lists(VERDICTS, min_size=1, max_size=3), st.lists(VERDICTS, min_size=1, max_size=3))
def test_the_verdict_of_two_orders_does_not_depend_on_which_came_first(given_order, swapped):
    """A choice needs a strict majority in each order; nothing else becomes a choice or a tie."""
    pair = build_comparison("Which?", PAIR)

    def play(verdicts, comparison):
        return [replace(transcript_of("1", comparison=comparison), verdict=one) for one in verdicts]

    one = play(given_order, pair)
    other = play(swapped, pair.swapped())
    settled = settle_orders([*one, *other])
    assert settled == settle_orders([*other, *one])
    if settled.readable:
        for verdicts in (given_order, swapped):
            assert 2 * verdicts.count(settled) > len(verdicts)
    if len(given_order) == len(swapped) == 1 and given_order == swapped:
        assert settled == given_order[0]


@settings(max_examples=20)
@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=4), st.text())
def test_a_comparison_is_identified_by_its_words(answers, question):
    """Equal words are one comparison, and answers in another order are another one."""
    found = build_comparison(question, answers)
    assert found == build_comparison(question, answers)
    assert [one.text for one in found.answers] == answers
    if answers != answers[::-1]:
        assert build_comparison(question, answers[::-1]).id != found.id
