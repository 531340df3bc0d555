"""Writes a page of templates: with its policy, its styles and its one script, whole or not at all."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from peerjudge.errors import StoreError
from peerjudge.reporting.drawing import environment, packaged

__all__ = ["write_page"]


def write_page(
    template: str, context: Mapping[str, object], *, path: Path, scripts: Sequence[str]
) -> Path:
    """Fill the template, which extends `page.html.j2`, and return the path.

    Args:
        template: its name.
        context: what it shows; every text is escaped.
        path: where to; folders in between are made.
        scripts: that lie beside the templates; the page's policy allows these and no others.

    Raises:
        StoreError: the file cannot be written.
    """
    script = "".join(map(packaged, scripts))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = (
        environment()
        .get_template(template)
        .stream(
            **context,
            style=packaged("figures.css") + packaged("report.css"),
            script=script,
            script_hash=f"sha256-{digest}",
        )
    )
    page.enable_buffering(64)
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A lone surrogate has no UTF-8 form, and browsers have crashed on its escape: it becomes `?`.
        with draft.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(page)
        draft.replace(path)
    except OSError as cause:
        msg = f"cannot write the report {path}: {cause.strerror}; choose another place with -o"
        raise StoreError(msg) from cause
    return path
