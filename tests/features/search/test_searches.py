"""Whole searches on landscapes with planted edits: what they find, ask for, and repeat."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import content_hash, from_plain, replace, to_plain
from peerjudge.data.texts import TextReply
from peerjudge.errors import DataError
from peerjudge.features.search.nouns import (
    Candidate,
    Evaluate,
    Evaluated,
    Exemplar,
    History,
    Propose,
    Proposed,
    SearchOptions,
    Target,
)
from peerjudge.features.search.replay import next_step, read_state
from peerjudge.features.search.stand_ins import (
    PROPOSER_REPLIES,
    ScriptedProposer,
    answer_step,
    play_search,
)

REVIEW = """
{{ criteria }}

# Task
Read both answers quickly. Prefer the longer answer.
Decide which answer is better: {{ labels[0] }} or {{ labels[1] }}.
"""
"""A task with a harmful sentence; without it judges do better."""
TASK = Target(name="pack:tasks.review", text=REVIEW)
ROLE = Target(name="role:judge", text="You are a kind judge.", form="plain")
QUESTIONS = tuple(f"q{number}" for number in range(40))


def options_of(method: str = "grips", **given) -> SearchOptions:
    """A search of the review task, and whatever is given."""
    given = {"targets": (TASK,), "questions": QUESTIONS, **given}
    return SearchOptions(method=method, **given)


def luck(*parts: str) -> float:
    """A number from 0 to 1 that depends on these texts only."""
    return int(content_hash(*parts)[:8], 16) / 16**8


def planted(candidate: Candidate, question: str) -> float:
    """Right (1) with a probability that the wording decides, by luck that all candidates share in part."""
    text = " ".join(candidate.texts.values())
    ability = 0.5 + 0.25 * ("longer answer" not in text) + 0.2 * ("Check each fact." in text)
    own = luck(question, candidate.id) if luck(question, "noisy") < 0.2 else luck(question)
    return float(own < ability)


def play(options: SearchOptions, draw: int, **given) -> History:
    """The records of a whole search."""
    return play_search(options, draw=draw, score=planted, **given)


def best_of(options: SearchOptions, draw: int, **given) -> str:
    """The review task of the candidate that a search ends with."""
    state = read_state(play(options, draw, **given), options, draw)
    (best,) = (one for one in state.candidates if one.id == state.incumbent)
    return best.texts[TASK.name]


def test_grips_finds_a_harmful_phrase():
    """In most searches the text that GRIPS ends with is without the planted harmful phrase."""
    options = options_of(paraphrase=False)
    assert sum("longer answer" not in best_of(options, draw) for draw in range(7)) >= 5


def test_opro_keeps_a_good_sentence_of_the_proposer():
    """The sentence that the proposer adds now and then, and that helps, is in the best text."""
    options = options_of("opro", steps=6, patience=0)
    additions = ("Be polite.", "Look twice.", "Check each fact.")
    proposer = ScriptedProposer(script=("good", "good", "empty"), additions=additions)
    found = [best_of(options, draw, proposer=proposer) for draw in range(7)]
    assert sum("Check each fact." in text for text in found) >= 6


def test_given_texts_are_played_first():
    """A user's own text starts the search where it is better than the base; a bad one is named."""
    given = tuple(Target(name=ROLE.name, text=text) for text in ("Check each fact.", "", ROLE.text))
    options = options_of(targets=(ROLE,), given=given, steps=1, paraphrase=False)
    state = read_state(play(options, 1), options, 1)
    origins = [(one.origin, one.why) for one in state.candidates[:3]]
    assert origins == [("base", ""), ("given", ""), ("given", "the text is empty")]
    assert state.path[1] == state.candidates[1].id
    wrong = options_of(given=(ROLE,))
    with pytest.raises(
        DataError, match=r"'role:judge', which is no target; the targets are pack:tasks\.review"
    ):
        play(wrong, 1)


SEARCHES = st.builds(
    options_of,
    st.sampled_from(["grips", "opro"]),
    targets=st.sampled_from([(TASK,), (ROLE,), (TASK, ROLE)]),
    questions=st.sampled_from([QUESTIONS, QUESTIONS[:7]]),
    steps=st.integers(1, 4),
    candidates=st.integers(1, 5),
    patience=st.integers(0, 2),
    level=st.sampled_from(["words", "phrases", "sentences"]),
    protect=st.booleans(),
    every_occurrence=st.booleans(),
    halving=st.sampled_from([(1.0,), (0.25, 0.5, 1.0)]),
)


@settings(max_examples=20)
@given(SEARCHES, st.integers(-5, 10**6))
def test_a_killed_search_continues_where_its_records_end(options: SearchOptions, draw: int):
    """From any number of kept records, also after a round trip through JSON, the rest is the same."""
    whole = play(options, draw)
    assert play(options, draw) == whole
    for end in range(len(whole)):
        kept = from_plain(History, to_plain(whole[:end]))
        assert next_step(kept, options, draw) == next_step(whole[:end], options, draw)
    half = whole[: len(whole) // 2]
    assert play(options, draw, history=half) == whole
    assert next_step(whole, options, draw) is None
    assert read_state(whole, options, draw).finished


@settings(max_examples=20)
@given(SEARCHES, st.integers(0, 10**6))
def test_names_of_questions_do_not_matter(options: SearchOptions, draw: int):
    """With other ids for the same questions a search makes the same candidates and the same choice."""
    names = {
        question: f"other {9 * number % 41}" for number, question in enumerate(options.questions)
    }
    back = {name: question for question, name in names.items()}
    renamed = replace(options, questions=tuple(names.values()))
    one = read_state(play(options, draw), options, draw)
    history = play_search(
        renamed, draw=draw, score=lambda candidate, question: planted(candidate, back[question])
    )
    other = read_state(history, renamed, draw)
    assert other.candidates == one.candidates
    assert other.path == one.path


@settings(max_examples=25)
@given(SEARCHES, st.integers(0, 10**6))
def test_a_search_asks_for_questions_of_its_split_only(options: SearchOptions, draw: int):
    """Every question asked for is of the search split, no candidate gets one twice, none is invalid."""
    history: History = ()
    asked: set[tuple[str, str]] = set()
    proposer = ScriptedProposer()
    while (step := next_step(history, options, draw)) is not None:
        if isinstance(step, Evaluate):
            pairs = [(one.id, question) for one in step.candidates for question in step.questions]
            assert set(step.questions) <= set(options.questions)
            assert asked.isdisjoint(pairs)
            assert len(set(pairs)) == len(pairs) > 0
            assert all(one.valid for one in step.candidates)
            asked.update(pairs)
        else:
            assert len({request.id for request in step.requests}) == len(step.requests) > 0
        history = (*history, answer_step(step, score=planted, proposer=proposer))
    state = read_state(history, options, draw)
    assert len({one.id for one in state.candidates}) == len(state.candidates)
    assert state.steps <= options.steps


@pytest.mark.parametrize("kind", PROPOSER_REPLIES)
@pytest.mark.parametrize("method", ["grips", "opro"])
def test_bad_replies_are_not_paid_for(method: str, kind: str):
    """A reply of each kind is a candidate or is refused with a reason; nothing bad is evaluated."""
    options = options_of(method, steps=2, patience=0, candidates=6)
    history = play(options, 4, proposer=ScriptedProposer(script=(kind,)))
    state = read_state(history, options, 4)
    written = [one for one in state.candidates if one.origin in {"paraphrase", "opro"}]
    assert written
    if kind == "good":
        assert any(one.valid for one in written)
    elif method == "grips" and kind in {"expression lost", "too long"}:
        pass  # A part has no expression to lose, and forty of a short part are not too long.
    else:
        assert not any(one.valid for one in written)
        assert all(one.why and one.id not in state.scores for one in written)
    for one in state.candidates:
        assert ">>>" not in one.texts[TASK.name] or not one.valid


def test_an_invalid_paraphrase_gives_its_place_to_another_edit():
    """A useless proposer costs no place in a step: all candidates are made by rules."""
    options = options_of(steps=1)
    state = read_state(play(options, 4, proposer=ScriptedProposer(script=("empty",))), options, 4)
    assert sum(one.origin == "paraphrase" for one in state.candidates) >= 1
    assert sum(one.valid for one in state.candidates) == 1 + options.candidates


def test_opro_shows_the_search_split_only():
    """The meta-prompt has the items of the search split that it was given, and the tried texts."""
    exemplars = tuple(Exemplar(question=one, shown=f"item {one}", gold="1") for one in QUESTIONS)
    options = options_of("opro", steps=3, patience=0, exemplars=exemplars)
    history, shown = (), []
    while (step := next_step(history, options, 1)) is not None:
        if isinstance(step, Propose):
            text = step.requests[0].messages[1].text
            assert text.count("Right judgement:") == 3
            assert all(request.messages == step.requests[0].messages for request in step.requests)
            assert len({request.draw for request in step.requests}) == len(step.requests)
            shown.append(text)
        history = (*history, answer_step(step, score=planted, proposer=ScriptedProposer()))
    assert len(set(shown)) == len(shown) == 3
    assert shown[0].count(", score ") == 1 < shown[-1].count(", score ")


def test_the_entropy_of_predictions_can_decide():
    """With the weight of the GRIPS paper, even predictions are worth as much as a tenth of their nats."""
    options = options_of(steps=1, candidates=1, paraphrase=False, entropy=0.1, halving=(1.0,))
    base = next_step((), options, 1)
    even, same = {"1": 20, "2": 20}, {"1": 40}

    def answer(step, predictions, score):
        record = answer_step(step, score=lambda *_: score, proposer=ScriptedProposer())
        return Evaluated(
            results=tuple(replace(one, predictions=predictions) for one in record.results)
        )

    history = (answer(base, same, 0.55),)
    step = next_step(history, options, 1)
    state = read_state((*history, answer(step, even, 0.5)), options, 1)
    assert state.incumbent == step.candidates[0].id  # .5 + .1 ln 2 is above .55.
    plain = replace(options, entropy=0.0)
    assert (
        read_state((*history, answer(step, even, 0.5)), plain, 1).incumbent == base.candidates[0].id
    )


def test_deleted_texts_are_tracked_along_the_path():
    """A candidate holds what was deleted on its way and not added again."""
    options = options_of(paraphrase=False, steps=6, patience=0)
    for draw in range(3):
        state = read_state(play(options, draw), options, draw)
        by_id = {one.id: one for one in state.candidates}
        for one in state.candidates[1:]:
            before = by_id[one.parent].deleted.get(TASK.name, ())
            now = one.deleted.get(TASK.name, ())
            change = {"delete": 1, "add": -1, "swap": 0}[one.origin]
            assert len(now) - len(before) == change


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Proposed(replies=(TextReply(id="x"),)), r"answers \['Proposed'\], and step 0 asks for"),
        (Evaluated(results=()), r"answers \[\], and step 0 asks for"),
    ],
)
def test_a_record_of_another_step_is_refused(record, message: str):
    """A history that does not fit the options or the seed is named, not misread."""
    with pytest.raises(DataError, match=message):
        next_step((record,), options_of(), 1)


def test_scores_of_other_questions_are_refused():
    """Scores must be of the questions asked for, from 0 to 1; the base must have some."""
    options = options_of()
    step = next_step((), options, 1)
    good = answer_step(step, score=planted, proposer=ScriptedProposer()).results[0]
    for scores, message in (
        ({**good.scores, "other": 1.0}, "has those of"),
        ({"q0": 1.0}, "lacks the scores of"),
        ({**good.scores, "q0": 1.5}, "scores 'q0' 1.5; scores are from 0 to 1"),
    ):
        with pytest.raises(DataError, match=message):
            next_step((Evaluated(results=(replace(good, scores=scores),)),), options, 1)
    refused = replace(good, scores={}, refused="lacks a part")
    with pytest.raises(DataError, match="the base cannot be played: lacks a part"):
        next_step((Evaluated(results=(refused,)),), options, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"questions": ()}, "needs questions"),
        ({"targets": (TASK, TASK)}, "each target once"),
        ({"targets": ()}, "a search needs targets"),
        ({"halving": (0.5,)}, "end at 1"),
        ({"candidates": 0}, "candidates of a search is at least 1, not 0"),
        ({"longest": 0.5}, "longest >= 1"),
    ],
)
def test_impossible_options_are_refused(given, message: str):
    """Nothing is spent on a search that cannot be."""
    with pytest.raises(DataError, match=message):
        options_of(**given)
