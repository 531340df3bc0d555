"""Documentation of the columns of all frames, and turns as columns without their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from peerjudge.analysis.assembling import drop_texts
from peerjudge.analysis.probabilities import find_turn_probability
from peerjudge.data import Transcript, Turn, replace

_PLACE = {
    "discussion": "id of the discussion",
    "condition": "the experiment's name for this protocol with these seats",
    "comparison": "id of the compared answers, the same in every shown order",
}

FRAMES: Mapping[str, Mapping[str, str]] = {
    "discussions": {
        **_PLACE,
        "protocol": "name of the protocol",
        "prompts": "name of the prompt pack",
        "question": "id of the question",
        "category": "the question's category, empty without",
        "subset": "the benchmark's own division, empty without",
        "shown": "answer ids in the shown order, separated by spaces",
        "gold": "the gold: an answer id or `tie`; missing where it is not known",
        "repetition": "which repetition of the same discussion, from 0",
        "seats": "how many seats",
        "reviewers": "reviewers in the order of the seats, separated by spaces",
        "leader": "the reviewer in the first seat",
        "stop": "`complete`, `failed`; missing while it is unfinished",
        "outcome": "of the concluded verdict: choice, tie, inconsistent, unreadable, refused",
        "choice": "the chosen answer's id; missing without a choice",
        "correct": "whether the concluded verdict is gold's; missing where either is not readable",
        "chose_first": "whether the first-shown answer was chosen; missing without a choice",
        "turns": "how many turns it has so far",
    },
    "turns": {
        **_PLACE,
        "turn": "index of the turn in its discussion, from 0",
        "seat": "id of the seat that spoke",
        "reviewer": "reviewer in that seat",
        "role": "judge, leader, follower, panelist, or a role that the protocol declares",
        "temperature": "of the seat; missing where the provider's or agent's own was left",
        "task": "part of the prompt pack",
        "private": "whether the seat had not yet heard another",
        "expects": "text, verdict or rating",
        "outcome": "of the verdict read from it; missing where none was asked for",
        "choice": "the chosen answer's id; missing without a choice",
        "probability": "of the choice, from log-probabilities; missing without these",
        "score": "the rating read from it; missing without",
        "confidence": "of a person, from 0 to 100; missing without",
        "rule": "the reading rule that applied",
        "correct": "whether the verdict is gold's; missing where either is not readable",
        "chose_first": "whether it chose the answer it was shown first; missing without a choice",
        "characters": "length of the reply in characters",
        "simulated": "true if no real model spoke",
    },
    "calls": {
        **_PLACE,
        "turn": "index of the turn that was paid for, from 0",
        "reviewer": "reviewer that spoke",
        "model": "the model that answered, as the server named it",
        "prompt_tokens": "tokens of the prompt; 0 for a reply without tokens, as of people and own code",
        "completion_tokens": "tokens of the reply",
        "thinking_tokens": "of these, the tokens of the model's thinking",
        "estimated": "whether the tokens were counted here and not by the server",
        "latency": "seconds until the reply arrived",
        "attempts": "number of attempts until it answered",
        "cached": "whether an earlier call had paid for it",
        "finish_reason": "why the reply ended",
        "simulated": "true if no real model spoke",
    },
    "events": {
        **_PLACE,
        "turn": "index of the turn with the verdict",
        "seat": "id of the seat",
        "reviewer": "reviewer in that seat",
        "role": "judge, leader, follower, panelist, or a role that the protocol declares",
        "kind": "held, altered, shifted, agreed or altered_after_agreement",
        "before": "the stance before: an answer id or `tie`",
        "after": "the stance now",
        "others": "the stance heard",
        "heard": "ids of the seats whose words were new, separated by spaces",
        "gold": "towards, away or neither, seen from gold; missing where nothing moved",
        "majority": "the same, seen from the majority of the private stances",
        "first": "the same, seen from the first-shown answer",
        "control": "what was heard in place of the others' arguments: none, placebo, irrelevant, swapped",
    },
    "battles": {
        "question": "id of the question",
        "reviewer": "reviewer that judged",
        "first": "the contestant whose answer was shown first",
        "second": "the contestant whose answer was shown second",
        "score": "-1 the first won, 0 tie, +1 the second won; missing where it was not readable",
    },
    "ballots": {
        "question": "id of the question",
        "category": "the question's category, empty without",
        "comparison": "id of the compared answers",
        "subset": "the benchmark's own division, empty without",
        "answers": "ids of the answers in the dataset's order, of a run in the order of the ids; a tuple",
        "authors": "authors of these answers",
        "lengths": "their lengths in characters; 0 where texts are not known",
        "markdown": "their numbers of headers, items of lists and words in bold",
        "gold": "the gold: an answer id or `tie`; missing where it is not known",
        "meta": "other values of the source",
        "reviewer": "reviewer; missing for the conclusion of several seats",
        "contestant": "author name of the reviewer's own answers where it is not the reviewer's name",
        "human": "true if the reviewer is a person",
        "simulated": "true if no real model gave the verdict; of a conclusion, if none spoke in some turn",
        "shown": "ids of the answers in the order in which the reviewer saw them",
        "verdict": "an answer id, tie, inconsistent, unreadable or refused",
        "probabilities": "of the `answers`, in their order; missing without log-probabilities",
        "rating": "of a lone answer; missing without",
        "usd": "price of a conclusion with all its calls, or of an opening verdict with its private ones, as "
        "if each were paid for [USD]; missing elsewhere, and where a price is not known",
        "aspect": "what was rated; missing without",
        "stage": "recorded, private, public or concluded",
        "opening": "whether it is the stance before the seat heard another one",
        "closing": "whether it is the stance at the end",
        "discussion": "id of the discussion; missing for recorded reviews, like all that follow",
        "condition": "condition of the run",
        "protocol": "name of the protocol",
        "control": "what was heard in place of the others' arguments",
        "setting": "prompt pack with all options but the control",
        "seats": "reviewer, role and temperature of each seat",
        "first_shown": "ids of the answers in the order of the discussion",
        "repetition": "which repetition of the same discussion, from 0",
        "turns": "number of turns of the discussion",
        "spoken": "number of its public turns",
        "speakers": "number of seats with a public turn",
        "alone": "number of seats with a private verdict",
        "agreed": "public turns until all seats agreed; -1 if they never did",
        "complete": "whether the discussion is complete",
        "failed": "whether it failed",
        "one_order": "whether every verdict was asked for in the order of the comparison",
        "seat": "number of the seat, from 0; -1 for a conclusion",
        "turn": "index of the turn; -1 for a conclusion",
        "round": "public turns up to this one; 0 in private",
        "event": "kind of opinion event, or the reason why there is none; missing where nothing was heard",
        "before": "the stance before",
        "others": "the stance heard",
        "opponents": "reviewers heard that held this stance",
        "gold_move": "towards, away or neither, seen from gold",
        "majority_move": "the same, seen from the majority of the private stances",
        "first_move": "the same, seen from the first-shown answer",
    },
    "weights": {
        "scheme": "equal, prd or damped; without prd where that does not settle",
        "reviewer": "reviewer with this weight",
        "weight": "the weights of a scheme sum to 1",
        "low": "lower bound from resampled questions; missing for equal weights",
        "high": "upper bound",
    },
}
"""The columns of every frame in their order, with their meaning."""


class TurnRow(NamedTuple):
    """A turn without its text.

    `head` is the number of its discussion among the heads; the other fields are those of `Turn`,
    `Cue`, `Utterance`, `Usage` and `Review` of the same names, except that `outcome` and `choice`
    are those of the verdict, `probability` is that of the choice, `first` is the first of the answers
    that the cue shows, `characters` is the length of the text, and `unset` whether the model does not take
    the temperature of its seat.
    """

    head: int
    turn: int
    seat: str
    task: str
    first: str | None
    private: bool
    expects: str
    outcome: str | None
    choice: str | None
    probability: float | None
    score: float | None
    confidence: int | None
    rule: str
    characters: int
    model: str
    finish_reason: str
    latency: float
    attempts: int
    cached: bool
    simulated: bool
    unset: bool
    prompt_tokens: int
    completion_tokens: int
    thinking_tokens: int
    estimated: bool


TurnColumns: TypeAlias = Mapping[str, Sequence[Any]]
"""Turns as columns of equal length, by the name of a field of `TurnRow`."""


def list_turns(head: int, transcript: Transcript) -> TurnColumns:
    """Return the turns of a discussion, which has the number `head` among the heads."""
    rows = [_row(head, turn) for turn in transcript.turns]
    if not rows:
        return dict.fromkeys(TurnRow._fields, ())
    return dict(zip(TurnRow._fields, zip(*rows, strict=True), strict=True))


def drop_turns(transcript: Transcript) -> Transcript:
    """Return the discussion without its turns and without the texts of question and answers."""
    return replace(transcript, turns=(), comparison=drop_texts(transcript.comparison))


def _row(head: int, turn: Turn) -> TurnRow:
    reply, verdict = turn.utterance, turn.review.verdict
    return TurnRow(
        head=head,
        turn=turn.index,
        seat=turn.cue.seat,
        task=turn.cue.task,
        first=turn.cue.sees[0] if turn.cue.sees else None,
        private=turn.cue.private,
        expects=turn.cue.expects.value,
        outcome=None if verdict is None else verdict.outcome.value,
        choice=None if verdict is None else verdict.choice,
        probability=find_turn_probability(turn),
        score=turn.review.score,
        confidence=reply.confidence,
        rule=turn.review.rule,
        characters=len(reply.text),
        model=reply.model,
        prompt_tokens=reply.usage.prompt_tokens,
        completion_tokens=reply.usage.completion_tokens,
        thinking_tokens=reply.usage.thinking_tokens,
        estimated=reply.usage.estimated,
        latency=reply.latency,
        attempts=reply.attempts,
        cached=reply.cached,
        finish_reason=reply.finish_reason,
        simulated=reply.simulated,
        unset="temperature" in reply.unset,
    )
