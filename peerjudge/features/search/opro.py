"""OPRO: a search in which the proposer writes whole texts, shown the best texts so far with their scores.

Every step asks for some texts with the same meta-prompt: the best texts in ascending order of their
scores, then items of the search split with gold, then the request for one new and better text. Source:
Yang et al. 2023 (Large Language Models as Optimizers), and their code.
"""

from __future__ import annotations

from peerjudge.data import Message
from peerjudge.data.texts import TextReply, TextRequest
from peerjudge.features.search.board import (
    Board,
    Steps,
    draw_number,
    draw_random,
    expect,
    identify,
    race,
)
from peerjudge.features.search.nouns import Candidate, Propose, Proposed, SearchOptions, Target
from peerjudge.features.search.proposals import ask_for_text
from peerjudge.features.search.texts import find_text_fault, show_expressions, split_margins
from peerjudge.prompts.written import read_text

__all__ = ["search_by_proposals"]


def search_by_proposals(options: SearchOptions, draw: int, board: Board) -> Steps:
    """Search by OPRO; the base has its scores already. Several targets take turns, step by step."""
    failures = 0
    for step in range(1, options.steps + 1):
        target = options.targets[(step - 1) % len(options.targets)]
        messages = _ask(options, draw, board, target, step)
        slots = range(options.candidates)
        requests = [_request(messages, draw, board, target, step, slot) for slot in slots]
        record = expect((yield Propose(step=step, requests=tuple(requests))), Proposed)
        parent = board.incumbent
        read = [
            _read_candidate(reply, target, options, board, step=step, parent=parent)
            for reply in record.replies
        ]
        candidates = [one for one in read if one.valid]
        yield from race(board, candidates, options=options, step=step)
        failures = 0 if board.promote(candidates) else failures + 1
        board.steps = step
        if options.patience and failures >= options.patience:
            return


def _ask(
    options: SearchOptions, draw: int, board: Board, target: Target, step: int
) -> tuple[Message, ...]:
    """Build the meta-prompt of a step."""
    best: dict[str, float] = {}
    for one in board.list_complete():
        text = one.texts[target.name]
        best[text] = max(best.get(text, 0.0), board.measure(one.id))
    ranked = sorted(best.items(), key=lambda item: -item[1])[: options.best_shown]
    count = min(options.exemplars_shown, len(options.exemplars))
    random = draw_random(draw, "exemplars", step)
    places = random.choice(len(options.exemplars), size=count, replace=False) if count else ()
    exemplars = [options.exemplars[int(place)] for place in places]
    return ask_for_text(target, ranked, exemplars, options=options)


def _request(
    messages: tuple[Message, ...], draw: int, board: Board, target: Target, step: int, slot: int
) -> TextRequest:
    return TextRequest(
        id=f"opro-{step}-{slot}",
        kind="opro",
        messages=messages,
        target=target.name,
        parent=board.incumbent.id,
        draw=draw_number(draw, "opro", step, slot),
    )


def _read_candidate(
    reply: TextReply,
    target: Target,
    options: SearchOptions,
    board: Board,
    *,
    step: int,
    parent: Candidate,
) -> Candidate:
    """Build the candidate of a reply with a whole text, and keep it; it may not be valid."""
    parsed = read_text(reply)
    head, core, tail = split_margins(target.text, target.form)
    text = head + show_expressions(parsed.text, core, target.form) + tail
    texts = {**parent.texts, target.name: text}
    why = parsed.why or find_text_fault(text, target=target, options=options)
    if not why and board.knows(texts):
        why = "the text was tried before"
    candidate = Candidate(
        id=identify(texts, reply.id if why else ""),
        texts=texts,
        parent=parent.id,
        step=step,
        origin="opro",
        target=target.name,
        change="written by the proposer",
        valid=not why,
        why=why,
    )
    board.add(candidate)
    return candidate
