"""Templates, style sheet and script of the desk and of studies, beside those of the viewer."""

from __future__ import annotations

from functools import partial
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from peerjudge.web.assets import serve_static
from peerjudge.web.pages import render_from

__all__ = ["render", "serve_desk_static"]

_PACKAGE = "peerjudge.features.people"
_STATIC = {"desk.css": "text/css", "desk.js": "text/javascript"}

render = partial(render_from, _PACKAGE)
"""Return a page of people; all values are escaped."""


async def serve_desk_static(request: Request) -> Response:
    """Return a style sheet or script of the desk, or what the viewer has of this name."""
    name = str(request.path_params["name"])
    if name not in _STATIC:
        return await serve_static(request)
    text = files(_PACKAGE).joinpath("static", name).read_text("utf-8")
    return Response(text, media_type=_STATIC[name])
