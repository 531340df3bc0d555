"""Application of the viewer: one function for each address."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from peerjudge.analysis.listing import find_tone
from peerjudge.data import Transcript, Verdict, to_plain
from peerjudge.errors import PeerJudgeError
from peerjudge.features.view.comparing import Comparer, find_differences
from peerjudge.features.view.discussion import TURNS_PER_PAGE, show_discussion
from peerjudge.features.view.links import ListAddress, read_address
from peerjudge.features.view.overview import Overview, describe_run
from peerjudge.features.view.pages import render
from peerjudge.features.view.prompts import rebuild_prompt, show_tokens
from peerjudge.registry import offers
from peerjudge.shelf import Shelf
from peerjudge.web.assets import serve_static
from peerjudge.web.library import Library, ShownRun, list_kinds
from peerjudge.web.safety import Guard, SignIn

PAGE = 100
"""Discussions on a page of a list."""

_FIRST = 0.8
"""Time that a page waits for the first rows of an index. [s]"""
_MOST_SIDES = 8


async def _collect(
    page: str, library: Library, run: ShownRun, transcript: Transcript
) -> dict[str, object]:
    # Sections of features; a template of theirs would need no such names here.
    parts: dict[str, object] = {"parent": "", "branches": ()}
    for show in offers(page).values():
        parts |= await show(library, run, transcript)
    return parts


def build_app(library: Library, sign_in: SignIn, *, cookie: str, shelf: Shelf) -> Guard:
    """Return the application.

    Args:
        library: The open runs.
        sign_in: The one-time links.
        cookie: Name of the cookie.
        shelf: The shelves with the prompt packs of the runs; no file on them is executed.
    """
    pages = _Pages(library, shelf)
    routes = [
        *(page for kind in list_kinds().values() for page in kind.list_pages(library).items()),
        ("/", pages.runs),
        ("/static/{name}", serve_static),
        ("/compare", pages.compare),
        ("/r/{run}", pages.run),
        ("/r/{run}/live", pages.live),
        ("/r/{run}/d", pages.discussions),
        ("/r/{run}/new", pages.news),
        ("/r/{run}/d/{discussion}", pages.discussion),
        ("/r/{run}/d/{discussion}/version", pages.version),
        ("/r/{run}/d/{discussion}/t/{turn:int}", pages.turn),
    ]
    app = Starlette(
        routes=[Route(path, handler) for path, handler in routes],
        exception_handlers={404: _not_found, PeerJudgeError: _refuse},
    )
    return Guard(app, sign_in, lambda: render("refusal"), cookie)


class _Pages:
    """The pages of one library."""

    def __init__(self, library: Library, shelf: Shelf) -> None:
        self._library = library
        self._shelf = shelf
        self._comparer = Comparer()

    async def runs(self, request: Request) -> Response:
        """List the runs."""
        runs = list(self._library.runs.values())
        others = [name for name, folders in self._library.others.items() if folders]
        if not runs and others:
            return RedirectResponse(f"/{others[0]}", 303)
        if len(runs) == 1 and "all" not in request.query_params and not others:
            return RedirectResponse(f"/r/{runs[0].key}", 303)
        shown = [(run, await self._overview(run)) for run in runs]
        links = {f"/{name}": list_kinds()[name].link for name in others}
        return _page("runs", runs=shown, links=links, title="Runs")

    async def run(self, request: Request) -> Response:
        """Show one run: progress, cost and conclusions by condition."""
        run = self._find(request)
        overview = await self._overview(run)
        ended = overview.is_whole and overview.total.done > 0 and not overview.total.open
        ways = await self._comparer.list_ways(run) if ended else None
        return _page("run", run=run, overview=overview, ways=ways, title=run.title)

    async def live(self, request: Request) -> Response:
        """Return the part of a run's page that changes; 204 if it has not changed since `version`."""
        run = self._find(request)
        overview = await self._overview(run)
        if request.query_params.get("version") == overview.version:
            return Response(status_code=204)
        return _page("live", run=run, overview=overview)

    async def discussions(self, request: Request) -> Response:
        """List discussions that pass the filters."""
        run = self._find(request)
        address = read_address(request.query_params)
        await asyncio.to_thread(run.follower.wait_for_rows, _FIRST)
        limit = PAGE + 1

        def read() -> tuple[list[object], int, object]:
            listed = run.reader.page(
                run.id,
                address.chosen,
                sort=address.sort,
                after=address.after,
                before=address.back,
                limit=limit,
            )
            total, counts = run.reader.counts(run.id, address.chosen)
            return list(listed), total, counts

        found, total, counts = await asyncio.to_thread(read)
        more = len(found) == limit
        rows = found[:PAGE]
        if address.back:
            rows.reverse()
        first = address.after is None if not address.back else not more
        last = not more if not address.back else False
        indexed = await asyncio.to_thread(run.reader.count)
        return _page(
            "discussions",
            run=run,
            address=address,
            rows=rows,
            total=total,
            counts=counts,
            before=None if first or not rows else rows[0],
            after=None if last or not rows else rows[-1],
            indexed=indexed,
            begun=indexed if run.follower.whole.is_set() else await run.store.count_discussions(),
            title=f"Discussions of {run.title}",
        )

    async def news(self, request: Request) -> Response:
        """Return how many discussions pass the filters now, as plain text."""
        run = self._find(request)
        address = read_address(request.query_params)
        total, _ = await asyncio.to_thread(run.reader.counts, run.id, address.chosen)
        return Response(str(total), media_type="text/plain")

    async def discussion(self, request: Request) -> Response:
        """Show one discussion."""
        run, transcript = await self._transcript(request)
        shown = show_discussion(transcript)
        address = read_address(request.query_params)
        page = _read_number(request.query_params.get("page", ""))
        last = max(0, (len(shown.turns) - 1) // TURNS_PER_PAGE)
        page = min(page, last)

        def read() -> tuple[object, object, object]:
            reader = run.reader
            listed = reader.find(run.id, transcript.id)
            if listed is None:
                return [], None, None
            return (
                reader.list_twins(run.id, listed),
                *_find_neighbours(run, address, listed.key, listed),
            )

        await asyncio.to_thread(run.follower.wait_for_rows, _FIRST)
        twins, before, after = await asyncio.to_thread(read)
        return _page(
            "discussion",
            **await _collect("discussion page", self._library, run, transcript),
            run=run,
            shown=shown,
            address=address,
            twins=twins,
            before=before,
            after=after,
            turns=shown.turns[page * TURNS_PER_PAGE : (page + 1) * TURNS_PER_PAGE],
            page=page,
            last=last,
            order=find_tone(Verdict.of(transcript.comparison.shown[0]), transcript.comparison),
            title=f"{transcript.comparison.id}, {transcript.condition}",
        )

    async def version(self, request: Request) -> Response:
        """Return a text that changes when the discussion goes on."""
        _, transcript = await self._transcript(request)
        return Response(show_discussion(transcript).version, media_type="text/plain")

    async def turn(self, request: Request) -> Response:
        """Show one turn: prompt, reply, log-probabilities, JSON."""
        run, transcript = await self._transcript(request)
        number = int(request.path_params["turn"])
        shown = show_discussion(transcript)
        told = next((one for one in shown.turns if one.kept.index == number), None)
        if told is None:
            raise HTTPException(404)
        turn = told.kept
        prompt = await asyncio.to_thread(
            rebuild_prompt, transcript, turn, run.manifest, self._shelf
        )
        return _page(
            "turn",
            commands=[write(run, transcript, at=number) for write in offers("turn page").values()],
            run=run,
            shown=shown,
            turn=told,
            prompt=prompt,
            tokens=show_tokens(turn.utterance.logprobs),
            json=to_plain(turn),
            address=read_address(request.query_params),
            title=f"{told.seat.name}, {told.name}, of {transcript.comparison.id}",
        )

    async def compare(self, request: Request) -> Response:
        """Compare runs, or two conditions discussion by discussion."""
        wanted = request.query_params.getlist("run")[:_MOST_SIDES]
        runs = [run for key in wanted if (run := self._library.find(key)) is not None]
        runs = list(dict.fromkeys(runs)) or list(self._library.runs.values())[:1]
        sides = _read_sides(self._library, request.query_params.getlist("side")[:2])
        compared = await self._comparer.compare(runs)
        differences = None
        if len(sides) == 2:
            for run, _ in sides:
                await asyncio.to_thread(run.follower.wait_for_rows, _FIRST)
            page = _read_number(request.query_params.get("page", ""))
            differences = await asyncio.to_thread(find_differences, *sides, page=page)
        return _page(
            "compare",
            runs=runs,
            all_runs=list(self._library.runs.values()),
            compared=compared,
            sides=sides,
            differences=differences,
            again=f"/compare?{request.url.query}",
            title="Comparison",
        )

    async def _overview(self, run: ShownRun) -> Overview:
        await asyncio.to_thread(run.follower.wait_for_rows, _FIRST)
        return await describe_run(run)

    def _find(self, request: Request) -> ShownRun:
        run = self._library.find(str(request.path_params["run"]))
        if run is None:
            raise HTTPException(404)
        run.follower.look()
        return run

    async def _transcript(self, request: Request) -> tuple[ShownRun, Transcript]:
        run = self._find(request)
        found = await run.store.transcript(str(request.path_params["discussion"]))
        if found is None:
            raise HTTPException(404)
        return run, found


async def _refuse(_request: Request, cause: Exception) -> Response:
    return HTMLResponse(render("message", title="This cannot be shown", text=str(cause)), 503)


async def _not_found(request: Request, _cause: Exception) -> Response:
    kind = list_kinds().get(request.url.path.split("/")[1])
    what = "run, discussion or turn" if kind is None else kind.noun[0]
    text = f"There is no such {what} here."
    return HTMLResponse(render("message", title="Not found", text=text), 404)


def _page(name: str, **values: object) -> Response:
    return HTMLResponse(render(name, **values))


def _find_neighbours(
    run: ShownRun, address: ListAddress, key: tuple[int, int, int], listed: object
) -> tuple[object, object]:
    """Return the discussions before and after this one in the list that led here."""
    place = key
    if address.sort != "number":
        value = getattr(listed, address.sort) or 0
        place = (-int(value), *key[1:])
    before, after = (
        run.reader.page(
            run.id, address.chosen, sort=address.sort, after=place, before=back, limit=1
        )
        for back in (True, False)
    )
    return (before[0] if before else None), (after[0] if after else None)


def _read_number(text: str) -> int:
    return min(int(text), 10**6) if text.isascii() and text.isdigit() else 0


def _read_sides(library: Library, given: list[str]) -> list[tuple[ShownRun, str]]:
    """Return the chosen conditions, each given as `RUN:CONDITION`."""
    found: list[tuple[ShownRun, str]] = []
    for one in given:
        key, _, condition = one.partition(":")
        run = library.find(key)
        if run is not None and condition:
            found.append((run, condition))
    return found
