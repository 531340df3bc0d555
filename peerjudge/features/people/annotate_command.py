"""`peerjudge annotate`: people answer for a run or judge in a study, in the terminal or the browser."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from peerjudge.cli.console import print_status
from peerjudge.cli.options import OUT
from peerjudge.cli.tables import print_result
from peerjudge.errors import DataError, StoreError
from peerjudge.features.people.serving import serve_desk

if TYPE_CHECKING:
    from peerjudge.features.people.desk import Desk, DeskAnswer, DeskTask
    from peerjudge.features.people.nouns import Study

_SKIP, _QUIT = "skip", "quit"


_LONGEST_PAUSE = 300.0
"""Time without a line after which a person counts as away. [s]"""


class _ActiveClock:
    """Time spent on a task, without the part of each pause that is longer than `_LONGEST_PAUSE`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._last = time.monotonic()

    def count(self) -> None:
        """Count the time since the last line."""
        now = time.monotonic()
        self.seconds += min(now - self._last, _LONGEST_PAUSE)
        self._last = now


class _EndError(Exception):
    """The person ends the session."""


class _SkipError(Exception):
    """The person leaves a task for later."""


def annotate_command(
    source: str,
    /,
    *,
    card: str | None = None,
    browser: bool = False,
    port: int | None = None,
    annotators: str | None = None,
    judgments: int | None = None,
    checks: float | None = None,
    data: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    condition: str = "",
    out: Annotated[Path | None, OUT] = None,
    run: str | None = None,
    most_failed: float | None = None,
    json: bool = False,
) -> int:
    """Answer the open requests to people of a run, or judge the comparisons of a study.

    Each request shows question, answers and earlier turns that a model would be sent in this seat. An
    answer is saved before the next request is shown. Run the experiment again to take the answers up, or let
    it wait with `peerjudge run --wait`: later turns may ask for more.

    In a study, several people judge the same comparisons, each comparison as many people as --judgments says.
    Without --browser and --card, its state is printed.

    Parameters
    ----------
    source
        The run folder or store URL; the run may be going on. Or a study: a .toml file with data, annotators
        and judgments, an experiment with --annotators, or the folder of a study.
    card
        The card to answer for, if several people are seated; in a study, the annotator.
    browser
        Serve the requests as forms at an address on this machine, with drafts, until Ctrl-C. Prints a link
        for each person that works once, and the next one when it was used.
    port
        The port of --browser; by default 8750, or any free one where it is in use.
    annotators
        Names of the people of a study, with commas between them.
    judgments
        Number of different people who judge a comparison.
    checks
        Share of attention checks among the tasks of a person; by default 0.1.
    data
        Dataset of the study, instead of the declared one.
    limit
        Number of comparisons of the study.
    seed
        Seed of the order of tasks, the orders of answers and the checks.
    condition
        Condition of the experiment from which the study takes protocol and prompts.
    out
        Folder of the study; by default runs/NAME.
    run
        Run whose reviewers the people of the study are held against, in the state that is printed.
    most_failed
        Leave people who failed a larger share of their checks out of the agreement that is printed.
    json
        Print the state of the study as one JSON document.
    """
    if port is not None and not browser:
        msg = "--port is the port of the forms: add --browser"
        raise StoreError(msg)
    named = None if annotators is None else [one.strip() for one in annotators.split(",")]
    given = {
        "annotators": named,
        "judgments": judgments,
        "checks": checks,
        "data": data,
        "limit": limit,
        "seed": seed,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not _is_study(source, changes):
        others = {"out": out, "condition": condition, "run": run, "most-failed": most_failed}
        given = changes | {name: value for name, value in {**others, "json": json}.items() if value}
        if given:
            msg = (
                f"--{next(iter(given))} belongs to a study; name a .toml file, or an experiment with "
                "--annotators"
            )
            raise StoreError(msg)
        return _answer_run(source.partition("#")[0], card=card, browser=browser, port=port)
    folder = _begin(source, changes, out=out, condition=condition, card=card)
    if browser or card:
        return _judge(folder, card=card, browser=browser, port=port)
    from peerjudge.features.people.results import study

    print_result(study(folder, run=run, most_failed=most_failed), json=json)
    return 0


def _is_study(source: str, changes: Mapping[str, object]) -> bool:
    """Return whether a source is a study: a TOML file, a folder with one, or named annotators."""
    from peerjudge.features.people.study_desk import holds_study

    if source.endswith(".toml") or holds_study(Path(source)):
        return True
    return "annotators" in changes and not Path(source).is_dir()


def _locate_study(
    source: str, *, out: Path | None, condition: str, changes: Mapping[str, object]
) -> tuple[Study, Path]:
    """Return the declaration of a study, with changes, and its folder.

    Raises `PeerJudgeError` where there is no such study, or a value is wrong.
    """
    from peerjudge.data import from_plain, to_plain
    from peerjudge.features.people.nouns import Study
    from peerjudge.features.people.studies import read_study
    from peerjudge.features.people.study_desk import StudyDesk, holds_study
    from peerjudge.shelf import Shelf

    folder = Path(source)
    if holds_study(folder):
        if out is not None and out != folder:
            msg = f"{folder} is the folder of a study already; leave --out away"
            raise StoreError(msg)
        with StudyDesk.open(folder, create=False) as desk:
            plain = cast("Mapping[str, object]", to_plain(desk.read_study()))
        return from_plain(Study, {**plain, **changes}), folder
    study = read_study(source, shelf=Shelf(), condition=condition, changes=changes)
    return study, out or Path("runs") / (study.name or "study")


def _answer_run(place: str, *, card: str | None, browser: bool, port: int | None) -> int:
    from peerjudge.features.people.desk_places import open_desk, refuse_earlier_desk
    from peerjudge.runs.sources import hide_password

    run = hide_password(place)
    asyncio.run(refuse_earlier_desk(place))
    with open_desk(place, create=False) as desk:
        waiting = desk.count_open()
        if card is not None and card not in waiting:
            msg = f"no request in {run} is to {card!r}; there are requests to {', '.join(waiting)}"
            raise StoreError(msg)
        if browser:
            people = [card] if card else list(waiting)
            counted = sum(count for name, count in waiting.items() if name in people)
            introduction = (
                f"{counted} open requests in {shlex.quote(run)}. Each link below is of one person and works "
                "once; the next one follows. `peerjudge run --wait` takes the answers up as they come. "
                "Ctrl-C ends."
            )
            serve_desk(desk, people, introduction=introduction, port=port)
            return 0
        if card is None and len(people := [one for one, count in waiting.items() if count]) > 1:
            msg = (
                f"several people are asked in {run}; name yourself with --card: {', '.join(people)}"
            )
            raise StoreError(msg)
        answered = _answer_all(desk, card)
        left = sum(count for name, count in desk.count_open().items() if card in (None, name))
    print_status(f"{answered} answered, {left} open. Run the experiment again to take answers up.")
    return 0


def _begin(
    source: str,
    changes: Mapping[str, object],
    *,
    out: Path | None,
    condition: str,
    card: str | None,
) -> Path:
    """Begin or resume a study, bring its votes up to date, and return its folder."""
    from peerjudge.features.people.studies import begin_study, save_votes
    from peerjudge.features.people.study_desk import StudyDesk
    from peerjudge.shelf import Shelf

    study, folder = _locate_study(source, out=out, condition=condition, changes=changes)
    if card is not None and card not in study.annotators:
        msg = f"{card!r} is no annotator of this study; they are {', '.join(study.annotators)}"
        raise StoreError(msg)
    with StudyDesk.open(folder) as desk:
        begin_study(desk, study, shelf=Shelf())
        save_votes(desk, folder)
    return folder


def _judge(folder: Path, *, card: str | None, browser: bool, port: int | None) -> int:
    """Serve the forms of a study, or let one person judge in the terminal."""
    from peerjudge.features.people.studies import save_votes
    from peerjudge.features.people.study_desk import StudyDesk

    with StudyDesk.open(folder, create=False) as desk:
        if browser:
            people = [card] if card else list(desk.count_open())
            introduction = (
                f"Study in {shlex.quote(str(folder))}. Each link below is of one person and works once; the "
                "next one follows. Ctrl-C ends."
            )
            save = partial(save_votes, desk, folder)
            serve_desk(desk, people, introduction=introduction, port=port, save=save)
            return 0
        answered = _answer_all(desk, card)
        save_votes(desk, folder)
        left = desk.expect_left(str(card))
        rough = "about " if left and desk.has_checks() else ""
    print_status(f"{answered} answered, {rough}{left} left for {card}.")
    return 0


def _answer_all(desk: Desk, card: str | None) -> int:
    """Ask for an answer to each open task until none is left or the person ends; return their number."""
    answered, skipped = 0, set[str]()
    while (task := desk.next_task(card=card, skip=skipped)) is not None:
        try:
            answer = _ask(task)
        except _EndError:
            break
        except _SkipError:
            skipped.add(task.id)
            continue
        try:
            desk.submit(answer)
        except StoreError as cause:
            if desk.find_answer(task.id) is None:
                raise
            print_status(str(cause))
            continue
        answered += 1
        print("Saved.", flush=True)
    return answered


def _ask(task: DeskTask) -> DeskAnswer:
    """Show a task and return the answer of the person."""
    from peerjudge.features.people.desk import (
        DeskAnswer,
        Draft,
        read_confidence,
        read_scores,
        state_reply,
    )

    print("\n" + "=" * 72)
    _show(task)
    print("\n" + "-" * 72)
    clock = _ActiveClock()
    while True:
        try:
            choice, reason = _read_choice(task, clock)
            text = state_reply(task, choice=choice, reason=reason)
            sliders = _read_sliders(task, clock)
            scores = read_scores(task, sliders)
            confidence = _read_field("Confidence 0 to 100 (empty: not given)", clock)
            return DeskAnswer(
                task=task.id,
                text=text,
                confidence=read_confidence(confidence),
                seconds=round(clock.seconds, 1),
                draft=Draft(choice=choice, reason=reason, confidence=confidence, sliders=sliders),
                scores=scores,
            )
        except DataError as cause:
            print_status(f"not saved: {cause}")


def _show(task: DeskTask) -> None:
    """Print question, answers, earlier turns and instruction; for a desk of an older version, the prompt."""
    from peerjudge.marks import mark_controls

    sheet = task.sheet
    titled = [("Your role", sheet.role), ("Question", sheet.question)]
    titled.append(("Reference answer", sheet.reference))
    titled += [(answer.title, answer.text) for answer in sheet.answers]
    titled.append(("", sheet.place))
    titled += [(one.title, one.text) for one in sheet.heard]
    titled.append(("", sheet.instruction))
    if not sheet.instruction:
        titled = [("", message.text) for message in task.messages]
    for title, text in titled:
        if text:
            heading = f"{title}\n{'-' * len(title)}\n" if title else ""
            print("\n" + mark_controls(heading + text, keep="\n"))


def _read_choice(task: DeskTask, clock: _ActiveClock) -> tuple[str, str]:
    """Return the choice or rating as typed, empty for an explanation, and the reason."""
    from peerjudge.data import Expects
    from peerjudge.features.people.stating import NONE, TIED

    if task.expects is Expects.TEXT:
        return "", _read_lines("Your explanation", clock)
    if task.expects is Expects.RATING:
        label = f"Rating {task.scale[0]} (worst) to {task.scale[1]} (best), or {NONE}"
        return _read_field(label, clock), _read_lines("Reason", clock)
    numbers = [str(number) for number in range(1, task.answers + 1)]
    choices = [*numbers, *([TIED] if task.ties else []), NONE]
    label = f"Choice ({', '.join(choices)}; 1 is shown first, {NONE}: cannot judge)"
    choice = _read_field(label, clock).lower()
    if choice not in choices:
        msg = f"choose one of {', '.join(choices)}, not {choice!r}"
        raise DataError(msg)
    return choice, _read_lines("Reason", clock)


def _read_sliders(task: DeskTask, clock: _ActiveClock) -> dict[str, str]:
    """Return the scores of aspects as typed, by the fields of the form."""
    from peerjudge.features.people.desk import HIGHEST, LOWEST, list_sliders

    return {
        slider.field: given
        for slider in list_sliders(task)
        if (
            given := _read_field(
                f"{slider.aspect} of {slider.label}, {LOWEST} to {HIGHEST} (empty: not given)",
                clock,
            )
        )
    }


def _read_lines(label: str, clock: _ActiveClock) -> str:
    """Read lines up to an empty one."""
    lines: list[str] = []
    while line := _read_line(f"{label} (end with an empty line)" if not lines else "...", clock):
        lines.append(line)
    return "\n".join(lines)


def _read_field(label: str, clock: _ActiveClock) -> str:
    """Read a choice or number, as far as a field of a form is read."""
    from peerjudge.features.people.desk import LONGEST_FIELD

    return _read_line(label, clock)[:LONGEST_FIELD]


def _read_line(label: str, clock: _ActiveClock) -> str:
    """Read a line; `skip` leaves the task for later, `quit` and the end of the input end the session."""
    print(f"{label}: ", end="", flush=True)
    line = sys.stdin.readline()
    clock.count()
    if not line or line.strip() == _QUIT:
        raise _EndError
    if line.strip() == _SKIP:
        raise _SkipError
    return line.strip()
