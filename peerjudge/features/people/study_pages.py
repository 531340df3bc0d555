"""Pages of studies in the viewer: progress by person, checks, times and agreement."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from peerjudge.errors import PeerJudgeError
from peerjudge.features.people.pages import render
from peerjudge.features.people.results import StudyResult, study
from peerjudge.features.people.study_desk import stamp_study
from peerjudge.web.library import Library

_LIMITS = ("0", "0.1", "0.2", "0.34", "0.5")
"""Shares of failed checks by which people can be left out of the agreement."""
_MOST_KEPT = 8


class StudyViews:
    """The pages of the studies of one library; results are kept until something is written."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._kept: dict[tuple[object, ...], StudyResult] = {}

    async def list_all(self, request: Request) -> Response:
        """List the studies."""
        studies = self._library.others["studies"]
        if len(studies) == 1 and "all" not in request.query_params:
            return RedirectResponse(f"/studies/{next(iter(studies))}", 303)
        shown = [(key, folder, await self._read(folder)) for key, folder in studies.items()]
        return HTMLResponse(render("studies", studies=shown, title="Studies"))

    async def show(self, request: Request) -> Response:
        """Show one study; `run` holds people against a run, `failed` leaves inattentive people out."""
        folder = self._find(request)
        runs = list(self._library.runs.values())
        run = self._library.find(request.query_params.get("run", ""))
        failed = request.query_params.get("failed", "")
        failed = failed if failed in _LIMITS else ""
        stamp = stamp_study(folder)
        error, found = "", await self._read(folder, failed=failed)
        if run is not None:
            try:
                found = await self._read(folder, failed=failed, run=run.address)
            except PeerJudgeError as cause:
                error = str(cause)
        page = render(
            "study_view",
            key=request.path_params["study"],
            folder=folder,
            study=found.study,
            progress=found.progress,
            tables=found.parts(),
            runs=runs,
            run=run,
            failed=failed,
            limits=_LIMITS,
            error=error,
            stamp=stamp,
            title=found.study.name or "Study",
        )
        return HTMLResponse(page)

    async def version(self, request: Request) -> Response:
        """Return a text that changes when somebody answers."""
        return Response(stamp_study(self._find(request)), media_type="text/plain")

    def _find(self, request: Request) -> Path:
        folder = self._library.others["studies"].get(str(request.path_params["study"]))
        if folder is None:
            raise HTTPException(404)
        return folder

    async def _read(self, folder: Path, *, failed: str = "", run: str | None = None) -> StudyResult:
        key = (folder, stamp_study(folder), failed, run)
        if key not in self._kept:
            while len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            most = float(failed) if failed else None
            self._kept[key] = await asyncio.to_thread(study, folder, run=run, most_failed=most)
        return self._kept[key]
