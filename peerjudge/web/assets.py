"""Style sheet, script and icon of all pages."""

from __future__ import annotations

from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from peerjudge.reporting.fragments import read_colours

__all__ = ["serve_static"]

_STATIC = {
    "view.css": "text/css",
    "view.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


async def serve_static(request: Request) -> Response:
    """Return a style sheet, script or icon; the palette is that of the report."""
    name = str(request.path_params["name"])
    if name not in _STATIC:
        raise HTTPException(404)
    text = files("peerjudge.web").joinpath("static", name).read_text("utf-8")
    if name == "view.css":
        text = read_colours() + text
    return Response(text, media_type=_STATIC[name])
