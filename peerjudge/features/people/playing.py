"""People in a run: a card of kind human answers at the desk, and its discussions wait until it has."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Container
from contextlib import asynccontextmanager
from pathlib import Path

from peerjudge.data import Card, Request, TaskSheet, Utterance, content_hash
from peerjudge.errors import AwaitingPersonError, ExperimentError
from peerjudge.features.people.desk import Desk, DeskTask
from peerjudge.features.people.desk_places import open_desk, refuse_earlier_desk
from peerjudge.runs.awaited import list_awaited
from peerjudge.runs.schedule import Cast, Plan


class PeopleDesk:
    """Desk of a run, and the tasks for which its discussions wait."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._tasks: dict[str, str] = {}
        self._seen: int | None = None

    def wait(self, discussion: str, task: str) -> None:
        """Note that a discussion waits for the answer to a task."""
        self._tasks[discussion] = task
        self._seen = None

    def seat(self, card: Card) -> PersonReviewer:
        """Return the person of a card."""
        return PersonReviewer(card, self)

    def take_answered(self, among: Container[str]) -> list[str]:
        """Return those of these discussions whose tasks were answered, and forget them.

        It costs next to nothing while no other process writes to the desk.
        """
        change = self.desk.read_change()
        if change == self._seen:
            return []
        self._seen = change
        answered = self.desk.list_answered(set(self._tasks.values()))
        ready = [waiting for waiting, task in self._tasks.items() if task in answered]
        stopped = [waiting for waiting in ready if waiting in among]
        if len(stopped) < len(ready):
            self._seen = None  # The discussion of an answered task has not stopped yet.
        for discussion in stopped:
            del self._tasks[discussion]
        return stopped


class PersonReviewer:
    """A person, who answers at the desk of a run.

    Equal words are one task: the person is asked once, in any number of discussions and runs of the folder.
    """

    def __init__(self, card: Card, people: PeopleDesk) -> None:
        self._card = card
        self._people = people

    @property
    def name(self) -> str:
        """The name of the card."""
        return self._card.name

    async def speak(self, request: Request) -> Utterance:
        """Return the answer on the desk.

        Raises:
            AwaitingPersonError: There is none yet; the request is on the desk now.
            StoreError: The desk cannot be used.
        """
        task = _make_task(self._card, request)
        desk = self._people.desk
        answer = desk.take_answer(task.id)
        if answer is None:
            desk.post(task)
            self._people.wait(request.discussion, task.id)
            raise AwaitingPersonError(self.name)
        return Utterance(text=answer.text, latency=answer.seconds, confidence=answer.confidence)

    async def close(self) -> None:
        """Do nothing: the run closes the desk."""


@asynccontextmanager
async def open_people(cast: Cast, place: str | Path) -> AsyncGenerator[PeopleDesk]:
    """Open the desk of a run folder or of a database.

    Raises `StoreError` if it cannot be used, or the database holds a desk of an earlier version.
    """
    await refuse_earlier_desk(place)
    with open_desk(place) as desk:
        yield PeopleDesk(desk)


def check_people(plan: Plan, *, ends_early: bool) -> None:
    """Raise `ExperimentError` where a run cannot wait for its people.

    They cannot be waited for where results decide when the run ends (`ends_early`).
    """
    people = list_awaited(plan.cast)
    named = ", ".join(people)
    if ends_early:
        msg = (
            f"{named}: with --until, results decide when the run ends, and answers of people come later; "
            "leave this option out"
        )
        raise ExperimentError(msg)
    for part in plan.parts:
        if part.reread is not None and part.reread.reviewer in people:
            msg = f"{part.reread.reviewer} is a person; a second model that rereads replies needs a [model]"
            raise ExperimentError(msg)


def _make_task(card: Card, request: Request) -> DeskTask:
    cue = request.cue
    words = [(message.role, message.text) for message in request.messages]
    return DeskTask(
        id=content_hash("desk", card.name, request.draw, words),
        card=card.name,
        messages=request.messages,
        expects=cue.expects,
        answers=len(cue.sees),
        ties=cue.ties,
        scale=cue.scale,
        sheet=TaskSheet() if request.lay_out is None else request.lay_out(),
        aspects=card.aspects,
    )
