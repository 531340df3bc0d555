"""Prompts of an experiment before it is run, as text, as a JSON document and as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from peerjudge.data import Experiment, Message, ReviewerKind
from peerjudge.data.arguments import check_arguments
from peerjudge.marks import mark_controls
from peerjudge.reporting.formats import counted, name_task
from peerjudge.results.base import Document, FramedResult, Shown
from peerjudge.results.columns import COLUMNS, Cells
from peerjudge.runs.previews import PromptOfCall, list_prompts
from peerjudge.shelf import Shelf

_RULE = 80
_SENT_BY = {
    ReviewerKind.SIMULATED: "not sent: a simulated reviewer",
    ReviewerKind.RECORDED: "not sent: a recorded reviewer",
    ReviewerKind.HUMAN: "not sent: a person is shown the same parts",
    ReviewerKind.PYTHON: "given to the code of the card, which may send others",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Preview(FramedResult):
    """The prompts of the first discussion of each condition; `calls` has the messages of each call."""

    frame: ClassVar[str] = "preview"
    calls: tuple[PromptOfCall, ...]

    def document(self) -> list[Document]:
        """Return the document of `peerjudge show prompt --json`, with one object for each call."""
        return [
            asdict(call)
            | {"messages": [{"role": one.role, "text": one.text} for one in call.messages]}
            for call in self.calls
        ]

    def parts(self) -> Shown:
        """Return the messages of each call; a prompt that was shown before is named only."""
        lines: list[str] = []
        shown: dict[tuple[str, tuple[Message, ...]], str] = {}
        for _, calls in groupby(self.calls, key=lambda call: call.condition):
            group = list(calls)
            lines += ["=" * _RULE, _describe(group)]
            for call in group:
                lines += ["-" * _RULE, _entitle(call)]
                earlier = shown.setdefault(
                    (call.reviewer, call.messages), f"turn {call.turn} of {call.condition}"
                )
                if earlier == f"turn {call.turn} of {call.condition}":
                    lines += _write(call.messages)
                else:
                    lines.append(f"The same prompt as in {earlier}.")
        return [*(mark_controls(line, keep="\n\t") for line in lines), "", *self._notes()]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each call."""
        for call in self.calls:
            cells: dict[str, object] = {name: getattr(call, name) for name in COLUMNS["preview"]}
            yield cells | {"messages": len(call.messages)}

    def _notes(self) -> Iterator[str]:
        if any(call.placeholders for call in self.calls):
            yield (
                "[reply of ...] stands for a reply that is not known yet; tokens assume replies of the "
                "length of `run --dry-run`, and seats that never agree."
            )
        if any(call.estimated and not call.placeholders for call in self.calls):
            yield (
                "Estimated tokens: one for four bytes, where no vocabulary of the model is on this machine "
                "(`peerjudge download tokenizers`)."
            )
        if any(call.form == "schema" for call in self.calls):
            yield (
                "Form schema: the server is sent a JSON schema of the reply too; one that takes none is sent "
                "the same prompt with the form in words."
            )
        yield "No model was called."


@check_arguments
def preview(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    comparison: str | None = None,
    condition: str | None = None,
    turn: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    shelf: Shelf | None = None,
) -> Preview:
    """Return the messages of each call of a discussion before it is played.

    Of each condition it has the first discussion on one comparison. Replies that later turns hear are
    placeholders, and seats never agree, so that a discussion has its full length. No model is called.

    Args:
        experiment: As for `run`, like `data`, `seed`, `settings`, `seats` and `shelf`.
        data: See `experiment`.
        comparison: Id of the comparison; by default the first that the condition judges.
        condition: This condition only.
        turn: The calls of this turn only, counted from 0 with the private reviews.
        seed: See `experiment`.
        settings: See `experiment`.
        seats: See `experiment`.
        shelf: See `experiment`.

    Raises:
        PeerJudgeError: The experiment cannot be run so, or there is no such comparison, condition or turn.

    Example:
        >>> found = pj.preview("quickstart", condition="strong with weak")
        >>> found.calls[0].messages[0].role
        'system'
    """
    calls = list_prompts(
        experiment,
        data=data,
        comparison=comparison,
        condition=condition,
        turn=turn,
        seed=seed,
        settings=settings,
        seats=seats,
        shelf=shelf,
    )
    return Preview(calls=calls)


def _describe(calls: Sequence[PromptOfCall]) -> str:
    first = calls[0]
    of = (
        f"; the first of {counted(first.discussions, 'discussion')} on it"
        if first.discussions > 1
        else ""
    )
    return f"{first.condition}: {first.protocol}, comparison {first.comparison}{of}"


def _entitle(call: PromptOfCall) -> str:
    task = "private review" if call.private and call.task != "ask" else name_task(call.task)
    tokens = f"{call.prompt_tokens:,} prompt tokens{' (estimated)' if call.estimated else ''}"
    form = "" if call.form == "line" else f"form {call.form}"
    sent = _SENT_BY.get(ReviewerKind(call.kind), "")
    told = (f"turn {call.turn}", f"{call.reviewer} ({call.role})", task, form, tokens)
    return f"[{', '.join(filter(None, (*told, call.when, sent)))}]"


def _write(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield f"\n{message.role}:"
        yield message.text
