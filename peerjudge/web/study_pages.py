"""Forms of a study: a person claims one item after the other, answers it, or leaves it for later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from peerjudge.store.desk import TaskState
from peerjudge.store.study_desk import ClaimLapsedError, StudyDesk
from peerjudge.web.desk import DeskPages, read_own, serve_pages
from peerjudge.web.desk_safety import DeskGuard, DeskSignIn
from peerjudge.web.pages import render

_MOST_LISTED = 20
_UNDONE = (TaskState.OPEN, TaskState.DRAFT)


def build_study_app(
    desk: StudyDesk,
    sign_in: DeskSignIn,
    *,
    hosts: Sequence[str],
    cookie: str,
    on_answer: Callable[[], None],
) -> DeskGuard:
    """Return the application.

    Args:
        desk: The open desk of the study; it is used in the thread of the event loop.
        sign_in: The one-time links.
        hosts: The hosts, with port, at which the study is served.
        cookie: Name of the cookie.
        on_answer: Called after each answer that is saved.
    """
    pages = _StudyPages(desk, on_answer)
    more = [("/desk/begin", pages.begin), ("/desk/{task}/leave", pages.leave)]
    return serve_pages(pages, sign_in, hosts=hosts, cookie=cookie, more=more)


class _StudyPages(DeskPages):
    """The pages of one study."""

    _can_leave = True

    def __init__(self, desk: StudyDesk, on_answer: Callable[[], None]) -> None:
        super().__init__(desk)
        self._study = desk
        self._on_answer = on_answer

    async def tasks(self, request: Request) -> Response:
        """Show what is left for a person, and what they have answered."""
        card = str(request["card"])
        listed = self._study.list_tasks(card)
        done = [one for one in listed if one.state not in _UNDONE]
        page = render(
            "study",
            card=card,
            begun=[one for one in listed if one.state in _UNDONE],
            done=done[::-1][:_MOST_LISTED],
            answered=len(done),
            count=self._study.count_open().get(card, 0),
            saved=request.query_params.get("saved", "")[:64],
            token=request["token"],
        )
        return HTMLResponse(page)

    async def next(self, request: Request) -> Response:
        """Go to the list; a task is claimed by a form only."""
        return RedirectResponse("/desk", 303)

    async def begin(self, request: Request) -> Response:
        """Claim a task and go to it."""
        await read_own(request)
        return RedirectResponse(self._find_next(str(request["card"]), ""), 303)

    async def leave(self, request: Request) -> Response:
        """Free the claim on a task, and go to another one."""
        task = self._find(request)
        await read_own(request)
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
            page = render("desk_message", title="Judged by others", text=text)
            return HTMLResponse(page, 409)
        self._on_answer()
        return response

    def _find_next(self, card: str, after: str) -> str:
        """Claim the next task of a person and return its address."""
        found = self._study.claim(card)
        return "/desk" if found is None else f"/desk/{found.id}"
