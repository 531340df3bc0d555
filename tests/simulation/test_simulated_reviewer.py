"""Replies of simulated reviewers follow from their traits alone."""

from __future__ import annotations

import asyncio
import math
import random

import pytest

from peerjudge.data import TIE, Expects, Role, Verdict, replace
from peerjudge.simulation import Traits, compute_change_chance, expect_accuracy
from peerjudge.testing import comparison_of
from tests.simulation.conftest import read_verdict

FIRST, SECOND = Verdict.of("answer-1"), Verdict.of("answer-2")
ITEMS = 600


def tolerance(count: int = ITEMS) -> float:
    """Return four standard errors, at most, of a share of this many trials."""
    return 4 * 0.5 / math.sqrt(count)


async def verdicts_of(reviewer, requests) -> list[Verdict]:
    """Return the verdicts of a reviewer on these requests, read from its replies."""
    return [read_verdict(await reviewer.speak(request), request) for request in requests]


async def accuracy(reviewer, requests) -> float:
    """Return the share of these requests that the reviewer judges as gold does."""
    said = await verdicts_of(reviewer, requests)
    right = [one == each.comparison.gold for one, each in zip(said, requests, strict=True)]
    return sum(right) / len(requests)


@pytest.mark.parametrize(
    "traits",
    [
        {"ability": 1.4},
        {"ability": 0.6, "shared_error": 0, "copy_error": 0},
        {"ability": 0.9, "position_bias": -0.6},
    ],
)
async def test_private_accuracy_is_the_analytic_one(traits, reviewer, asked, many):
    """The share of right private verdicts is that of the equations."""
    requests = [asked(comparison) for comparison in many(ITEMS)]
    found = await accuracy(reviewer(**traits), requests)
    assert found == pytest.approx(expect_accuracy(Traits(**traits)), abs=tolerance())


async def test_temperature_zero_does_not_raise_accuracy(reviewer, asked, many):
    """At temperature 0 a reviewer repeats its errors; its accuracy is the same."""
    able = reviewer(ability=0.8)
    for temperature in (0.0, 0.5, 1.0):
        requests = [asked(comparison, temperature=temperature) for comparison in many(ITEMS)]
        found = await accuracy(able, requests)
        assert found == pytest.approx(expect_accuracy(Traits(ability=0.8)), abs=tolerance())


async def test_repetitions_differ_only_above_temperature_zero(reviewer, asked, many):
    """Repetitions give the same verdict at temperature 0, and some other verdicts at 1."""
    able = reviewer(ability=0.8)
    changed = {}
    for temperature in (0.0, 1.0):
        verdicts = [
            await verdicts_of(
                able,
                [asked(one, temperature=temperature, repetition=repetition) for one in many(300)],
            )
            for repetition in (0, 1)
        ]
        changed[temperature] = sum(a != b for a, b in zip(*verdicts, strict=True))
    assert changed[0.0] == 0
    assert 40 < changed[1.0] < 160


async def test_position_bias_shows_as_a_preference_for_a_place(reviewer, asked, many):
    """A planted position bias moves the share of first-shown choices, in the planted direction."""
    shares = {}
    for bias in (-0.5, 0.0, 0.5):
        biased = reviewer(ability=0.5, position_bias=bias)
        requests = [asked(comparison) for comparison in many(ITEMS)]
        shares[bias] = (await verdicts_of(biased, requests)).count(FIRST) / ITEMS
    assert shares[0.0] == pytest.approx(0.5, abs=tolerance())
    expected = (
        expect_accuracy(Traits(ability=0.5, position_bias=0.5), best_first=True)
        + 1
        - expect_accuracy(Traits(ability=0.5, position_bias=0.5), best_first=False)
    ) / 2
    assert shares[0.5] == pytest.approx(expected, abs=tolerance())
    assert shares[-0.5] == pytest.approx(1 - expected, abs=tolerance())


@pytest.mark.parametrize(
    ("family", "traits", "author"),
    [
        ("gpt", {"self_enhancement": 0.8}, "GPT-4"),
        ("", {"self_enhancement": 0.8}, "test"),
        ("", {"machine_taste": 0.8}, "some model"),
    ],
)
async def test_tastes_favour_their_author(family, traits, author, reviewer, asked, many):
    """Self-enhancement pulls to the own family's answers, a taste for machines to any machine's."""
    fond = reviewer(ability=0.5, family=family, **traits)
    requests = []
    for comparison in many(ITEMS):
        ours, theirs = comparison.answers
        answers = (replace(ours, author=author), replace(theirs, author="human"))
        requests.append(asked(replace(comparison, answers=answers)))
    chosen = (await verdicts_of(fond, requests)).count(FIRST)
    pulled = Traits(ability=0.5)
    right = expect_accuracy(pulled, pull=0.8)
    wrong = 1 - expect_accuracy(pulled, pull=-0.8)
    assert chosen / ITEMS == pytest.approx((right + wrong) / 2, abs=tolerance())


async def test_verbosity_favours_the_longer_answer(reviewer, asked, many):
    """A taste for length chooses the longer of two otherwise equal answers more often than not."""
    wordy = reviewer(ability=0.0, verbosity=0.7)
    requests = []
    for comparison in many(ITEMS):
        short, other = comparison.answers
        longer = replace(other, text=other.text * 3)
        requests.append(asked(replace(comparison, answers=(short, longer))))
    assert 0.7 < (await verdicts_of(wordy, requests)).count(SECOND) / ITEMS < 0.85


async def test_explaining_each_answer_alone_helps_where_the_surface_misleads(
    reviewer, asked, many, said
):
    """Explaining each answer alone gains on adversarial items and nothing on natural ones."""
    lured = reviewer(ability=1.0, surface=1.2)
    alone = [
        said(0, "seat-1", None, sees=("answer-1",)),
        said(1, "seat-1", None, sees=("answer-2",)),
    ]
    together = [said(0, "seat-1", None)]
    found = {}
    for subset in ("Natural", "adversarial"):
        for method, heard in (("pairwise", []), ("prepair", alone), ("prepair_star", together)):
            requests = [
                asked(comparison, heard=heard, private=True)
                for comparison in many(ITEMS, subset=subset)
            ]
            found[subset, method] = await accuracy(lured, requests)
    traits = Traits(ability=1.0)
    for method, damping in (("pairwise", 1.0), ("prepair", 0.57), ("prepair_star", 0.91)):
        natural = expect_accuracy(traits)
        adversarial = expect_accuracy(traits, pull=-1.2 * damping)
        assert found["Natural", method] == pytest.approx(natural, abs=tolerance())
        assert found["adversarial", method] == pytest.approx(adversarial, abs=tolerance())
    assert found["adversarial", "prepair"] > found["adversarial", "pairwise"] + 0.1


async def test_errors_are_shared_as_planted(reviewer, asked, many):
    """Copies share more errors than two reviewers, and these more than reviewers without common error."""
    agreement = {}
    for label, names, shares in (
        ("copies", ("one", "one"), {"shared_error": 0.3, "copy_error": 0.5}),
        ("reviewers", ("one", "two"), {"shared_error": 0.3, "copy_error": 0.5}),
        ("strangers", ("one", "two"), {"shared_error": 0.0, "copy_error": 0.5}),
    ):
        verdicts = []
        for seat, name in enumerate(names):
            speaker = reviewer(name, ability=0.0, **shares)
            requests = [asked(comparison, seat=f"seat-{seat}") for comparison in many(ITEMS)]
            verdicts.append(await verdicts_of(speaker, requests))
        agreement[label] = sum(a == b for a, b in zip(*verdicts, strict=True)) / ITEMS
    # Two normal signs of correlation r agree with probability 1/2 + arcsin(r) / pi.
    for label, correlation in (("copies", 0.8), ("reviewers", 0.3), ("strangers", 0.0)):
        expected = 0.5 + math.asin(correlation) / math.pi
        assert agreement[label] == pytest.approx(expected, abs=tolerance())


async def test_ties_only_where_allowed(reviewer, asked, many):
    """A reviewer chooses a tie when the difference is small, and only if ties are allowed."""
    unsure = reviewer(ability=0.2, tie_width=0.5)
    said = [
        (await unsure.speak(asked(comparison, ties=ties))).text.splitlines()[-1]
        for comparison in many(300)
        for ties in (True, False)
    ]
    assert set(said[0::2]) == {"Choice: Answer (a)", "Choice: Answer (b)", "Choice: Tie"}
    assert set(said[1::2]) == {"Choice: Answer (a)", "Choice: Answer (b)"}


@pytest.mark.parametrize("truth_pull", [0.0, 1.5])
@pytest.mark.parametrize("role", [Role.LEADER, Role.FOLLOWER])
async def test_opinion_changes_have_the_planted_rate(role, truth_pull, reviewer, asked, many, said):
    """A seat that disagrees gives way at the rate of its susceptibility, role and truth pull."""
    planted = {"susceptibility": 0.5, "firmness": 1.5, "truth_pull": truth_pull}
    speaker = reviewer(**planted)
    heard = [said(0, "seat-1", FIRST), said(1, "seat-2", SECOND)]
    later = [*heard, said(2, "seat-1", FIRST, private=False)]
    for turns, first_turn in ((heard, True), (later, False)):
        changed = {True: 0, False: 0}
        for comparison in many(ITEMS):
            request = asked(comparison, heard=turns, role=role)
            moved = read_verdict(await speaker.speak(request), request) == SECOND
            changed[comparison.gold == SECOND] += moved
        for right, count in changed.items():
            chance = compute_change_chance(
                Traits(**planted), leads=role == Role.LEADER, right=right, first_turn=first_turn
            )
            assert count / (ITEMS / 2) == pytest.approx(chance, abs=tolerance(ITEMS // 2))


async def test_persuasive_reviewers_are_followed_more_often(reviewer, asked, many, said):
    """Reasons persuade at the planted rate; a verdict without reasons has no extra force."""
    listener = reviewer("listener", susceptibility=-1.0)
    own = said(0, "seat-1", FIRST)
    for persuasiveness, task, felt in (
        (0.0, "review_explained", 0.0),
        (2.0, "review_explained", 2.0),
        (2.0, "review", 0.0),
    ):
        speaker = reviewer("speaker", persuasiveness=persuasiveness)
        moved = 0
        for comparison in many(ITEMS):
            spoken = await speaker.speak(asked(comparison, task=task, seat="seat-2"))
            other = replace(said(1, "seat-2", SECOND), utterance=spoken)
            request = asked(comparison, heard=[own, other])
            moved += read_verdict(await listener.speak(request), request) == SECOND
        chance = compute_change_chance(
            Traits(susceptibility=-1.0), leads=False, right=True, first_turn=True, persuasion=felt
        )
        assert moved / ITEMS == pytest.approx(chance, abs=tolerance())


async def test_a_firm_leader_never_alters(reviewer, asked, many, said):
    """With large firmness the leader always holds, as GPT-4 did."""
    firm = reviewer(susceptibility=0.0, firmness=20.0)
    heard = [said(0, "seat-1", FIRST), said(1, "seat-2", SECOND)]
    requests = [asked(comparison, heard=heard, role=Role.LEADER) for comparison in many(100)]
    assert set(await verdicts_of(firm, requests)) == {FIRST}


async def test_agreement_does_not_change_an_opinion(reviewer, asked, many, said):
    """A reviewer that hears its own opinion keeps it at any susceptibility."""
    weak = reviewer(ability=0.0, susceptibility=8.0)
    heard = [said(0, "seat-1", SECOND), said(1, "seat-2", SECOND)]
    requests = [asked(comparison, heard=heard) for comparison in many(100)]
    assert set(await verdicts_of(weak, requests)) == {SECOND}


async def test_a_panelist_yields_to_the_majority_only(reviewer, asked, many, said):
    """On a panel the susceptible follow only a strict majority of the others."""
    weak = reviewer(susceptibility=20.0)
    own = said(0, "seat-1", FIRST)
    against = [said(n, f"seat-{n + 1}", SECOND) for n in (1, 2)]
    split = [against[0], said(2, "seat-3", FIRST)]
    for others, verdict in ((against, SECOND), (split, FIRST)):
        heard = [own, *others]
        requests = [asked(one, heard=heard, role=Role.PANELIST) for one in many(50)]
        assert set(await verdicts_of(weak, requests)) == {verdict}


async def test_the_stance_comes_from_the_recorded_turns(reviewer, asked, many, said):
    """A reviewer has the stance of its recorded turns, even where it would judge otherwise."""
    stubborn = reviewer(ability=3.0, susceptibility=-20.0)
    for comparison in many(50):
        wrong = SECOND if comparison.gold == FIRST else FIRST
        heard = [said(0, "seat-1", wrong), said(1, "seat-2", comparison.gold)]
        request = asked(comparison, heard=heard)
        assert read_verdict(await stubborn.speak(request), request) == wrong


async def test_replies_do_not_depend_on_the_order_of_calls(reviewer, asked, many):
    """The same request gets the same reply in any order and at any concurrency."""
    requests = [asked(comparison, seat=seat) for comparison in many(40) for seat in ("a", "b")]
    one = reviewer(unreadable_rate=0.1, refusal_rate=0.1)
    in_order = {request.draw: (await one.speak(request)).text for request in requests}
    random.Random(5).shuffle(requests)
    other = reviewer(unreadable_rate=0.1, refusal_rate=0.1)
    together = await asyncio.gather(*(other.speak(request) for request in requests))
    assert {
        request.draw: said.text for request, said in zip(requests, together, strict=True)
    } == in_order


async def test_another_seed_is_another_world(reviewer, asked, many):
    """Another seed gives other verdicts, words and accidents to the same requests."""
    requests = [asked(comparison) for comparison in many(60)]
    worlds = (reviewer(seed=seed, refusal_rate=0.2) for seed in (1, 2))
    texts = [[(await one.speak(request)).text for request in requests] for one in worlds]
    refused = [[len(text.split()) < 15 for text in world] for world in texts]
    assert texts[0] != texts[1]
    assert refused[0] != refused[1]


async def test_latency_changes_only_time(reviewer, asked):
    """A slow reviewer writes the same words as a fast one, and reports its latency."""
    request = asked(comparison_of(gold=1))
    fast = await reviewer().speak(request)
    slow = await reviewer(latency=0.002).speak(request)
    assert slow.latency > 0
    assert replace(slow, latency=0.0) == fast
    longer = await reviewer(latency=0.002, length=40.0).speak(request)
    assert longer.latency != slow.latency


async def test_unreadable_and_refused_replies_come_at_their_rates(reviewer, asked, many):
    """The planted shares of replies break off before a verdict or decline to judge."""
    flawed = reviewer(unreadable_rate=0.2, refusal_rate=0.1)
    spoken = [await flawed.speak(asked(comparison)) for comparison in many(600)]
    without = [said for said in spoken if "\nChoice: Answer (" not in said.text]
    broken = [said for said in without if said.finish_reason == "length"]
    assert len(broken) == pytest.approx(120, abs=600 * tolerance(600))
    assert len(without) - len(broken) == pytest.approx(60, abs=600 * tolerance(600))


async def test_a_reply_has_the_form_that_the_cue_expects(reviewer, asked):
    """Verdicts end in a label on its own line, ratings in a number; explanations in neither."""
    comparison = comparison_of(3, gold=2)
    plain = reviewer()
    labels = {"Answer (a)", "Answer (b)", "Answer (c)"}
    verdict = await plain.speak(asked(comparison))
    assert verdict.text.splitlines()[-1] in {f"Choice: {label}" for label in labels}
    bare = await plain.speak(asked(comparison, task="review"))
    assert bare.text in labels
    seeing_one = {"sees": ("answer-3",), "task": "rate"}
    rated = await plain.speak(asked(comparison, expects=Expects.RATING, **seeing_one))
    assert rated.text.splitlines()[-1] in {"1", "2", "3", "4", "5"}
    for sees in ((), ("answer-3",), comparison.shown):
        said = await plain.speak(asked(comparison, expects=Expects.TEXT, sees=sees))
        assert said.text.splitlines()[-1].strip().removeprefix("Choice: ") not in {
            *labels,
            *"12345",
        }
        assert said.simulated
        assert said.usage.estimated


async def test_a_reply_states_the_opinion_change(reviewer, asked, said):
    """A reply states the others' position, and whether the reviewer changes its opinion."""
    comparison = comparison_of(gold=1)
    heard = [said(0, "seat-1", FIRST), said(1, "seat-2", SECOND)]
    changed = (await reviewer(susceptibility=20.0).speak(asked(comparison, heard=heard))).text
    assert changed.startswith("The other reviewer prefers Answer (b).")
    assert any(word in changed for word in ("change", "move"))
    assert changed.endswith("\nChoice: Answer (b)")
    held = (await reviewer(susceptibility=-20.0).speak(asked(comparison, heard=heard))).text
    assert any(word in held for word in ("keep", "hold", "do not change"))
    assert held.endswith("\nChoice: Answer (a)")
    tied = [heard[0], said(1, "seat-2", TIE)]
    yielding = await reviewer(susceptibility=20.0).speak(asked(comparison, heard=tied, ties=True))
    assert yielding.text.startswith("The other reviewer sees a tie.")
    assert yielding.text.endswith("\nChoice: Tie")


async def test_replies_have_about_the_wanted_length(reviewer, asked, many):
    """A reviewer with a larger length writes longer reviews."""
    words = {}
    for length in (40.0, 80.0, 130.0):
        speaker = reviewer(length=length)
        texts = [(await speaker.speak(asked(comparison))).text for comparison in many(60)]
        words[length] = sum(len(text.split()) for text in texts) / len(texts)
    for length, mean in words.items():
        assert mean == pytest.approx(length, rel=0.3)


async def test_a_reviewer_has_the_name_of_its_card(reviewer):
    """A simulated reviewer has the name of its card, and closing it does nothing."""
    one = reviewer("sim_anna")
    assert one.name == "sim_anna"
    await one.close()
