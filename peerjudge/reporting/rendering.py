"""Templates of pages, and the style sheets and scripts beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def load_templates() -> Environment:
    """Return the templates of this room."""
    return build_environment("peerjudge.reporting")


def build_environment(package: str) -> Environment:
    """Return the templates of a package, which escape all values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_packaged(name: str) -> str:
    """Return the text of a file beside the templates."""
    return files("peerjudge.reporting").joinpath("templates", name).read_text("utf-8")


def read_colours() -> str:
    """Return the style sheet with the colours of figures, light and dark."""
    style = read_packaged("figures.css")
    return style[: style.index(".chart")]


@cache
def read_palette() -> Mapping[str, str]:
    """Return the colours of figures on white paper, by name."""
    style = read_colours()
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", style[: style.index("@media")]))
