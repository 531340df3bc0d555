"""Application of the desk: the open requests of a person in a run or a study, drafts and answers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from peerjudge.data import to_plain
from peerjudge.errors import DataError, StoreError
from peerjudge.features.people.desk import (
    Desk,
    DeskConflictError,
    DeskEntry,
    DeskTask,
    Draft,
    ListedTask,
    TaskState,
)
from peerjudge.features.people.form_fields import (
    build_fields,
    make_answer,
    name_choice,
    read_draft,
    read_seconds,
    read_version,
)
from peerjudge.features.people.pages import render, serve_desk_static
from peerjudge.features.people.safety import DeskGuard, DeskSignIn, read_form
from peerjudge.features.people.study_desk import ClaimLapsedError, StudyDesk
from peerjudge.web.connections import BODY_SECONDS, TooLargeError, TooSlowError

_MOST_LISTED = 200
_MOST_ANSWERED = 20
"""Answered tasks of a study that its list shows."""
_MOST_READ = 20
"""Latest answered tasks whose rules a person need not read again."""
_Pair = tuple[str, str]
_UNDONE = (TaskState.OPEN, TaskState.DRAFT)
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def build_desk_app(
    desk: Desk,
    sign_in: DeskSignIn,
    *,
    hosts: Sequence[str],
    cookie: str,
    on_answer: Callable[[], object] = lambda: None,
) -> DeskGuard:
    """Return the application.

    Args:
        desk: The open desk of a run or a study; it is used in the thread of the event loop.
        sign_in: The one-time links.
        hosts: The hosts, with port, at which the desk is served.
        cookie: Name of the cookie.
        on_answer: Called after each answer to a task of a study.
    """
    study = _StudyPages(desk, on_answer) if isinstance(desk, StudyDesk) else None
    pages = study or _DeskPages(desk)
    forms = [("/desk/begin", study.begin), ("/desk/{task}/leave", study.leave)] if study else []
    forms += [("/desk/{task}", pages.submit), ("/desk/{task}/draft", pages.save_draft)]
    routes = [
        Route("/", _go_to_desk),
        Route("/static/{name}", serve_desk_static),
        Route("/desk", pages.tasks),
        Route("/desk/state", pages.state),
        Route("/desk/next", pages.next),
        *(Route(path, handler, methods=["POST"]) for path, handler in forms),
        Route("/desk/{task}", pages.task),
    ]
    handlers = {
        404: _not_found,
        _ForeignError: _refuse_foreign,
        TooLargeError: _refuse_large,
        TooSlowError: _refuse_slow,
        StoreError: _refuse_unsaved,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    return DeskGuard(
        app,
        sign_in,
        hosts=hosts,
        refusal=lambda: render("desk_refusal"),
        unsaved=_say_unsaved,
        cookie=cookie,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """A heading, its text, and whether the person has read both in a task that they answered."""

    heading: str
    body: str
    known: bool


class _ForeignError(Exception):
    """A form does not carry the token of the session."""


class _DeskPages:
    """The pages of one desk."""

    _can_leave = False
    """Whether leaving a request for later is a form, which frees it for others."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def tasks(self, request: Request) -> Response:
        """List the requests to the person, open ones first."""
        card = str(request["card"])
        listed = self._desk.list_tasks(card)
        undone = [one for one in listed if one.state in _UNDONE]
        done = [one for one in listed if one.state not in _UNDONE][:_MOST_LISTED]
        page = render(
            "desk",
            card=card,
            undone=undone[:_MOST_LISTED],
            done=done,
            choices=self._name_choices(done, card),
            count=len(undone),
            saved=request.query_params.get("saved", "")[:64],
        )
        return HTMLResponse(page)

    async def state(self, request: Request) -> Response:
        """Return the number of open requests."""
        return JSONResponse({"open": self._desk.count_open().get(str(request["card"]), 0)})

    async def next(self, request: Request) -> Response:
        """Go to the open request after one, or to the first."""
        after = request.query_params.get("after", "")
        return RedirectResponse(self._find_next(str(request["card"]), after), 303)

    async def task(self, request: Request) -> Response:
        """Show the form of one request."""
        task = self._find(request)
        entry = self._desk.find_entry(task.id)
        return self._show(request, task, entry, entry.draft)

    async def save_draft(self, request: Request) -> Response:
        """Save the fields of a form as they are; 409 with the newest version if there is another one."""
        task = self._find(request)
        form = await _read_own(request)
        try:
            version = self._desk.save_draft(
                task.id,
                read_draft(form),
                version=read_version(form),
                seconds=read_seconds({**form, "opened": ""}, now=time.time()),
            )
        except DeskConflictError as cause:
            return _conflict(task, cause)
        except DataError as cause:
            return JSONResponse({"error": str(cause)}, 422)
        return JSONResponse({"version": version})

    async def submit(self, request: Request) -> Response:
        """Save an answer and go to the next request; the script asks for JSON in place of pages."""
        task = self._find(request)
        form = await _read_own(request)
        draft, scripted = read_draft(form), "json" in request.headers.get("accept", "")
        try:
            answer = make_answer(task, draft, seconds=read_seconds(form, now=time.time()))
            self._desk.submit(answer, version=read_version(form))
        except DataError as cause:
            if scripted:
                return JSONResponse({"error": f"Not saved: {cause}."}, 422)
            entry = self._desk.find_entry(task.id)
            return self._show(request, task, entry, draft, error=f"Not saved: {cause}.", status=422)
        except DeskConflictError as cause:
            # A page that missed the reply to its answer sends the same one again.
            if not (cause.entry.answered and cause.entry.draft == draft):
                if scripted:
                    return _conflict(task, cause)
                return self._show(request, task, cause.entry, draft, other=True, status=409)
        card = str(request["card"])
        target = f"{self._find_next(card, task.id)}?saved={task.id}"
        return JSONResponse({"next": target}) if scripted else RedirectResponse(target, 303)

    def _find(self, request: Request) -> DeskTask:
        task = self._desk.find_task(str(request.path_params["task"]), card=str(request["card"]))
        if task is None:
            raise HTTPException(404)
        return task

    def _find_next(self, card: str, after: str) -> str:
        """Return the address of the first open request after one, or of the first of all."""
        listed = self._desk.list_tasks(card)
        place = next((n for n, one in enumerate(listed, 1) if one.id == after), 0)
        ordered = [*listed[place:], *listed[:place]]
        return next((f"/desk/{one.id}" for one in ordered if one.state in _UNDONE), "/desk")

    def _show(
        self,
        request: Request,
        task: DeskTask,
        entry: DeskEntry,
        draft: Draft,
        *,
        error: str = "",
        other: bool = False,
        status: int = 200,
    ) -> Response:
        """Return the page of a task with these fields; `other` shows the newest version beside them."""
        card = str(request["card"])
        done = [one for one in self._desk.list_tasks(card) if one.state not in _UNDONE]
        known = self._list_known(done, task.id, card)
        number = len(done) if entry.answered else len(done) + 1
        page = render(
            "desk_task",
            card=card,
            task=task,
            sheet=task.sheet,
            instruction=_mark_known(_split_headings(task.sheet.instruction), known),
            place=_mark_known(_split_headings(task.sheet.place), frozenset()),
            fields=build_fields(task),
            can_leave=self._can_leave,
            entry=entry,
            draft=draft,
            other=name_choice(task, entry.draft) if other else "",
            error=error,
            token=request["token"],
            opened=int(time.time()),
            number=number,
            total=self._word_total(card, number, len(done)),
            saved=request.query_params.get("saved", "")[:64],
        )
        return HTMLResponse(page, status)

    def _word_total(self, card: str, number: int, done: int) -> str:
        """Return the number of all tasks of a person that are known now, with those done."""
        return f"{max(done + self._desk.count_open().get(card, 0), number):,}"

    def _name_choices(self, done: Sequence[ListedTask], card: str) -> dict[str, str]:
        """Return the saved choice or rating of each answered task in words; an explanation has none."""
        named: dict[str, str] = {}
        for one in done:
            task, answer = self._desk.find_task(one.id, card=card), self._desk.find_answer(one.id)
            draft = answer and answer.draft
            if task is not None and draft is not None and draft.choice:
                named[one.id] = name_choice(task, draft)
        return named

    def _list_known(self, done: Sequence[ListedTask], task: str, card: str) -> frozenset[_Pair]:
        """Return the sections that a person has read in the latest other tasks that they answered."""
        others = [one.id for one in done if one.id != task][-_MOST_READ:]
        found = (self._desk.find_task(one, card=card) for one in others)
        return frozenset(
            pair for one in found if one for pair in _split_headings(one.sheet.instruction)
        )


class _StudyPages(_DeskPages):
    """The pages of one study."""

    _can_leave = True

    def __init__(self, desk: StudyDesk, on_answer: Callable[[], object]) -> None:
        super().__init__(desk)
        self._study = desk
        self._on_answer = on_answer

    async def tasks(self, request: Request) -> Response:
        """Show what is left for a person, and what they have answered."""
        card = str(request["card"])
        listed = self._study.list_tasks(card)
        done = [one for one in listed if one.state not in _UNDONE]
        latest = done[::-1][:_MOST_ANSWERED]
        page = render(
            "study",
            card=card,
            begun=[one for one in listed if one.state in _UNDONE],
            done=latest,
            choices=self._name_choices(latest, card),
            answered=len(done),
            count=self._study.expect_left(card),
            rough=self._study.has_checks(),
            saved=request.query_params.get("saved", "")[:64],
            token=request["token"],
        )
        return HTMLResponse(page)

    async def state(self, request: Request) -> Response:
        """Return the number of tasks that are left, as the list tells it."""
        return JSONResponse({"open": self._study.expect_left(str(request["card"]))})

    async def next(self, request: Request) -> Response:
        """Go to the list; a task is claimed by a form only."""
        return RedirectResponse("/desk", 303)

    async def begin(self, request: Request) -> Response:
        """Claim a task and go to it."""
        await _read_own(request)
        return RedirectResponse(self._find_next(str(request["card"]), ""), 303)

    async def leave(self, request: Request) -> Response:
        """Free the claim on a task, and go to another one."""
        task = self._find(request)
        await _read_own(request)
        card = str(request["card"])
        self._study.leave(task.id, annotator=card)
        found = self._study.claim(card)
        target = "/desk" if found is None or found.id == task.id else f"/desk/{found.id}"
        if target == "/desk":
            self._study.leave(task.id, annotator=card)
        return RedirectResponse(target, 303)

    async def submit(self, request: Request) -> Response:
        """Save an answer and go to the next task, unless enough others have judged it meanwhile."""
        try:
            response = await super().submit(request)
        except ClaimLapsedError as cause:
            text = f"Not needed any more: {cause}."
            if "json" in request.headers.get("accept", ""):
                return JSONResponse({"error": text}, 422)
            return _message("Judged by others", text, 409)
        self._on_answer()
        return response

    def _word_total(self, card: str, number: int, done: int) -> str:
        """Return the number of all tasks, which is not exact where some are checks."""
        if not self._study.has_checks():
            return super()._word_total(card, number, done)
        return f"about {max(self._study.expect_tasks(card), number):,}"

    def _find_next(self, card: str, after: str) -> str:
        """Claim the next task of a person and return its address."""
        found = self._study.claim(card)
        return "/desk" if found is None else f"/desk/{found.id}"


def _conflict(task: DeskTask, cause: DeskConflictError) -> Response:
    entry = cause.entry
    document = {
        "version": entry.version,
        "taken": entry.taken,
        "answered": entry.answered,
        "draft": to_plain(entry.draft),
        "choice": name_choice(task, entry.draft),
    }
    return JSONResponse(document, 409)


def _mark_known(pairs: Sequence[_Pair], known: frozenset[_Pair]) -> list[_Section]:
    """Return the sections of a text; what a person has read before is folded under its heading."""
    return [
        _Section(heading=pair[0], body=pair[1], known=bool(pair[0]) and pair in known)
        for pair in pairs
    ]


def _split_headings(text: str) -> list[_Pair]:
    """Return the sections of a text as pairs of heading and body; the first heading may be empty."""
    parts = _HEADING.split(text)
    pairs = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return [(heading.strip(), body.strip()) for heading, body in pairs if heading or body.strip()]


async def _read_own(request: Request) -> dict[str, str]:
    """Return the fields of a form of this session."""
    form = await read_form(request)
    if form is None:
        raise _ForeignError
    return form


async def _go_to_desk(_request: Request) -> Response:
    return RedirectResponse("/desk", 303)


async def _not_found(_request: Request, _cause: Exception) -> Response:
    return _message("Not found", "There is no such request to you.", 404)


async def _refuse_foreign(_request: Request, _cause: Exception) -> Response:
    text = "The form is not of your session. Load the request again, and send it from there."
    return _message("Not saved", text, 403)


async def _refuse_large(_request: Request, _cause: Exception) -> Response:
    return _message("Not saved", "The text is too long: at most 1 MB is saved.", 413)


async def _refuse_slow(_request: Request, _cause: Exception) -> Response:
    text = f"The form did not arrive in {BODY_SECONDS:g} seconds. Go back and send it again."
    return _message("Not saved", text, 408)


async def _refuse_unsaved(_request: Request, cause: Exception) -> Response:
    return _say_unsaved(cause)


def _say_unsaved(cause: Exception) -> Response:
    return _message("Not saved", str(cause), 503)


def _message(title: str, text: str, status: int) -> Response:
    return HTMLResponse(render("desk_message", title=title, text=text), status)
