"""Further calls of a turn whose words state no choice or rating: to its reviewer, and to a second model.

The reviewer is asked once for it, below its own reply. A second model, if there is one, reads which
verdict the words state. A call that fails is repeated by the next run.
"""

from __future__ import annotations

from peerjudge.data import (
    ASK_TASK,
    EXPLANATIONS,
    REFUSED,
    UNREADABLE,
    Comparison,
    Cue,
    Expects,
    Failure,
    PromptPack,
    Request,
    Review,
    Seat,
    Transcript,
    Turn,
    Utterance,
    content_hash,
    replace,
    split_turns,
)
from peerjudge.data.cleaning import is_blank
from peerjudge.engine.cues import RequestBuilder
from peerjudge.engine.interfaces import DiscussionSetup, Journal, Reviewer
from peerjudge.engine.reading import read_choice, read_second
from peerjudge.engine.speaking import speak
from peerjudge.prompts import ask_choice, render_rereading
from peerjudge.verdicts import ASKING_FAILED, CUT_OFF, REREAD_FAILED

_REREAD_TASK = "reread"
FOLLOWING_TASKS = frozenset({ASK_TASK, _REREAD_TASK})
"""Tasks of further calls, which are made when the reply of their turn is there."""


def has_failed_rereading(transcript: Transcript) -> bool:
    """Return whether a further call of the discussion failed, so that it can be repeated."""
    return any(map(_has_failed, (*transcript.turns, *transcript.ahead)))


def _has_failed(turn: Turn) -> bool:
    return turn.review.rule.startswith((REREAD_FAILED, ASKING_FAILED))


async def repeat_rereadings(
    transcript: Transcript, *, setup: DiscussionSetup, journal: Journal
) -> Transcript:
    """Return the discussion with its failed further calls repeated; the turns after them stay.

    Args:
        transcript: The discussion, with the turns it has so far.
        setup: The reviewers, prompt pack and roles of the discussion.
        journal: Saves each turn that was read now.

    Raises:
        StoreError: A call could not be booked, or a turn could not be saved.
    """
    if not has_failed_rereading(transcript):
        return transcript
    said = {turn.index: turn for turn in (*transcript.turns, *transcript.ahead)}
    cues = {index: turn.cue for index, turn in said.items()}
    requests = RequestBuilder(transcript, pack=setup.pack, roles=setup.roles)
    for turn in filter(_has_failed, tuple(said.values())):
        request = requests.build(turn.index, cues, said)
        said[turn.index] = again = await follow_up(turn, transcript, request, setup=setup)
        await journal.reread(transcript, again)
    dense, ahead = split_turns(tuple(said.values()))
    return replace(transcript, turns=dense, ahead=ahead)


async def follow_up(
    turn: Turn, transcript: Transcript, request: Request, *, setup: DiscussionSetup
) -> Turn:
    """Return the turn after the further calls that it needs; `request` is that of its reply.

    Raises:
        StoreError: A call could not be booked.
    """
    if needs_choice(turn, transcript, request):
        turn = await ask(turn, request, reviewer=setup.reviewers[turn.cue.seat])
        if turn.review.rule.startswith(ASKING_FAILED):
            return turn
    if (second := transcript.reread) is not None and needs_rereading(turn):
        reviewer = setup.reviewers[second.id]
        turn = await reread(turn, transcript, second, reviewer=reviewer, pack=setup.pack)
    return turn


def needs_choice(turn: Turn, transcript: Transcript, request: Request) -> bool:
    """Return whether the reviewer of a turn is to be asked for its choice or rating.

    With the form `two_step` it always is, unless it declined. With any other form it is asked if its words
    are neither cut nor a refusal and state none. Simulated words are not worth a call.
    """
    said, read = turn.utterance, turn.review
    if turn.cue.expects is Expects.TEXT or said.simulated or is_blank(said.text):
        return False
    if turn.asked is not None or read.verdict == REFUSED:
        return False
    if request.form == "two_step" and not request.bare:
        return True
    return bool(transcript.reask) and _states_nothing(read) and read.rule != CUT_OFF


def _states_nothing(read: Review) -> bool:
    return read.score is None and read.verdict in (None, UNREADABLE)


def request_choice(said: Utterance, request: Request) -> Request:
    """Return the request for the choice or rating behind a reply: the prompt, the reply, the question.

    Where a schema bound the reply, one binds the answer too: small models repeat their JSON otherwise.
    """
    cue = replace(request.cue, task=ASK_TASK)
    planned = request.form == "two_step"
    bound = request.form == "schema" and "form" not in said.unset
    shown = request.messages
    if request.in_prose is not None and not bound:
        shown = request.in_prose()
    return replace(
        request,
        cue=cue,
        messages=ask_choice(shown, said.text, cue, request.choices, named=planned),
        drawn=lambda: content_hash(ASK_TASK, request.draw, said.text),
        lay_out=None,
        form=request.form if planned or bound else "line",
        keys=tuple(key for key in request.keys if key not in EXPLANATIONS),
        in_prose=None,
    )


async def ask(turn: Turn, request: Request, *, reviewer: Reviewer) -> Turn:
    """Return the turn with the choice or rating that its reviewer states when asked, and the reply.

    If the call fails, the turn stays unreadable and its rule says so.

    Raises:
        StoreError: The call could not be booked.
    """
    asked = request_choice(turn.utterance, request)
    said = await speak(reviewer, asked, failed="asking for the choice failed, it stays unreadable")
    if isinstance(said, Failure):
        lost = UNREADABLE if turn.cue.expects is Expects.VERDICT else None
        return replace(turn, review=Review(verdict=lost, rule=f"{ASKING_FAILED}: {said.kind}"))
    if is_blank(said.text):  # A record has no answer to a question.
        return turn
    return replace(turn, review=read_asked(turn, said, request.comparison), asked=said)


def read_asked(turn: Turn, said: Utterance, comparison: Comparison) -> Review:
    """Return the review of a turn whose reviewer was asked; its words count if the answer states nothing."""
    named = read_choice(said, cue=turn.cue, comparison=comparison)
    return turn.review if _states_nothing(named) else named


def needs_rereading(turn: Turn) -> bool:
    """Return whether a second model may find a verdict that no rule found.

    A reply that was cut off before its verdict states none. Simulated words are not worth a call.
    """
    said, read = turn.utterance, turn.review
    return (
        turn.cue.expects is Expects.VERDICT
        and read.verdict == UNREADABLE
        and read.rule != CUT_OFF
        and not said.simulated
        and not is_blank(said.text)
    )


def request_rereading(
    turn: Turn, transcript: Transcript, second: Seat, *, pack: PromptPack
) -> Request:
    """Return the request for the verdict of a turn, which shows its reply alone."""
    cue, text = turn.cue, turn.utterance.text
    asked = Cue(
        seat=second.id,
        task=_REREAD_TASK,
        sees=cue.sees,
        hears=(turn.index,),
        ties=cue.ties,
        blind=True,
    )
    return Request(
        discussion=transcript.id,
        turn=turn.index,
        seat=second,
        cue=asked,
        comparison=transcript.comparison,
        heard=(turn,),
        messages=render_rereading(text, cue=cue, pack=pack),
        drawn=lambda: content_hash(_REREAD_TASK, text, len(cue.sees), cue.ties),
    )


async def reread(
    turn: Turn, transcript: Transcript, second: Seat, *, reviewer: Reviewer, pack: PromptPack
) -> Turn:
    """Return the turn with the verdict that the second model reads in it, and that model's reply.

    The second model is shown the reply alone. Equal replies are the same random draw. If the call
    fails, the turn stays unreadable and its rule says so.

    Args:
        turn: The turn.
        transcript: The discussion.
        second: The second model, with its sampling.
        reviewer: Speaks for it.
        pack: The prompt pack of the discussion, for the names of the answers.

    Raises:
        StoreError: The call could not be booked.
    """
    request = request_rereading(turn, transcript, second, pack=pack)
    said = await speak(reviewer, request, failed="rereading failed, the reply stays unreadable")
    if isinstance(said, Failure):
        rule = f"{REREAD_FAILED}: {said.kind}"
        return replace(turn, review=replace(turn.review, rule=rule))
    found = read_second(said, cue=turn.cue, reviewer=second.reviewer)
    return replace(turn, review=found, reread=said)
