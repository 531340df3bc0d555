"""Reactions of simulated reviewers to the words of their prompts."""

from __future__ import annotations

import math
from dataclasses import asdict, fields

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Card, Message, Reaction, ReviewerKind, Verdict, replace
from peerjudge.errors import CardError
from peerjudge.prompts import render
from peerjudge.shelf import Shelf
from peerjudge.shelf.cards import card_identity, read_card
from peerjudge.simulation import SimulatedReviewer, Traits, expect_accuracy
from peerjudge.simulation.reactions import Temper, add_reactions
from peerjudge.simulation.traits import clamp_traits
from peerjudge.testing import comparison_of
from peerjudge.verdicts import verdict_probabilities
from tests.simulation.conftest import read_verdict

ITEMS = 400
NAMES = [field.name for field in fields(Traits)]


def reacting(*responds: Reaction, **traits) -> Card:
    """Build a simulated card with these reactions and traits."""
    return Card(
        name="sim_test", kind=ReviewerKind.SIMULATED, traits=dict(traits), responds=responds
    )


def prompt(words: str, material: str = "> What?") -> tuple[Message, ...]:
    """Build a prompt with these words of the pack, and this quoted material."""
    return (
        Message(role="system", text="You judge."),
        Message(role="user", text=f"# Question\n{material}\n\n{words}"),
    )


def find(card: Card, asked, words: str, **cue) -> Traits:
    """Return the traits of a card under a prompt with these words."""
    request = replace(asked(comparison_of(), **cue), messages=prompt(words))
    return Temper(card).find_traits(request)[0]


def test_reactions_add_up_and_some_need_or_avoid_others(asked):
    """Every reaction that applies counts once; one that needs another counts only beside it."""
    card = reacting(
        Reaction(pattern="one by one", trait="ability", add=0.3),
        Reaction(pattern="compare", needs="one by one", trait="ability", add=0.2),
        Reaction(pattern="check", unless="guess", trait="ability", add=0.1),
        Reaction(form="schema_reasons_score", trait="ability", add=0.05),
        ability=1.0,
    )
    expected = {
        "Judge.": 1.0,
        "Judge One  by\none, one by one.": 1.3,
        "Compare.": 1.0,
        "Compare one by one.": 1.5,
        "Check one by one.": 1.4,
        "Check or guess one by one.": 1.3,
    }
    for words, ability in expected.items():
        assert find(card, asked, words).ability == pytest.approx(ability)
    assert find(card, asked, "Judge.", reply="schema_reasons_score").ability == pytest.approx(1.05)


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.floats(-1e3, 1e3).filter(bool)), min_size=1, max_size=8
    )
)
def test_traits_stay_in_their_range(added):
    """Whatever is added, the traits are those of a card that could be written."""
    reactions = [Reaction(pattern="x", trait=trait, add=add) for trait, add in added]
    traits = add_reactions(Traits(), reactions)
    assert Temper(reacting(**asdict(traits))).traits == traits
    for name in set(NAMES) - {trait for trait, _ in added}:
        if not name.endswith(("_error", "_rate")):
            assert getattr(traits, name) == getattr(Traits(), name)


def test_a_trait_goes_to_the_nearest_value_in_its_range():
    """Abilities below 0 are 0, shares above 1 are 1, and shares together are at most 1."""
    low = clamp_traits(asdict(Traits()) | {"ability": -1.0, "length": 3.0, "persuasiveness": 0.8})
    assert (low.ability, low.length, low.persuasiveness) == (0.0, 20.0, 1.0)
    shares = clamp_traits(asdict(Traits()) | {"unreadable_rate": 2.0, "refusal_rate": 1.0})
    assert (shares.unreadable_rate, shares.refusal_rate) == (0.5, 0.5)


@pytest.mark.parametrize("fence", ["lines", "marks"])
def test_material_with_the_pattern_changes_no_verdict(fence, asked):
    """Only the words of pack and role count: a pattern in question, answers and replies does nothing."""
    reaction = Reaction(pattern="step by step", trait="ability", add=-5.0)
    card = reacting(reaction, ability=5.0, wording_error=0.2)
    pack = replace(Shelf().prompts("long_form"), fence=fence)

    def find_of(text: str, role: str) -> tuple[Traits, str]:
        plain = comparison_of()
        comparison = replace(
            plain,
            question=replace(plain.question, text=text),
            answers=tuple(replace(answer, text=text) for answer in plain.answers),
        )
        request = asked(comparison, task="review")
        seats = (request.seat,)
        messages = render(
            pack, seats=seats, comparison=comparison, turns=(), cue=request.cue, role=role
        )
        return Temper(card).find_traits(replace(request, messages=messages))

    usual = find_of("Some text.", "Judge.")
    assert usual[0].ability == 5.0
    assert find_of("step by step\nStep by step", "Judge.") == usual
    assert find_of("Some text.", "Judge step by step.")[0].ability == 0.0


async def test_an_error_of_the_wording_leaves_accuracy_and_parts_wordings(asked, many):
    """Two neutral wordings are about equally right and disagree on some items; each repeats itself."""
    traits = {"ability": 1.0, "shared_error": 0.3, "copy_error": 0.1, "wording_error": 0.3}
    judge = SimulatedReviewer(reacting(**traits), seed=3)

    async def verdicts(words: str) -> list[Verdict]:
        return [
            read_verdict(await judge.speak(request), request)
            for comparison in many(ITEMS)
            for request in [replace(asked(comparison), messages=prompt(words))]
        ]

    gold = [comparison.gold for comparison in many(ITEMS)]
    first, second = await verdicts("Judge."), await verdicts("Decide.")
    assert first == await verdicts("Judge.")
    assert ITEMS / 15 < sum(a != b for a, b in zip(first, second, strict=True)) < ITEMS / 3
    wanted = expect_accuracy(Traits(**traits))
    assert wanted == pytest.approx(expect_accuracy(Traits(ability=1.0)))
    for found in (first, second):
        right = sum(a == b for a, b in zip(found, gold, strict=True)) / ITEMS
        assert right == pytest.approx(wanted, abs=4 * 0.5 / math.sqrt(ITEMS))


async def test_a_planted_reaction_raises_accuracy(asked, many):
    """A wording with a good reaction judges as well as the raised ability says."""
    card = reacting(Reaction(pattern="carefully", trait="ability", add=0.7), ability=0.5)
    judge = SimulatedReviewer(card, seed=2)
    for words, ability in (("Judge.", 0.5), ("Judge carefully.", 1.2)):
        right = 0
        for comparison in many(ITEMS):
            request = replace(asked(comparison), messages=prompt(words))
            right += read_verdict(await judge.speak(request), request) == comparison.gold
        wanted = expect_accuracy(Traits(ability=ability))
        assert right / ITEMS == pytest.approx(wanted, abs=4 * 0.5 / math.sqrt(ITEMS))


async def test_cards_without_reactions_do_not_depend_on_their_prompt(asked):
    """Without reactions and error of the wording a reply is the same under any words."""
    judge = SimulatedReviewer(reacting(ability=1.0), seed=2)
    request = asked(comparison_of())
    one, other = [
        await judge.speak(replace(request, messages=prompt(words)))
        for words in ("Judge.", "Judge step by step.")
    ]
    assert one.text == other.text


@pytest.mark.parametrize(
    ("reaction", "sentence"),
    [
        (Reaction(pattern="x", trait="abilty", add=1), "did you mean 'ability'"),
        (Reaction(pattern="x", trait="colour", add=1), "choose one of ability"),
        (Reaction(pattern="x", trait="ability", add=0), "other than 0"),
        (Reaction(pattern="x", trait="ability", add=math.inf), "other than 0"),
        (Reaction(trait="ability", add=1), "without a pattern or a form"),
        (Reaction(pattern="(x", trait="ability", add=1), "no regular expression"),
        (Reaction(pattern="x", needs="*", trait="ability", add=1), "needs = '\\*'"),
        (Reaction(pattern="x*", trait="ability", add=1), "every text has"),
    ],
)
def test_impossible_reactions_are_refused(reaction, sentence):
    """A reaction that cannot work raises an error that names the card and the fix."""
    with pytest.raises(CardError, match=sentence) as refused:
        SimulatedReviewer(reacting(reaction), seed=1)
    assert "sim_test" in str(refused.value)


TRAITS = "[traits]\nability = 1.0\n"
RESPONDS = '[[responds]]\npattern = "x"\ntrait = "ability"\nadd = 1\n'


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        (TRAITS + RESPONDS + "nedds = 'x'\n", "[[responds]] nedds; did you mean 'needs'?"),
        (TRAITS + RESPONDS.replace("add = 1", "add = 'x'"), "a number for [[responds]] add"),
        (TRAITS + RESPONDS.replace("add = 1", ""), "needs add in every [[responds]]"),
        (TRAITS + RESPONDS.replace("[[responds]]", "[responds]"), "one or more tables"),
        ('source = "vicuna80:data"\n' + RESPONDS, "only simulated reviewers have reactions"),
    ],
)
def test_files_with_wrong_reactions_are_refused(text, fragment):
    """An unknown key, a wrong type and a card of another kind get one clear sentence."""
    with pytest.raises(CardError) as refused:
        read_card("one", text)
    assert fragment in str(refused.value)


def test_reactions_are_part_of_the_identity_of_a_card():
    """Cards that react otherwise reply otherwise, so they share no cached reply."""
    plain, one = read_card("one", TRAITS), read_card("one", TRAITS + RESPONDS)
    other = read_card("one", TRAITS + RESPONDS.replace("add = 1", "add = 2"))
    assert one.responds == (Reaction(pattern="x", trait="ability", add=1.0),)
    assert len({card_identity(card) for card in (plain, one, other)}) == 3


async def test_bare_verdicts_have_log_probabilities_where_they_are_wanted(asked, many):
    """The chosen answer is the likeliest, a larger ability is surer, and none is given unasked."""
    sure: dict[float, float] = {}
    for ability in (0.0, 4.0):
        judge = SimulatedReviewer(reacting(ability=ability), seed=5)
        highest = []
        for comparison in many(40):
            request = asked(comparison, task="review", logprobs=True)
            said = await judge.speak(request)
            assert "".join(token.token for token in said.logprobs) == said.text
            found = verdict_probabilities(said.logprobs, answers=2, ties=False)
            assert sum(found) == pytest.approx(1)
            assert found.index(max(found)) == "ab".index(said.text[-2])
            highest.append(max(found))
            unasked = await judge.speak(asked(comparison, task="review"))
            assert (unasked.text, unasked.logprobs) == (said.text, None)
        sure[ability] = sum(highest) / len(highest)
    assert 0.6 < sure[0.0] < sure[4.0] - 0.03
