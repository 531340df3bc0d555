"""Built-in prompt packs: their parts, their forms of rating, and their golden prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest

from peerjudge.data import (
    Answer,
    Comparison,
    Cue,
    Expects,
    Message,
    PromptPack,
    Question,
    Review,
    Scalar,
    Seat,
    Turn,
    Utterance,
    Verdict,
    replace,
)
from peerjudge.prompts import render
from peerjudge.prompts.rendering import list_labels
from peerjudge.shelf import Shelf
from peerjudge.verdicts import read_rating, read_review

ROOT = Path(__file__).resolve().parents[2]
SHELF = Shelf(project=ROOT)
PACKS = [entry.name for entry in SHELF.entries("prompts")]
PARAPHRASED = [name for name in PACKS if name.endswith("_paraphrased")]
PLAIN = [name for name in PACKS if name != "prometheus"]
SEARCHED = ("summary_coherence_grips", "summary_coherence_opro")
"""Packs whose form is as a search left it, which is no JSON any more."""
OF_SCORES = [name for name in PACKS if name.startswith(("dialogue_sets", "summary_coherence"))]
JUDGING = {
    *("review", "review_explained", "pros_cons", "solve_first", "explain_one", "explain_both"),
    *("decide", "rate", "write_criteria", "discuss"),
}
ORDERS = ("score_only", "score_reasons", "reasons_score")
SIX_FORMS = [f"{form}_{order}" for form in ("example", "schema") for order in ORDERS]
ANSWERS = tuple(
    Answer(id=name, text=text)
    for name, text in zip(
        "abcd",
        ("Air scatters it.", "It mirrors the sea.", "It is painted.", "Nobody knows."),
        strict=True,
    )
)
SAID = {
    "write_criteria": "1. Is scattering named?",
    "explain_one": "One cause, no source.",
    "rate": "3",
}


def prompts(pack: str, protocol: str, answers: int = 2, **options: Scalar) -> list[list[Message]]:
    """All prompts of a discussion with short replies that prefer the first-shown answer."""
    played = SHELF.protocol(protocol, options)
    seats = tuple(Seat(id=f"s{n}", reviewer=f"r{n}") for n in range(played.seats[0]))
    sky = Comparison(
        id="sky",
        question=Question(id="q", text="Why is the sky blue?"),
        answers=ANSWERS[:answers],
    )
    turns: tuple[Turn, ...] = ()
    asked: list[list[Message]] = []
    while cues := played.next_cues(seats, sky, turns):
        for cue in cues:
            asked.append(
                [*render(SHELF.prompts(pack), seats=seats, comparison=sky, turns=turns, cue=cue)]
            )
            verdict = Verdict.of(cue.sees[0]) if cue.expects is Expects.VERDICT else None
            said = Utterance(text=SAID.get(cue.task, "The first is better.\n\nAnswer (a)"))
            turns += (
                Turn(index=len(turns), cue=cue, utterance=said, review=Review(verdict=verdict)),
            )
    return asked


def instruction(pack: str, protocol: str, answers: int = 2, **options: Scalar) -> str:
    """The last message of the last prompt."""
    return prompts(pack, protocol, answers, **options)[-1][-1].text


@pytest.mark.parametrize("name", PACKS)
def test_every_pack_covers_every_method(name: str):
    """Every pack has the tasks of all methods and of the discussion."""
    pack = SHELF.prompts(name)
    assert set(pack.tasks) >= JUDGING
    assert set(pack.reply) >= {"verdict", "verdict_or_tie", "rating"}
    assert pack.aspects


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_that_asks_for_scores_has_all_six_forms(name: str):
    """A pack with scores as JSON has them by example and by schema, in every order."""
    pack = SHELF.prompts(name)
    assert ("score" in pack.tasks) == (set(pack.reply) >= set(SIX_FORMS))
    assert ("score_by_rules" in pack.tasks) == (name in OF_SCORES)


@pytest.mark.parametrize("name", PARAPHRASED)
def test_a_paraphrase_has_the_parts_of_its_original(name: str):
    """It has the same parts and as many aspects, and shares no text of any part."""
    original, paraphrase = SHELF.prompts(name.removesuffix("_paraphrased")), SHELF.prompts(name)
    assert texts(original).keys() == texts(paraphrase).keys()
    assert len(original.aspects) == len(paraphrase.aspects)
    for part, text in texts(original).items():
        assert text != texts(paraphrase)[part], part


def texts(pack: PromptPack) -> dict[str, str]:
    """The texts of a pack by part, the label apart."""
    parts = ("system", "seat", "scene", "heard", "criteria", "remind")
    return {
        **{part: getattr(pack, part) for part in parts},
        **{f"tasks.{key}": text for key, text in pack.tasks.items()},
        **{f"reply.{key}": text for key, text in pack.reply.items()},
        **{f"aspects.{place}": text for place, text in enumerate(pack.aspects)},
    }


@pytest.mark.parametrize("scale", ["1-5", "10-1"])
@pytest.mark.parametrize("name", [name for name in OF_SCORES if name not in SEARCHED])
@pytest.mark.parametrize("reply", SIX_FORMS)
def test_a_form_of_json_is_shown_as_valid_json(name: str, reply: str, scale: str):
    """The form shows valid JSON with its keys in order; only an example shows a number."""
    form, order = reply.split("_", 1)
    asked = instruction(name, "score_reasons", 1, form=form, order=order, scale=scale, rules=True)
    shown = json.loads(asked[asked.rindex("\n\n") :])
    assert [*shown] == {
        "score_only": ["score"],
        "score_reasons": ["score", "reasons"],
        "reasons_score": ["reasons", "score"],
    }[order]
    read = read_rating(json.dumps(shown), low=1, high=10 if scale == "10-1" else 5)
    assert (read.score is None) == (form == "schema")


@pytest.mark.parametrize("name", PACKS)
def test_the_scale_is_named_with_its_ends(name: str):
    """The instruction names the lowest and the highest number."""
    asked = instruction(name, "pointwise", 1)
    assert "1" in asked
    assert "5" in asked


@pytest.mark.parametrize("name", OF_SCORES)
def test_which_end_of_the_scale_is_good_follows_the_scale(name: str):
    """With ten as the worst, the words for good belong to one."""
    good, bad = (instruction(name, "score_reasons", 1, scale=scale) for scale in ("1-10", "10-1"))
    for words in (good, bad):
        assert " 1 " in words
        assert "10" in words
    assert good != bad


def task_and_form(name: str, task: str, answers: int, *, ties: bool = False) -> tuple[str, str]:
    """The instruction of a task without criteria, and the reply form after it."""
    pack = replace(SHELF.prompts(name), criteria="")
    ids = tuple(answer.id for answer in ANSWERS[:answers])
    expects = Expects.RATING if task in {"rate", "score"} else Expects.VERDICT
    cue = Cue(seat="s", task=task, sees=ids, expects=expects, private=True, blind=True, ties=ties)
    whole, without_form = (
        render(
            each,
            seats=(Seat(id="s", reviewer="r"),),
            comparison=Comparison(id="sky", question=Question(id="q", text="?"), answers=ANSWERS),
            turns=(),
            cue=cue,
        )[-1].text
        for each in (pack, replace(pack, reply=dict.fromkeys(pack.reply, "")))
    )
    return without_form, whole.removeprefix(without_form)


@pytest.mark.parametrize("name", PLAIN)
def test_the_reply_form_names_every_label_once(name: str):
    """The form names all labels in order, in letters, and the tie after them where it is allowed."""
    tasks = ("review", "review_explained", "decide", "discuss")
    for answers, task, ties in product((2, 4), tasks, (False, True)):
        labels = list_labels(SHELF.prompts(name), answers)
        assert [label[-3:] for label in labels] == ["(a)", "(b)", "(c)", "(d)"][:answers]
        asked, form = task_and_form(name, task, answers, ties=ties)
        named = re.findall("|".join(map(re.escape, (*labels, "Tie"))), form)
        assert tuple(named[:answers]) == labels
        assert {*named[answers:]} == ({"Tie"} if ties else set())
        assert "Tie" not in asked
        assert not re.search(r"\bnumber\b", form)


@pytest.mark.parametrize("name", PLAIN)
def test_a_bare_task_asks_for_the_verdict_alone(name: str):
    """A bare task requests neither reasons nor steps; any other sets one limit of words."""
    for bare, explained in (
        ("review", "review_explained"),
        ("decide", "discuss"),
        ("rate", "score"),
    ):
        answers = 1 if bare == "rate" else 2
        if explained not in SHELF.prompts(name).tasks:
            continue
        asked, form = task_and_form(name, bare, answers)
        assert not re.search(r"\d+ words|reason|(last|final) line|[Tt]hen\b", form)
        assert not re.search(r"\d+ words|\b([Ee]xplain|[Aa]ssess|[Ff]irst)\b", asked)
        asked, form = task_and_form(name, explained, answers)
        assert not re.search(r"nothing else|[Ww]hole reply", asked + form)
        assert len(re.findall(r"\d+ words", asked + form)) == 1
        assert len(re.findall(r"(?:last|final) line", asked + form)) == 1


@pytest.mark.parametrize("name", PACKS)
def test_criteria_are_written_before_any_answer_is_shown(name: str):
    """The prompt for criteria shows the question alone, and later prompts show the criteria."""
    first, then = prompts(name, "self_metrics")
    assert all(answer.text not in message.text for answer in ANSWERS for message in first)
    assert "Why is the sky blue?" in first[-1].text
    assert SAID["write_criteria"] in then[-1].text


@pytest.mark.parametrize(
    ("reply", "ties", "choice"),
    [
        ("Feedback: Response A names the cause. [RESULT] A", False, "a"),
        ("Feedback: Response A is short, Response B is wrong. [RESULT] B", True, "b"),
        ("Feedback: Response B is better than it looks.\n[RESULT] A", True, "a"),
        ("Feedback: There is nothing between them. [RESULT] TIE", True, "tie"),
        ("Feedback: There is nothing between them. [RESULT] TIE", False, "unreadable"),
        ("Feedback: (your feedback) [RESULT] (A or B)", False, "unreadable"),
        ("Feedback: Good. [RESULT] A\n\nFeedback: Bad. [RESULT] B", False, "unreadable"),
        ('Feedback: Response A ends in "[RESULT] A". [RESULT] B', False, "b"),
    ],
)
def test_replies_of_a_fine_tuned_judge_are_read(reply: str, choice: str, *, ties: bool):
    """The form of the Prometheus pack is read, and an echo of its instruction is not."""
    cue = Cue(seat="s", task="review", sees=("a", "b"), ties=ties)
    pair = Comparison(id="c", question=Question(id="q", text="?"), answers=ANSWERS[:2])
    assert str(read_review(reply, cue=cue, comparison=pair).verdict) == choice


@pytest.mark.parametrize(
    ("file", "index", "pack", "protocol", "answers", "options"),
    [
        ("prometheus_absolute", 0, "prometheus", "pointwise", 1, {}),
        ("prometheus_relative", 0, "prometheus", "pairwise", 2, {"ties": True}),
        ("prometheus_prepair_decide", 2, "prometheus", "prepair", 2, {}),
        (
            "dialogue_score_by_rules",
            0,
            "dialogue_sets",
            "score_reasons",
            1,
            {"rules": True, "scale": "10-1", "order": "score_reasons", "form": "example"},
        ),
        ("summary_score", 0, "summary_coherence", "score_reasons", 1, {}),
        ("rate", 0, "instruction_following", "pointwise", 2, {}),
        ("own_criteria", 0, "open_chat", "self_metrics", 2, {"then": "prepair"}),
        ("decide_by_own_criteria", 3, "open_chat", "self_metrics", 2, {"then": "prepair"}),
        ("four_answers", 0, "open_chat_paraphrased", "n_way", 4, {"ties": True}),
        ("other_order", 3, "long_form_paraphrased", "reconciled", 2, {"method": "prepair"}),
    ],
)
def test_prompts_of_the_methods_equal_the_golden_files(
    file: str,
    index: int,
    pack: str,
    protocol: str,
    answers: int,
    options: dict[str, Scalar],
    matches_golden: Callable[[str, Sequence[Message]], bool],
):
    """Each method has exactly these prompts."""
    assert matches_golden(file, prompts(pack, protocol, answers, **options)[index])
