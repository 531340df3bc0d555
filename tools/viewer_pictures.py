"""Pictures of the viewer for docs/features/view.md and the README, taken in Chromium.

Usage: `python -m tools.viewer_pictures [--out docs/viewer]`. Plays the quickstart, starts the
viewer, and writes one PNG per screen. It needs playwright
(`pip install playwright`) and Chromium (`apt install chromium`).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from studies.real_models.excerpts import choose_excerpts
from studies.real_models.publishing import read_published

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
_PUBLISHED = Path("docs/studies/real_models")
_SIZE = {"width": 1100, "height": 720}
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def main() -> None:
    """Play, view and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/viewer"))
    out: Path = parser.parse_args().out
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("needs Chromium: apt install chromium")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "quickstart"
        play = [PEERJUDGE, "run", "quickstart", "--out", str(run), "--display", "none"]
        subprocess.run(play, check=True, capture_output=True)  # noqa: S603  our own command
        with serve("quickstart", Path(name)) as link:
            take(link, chromium, out)
    with serve(str(_PUBLISHED / "sample.jsonl.gz"), Path()) as link:
        take_published(link, chromium, out)


@contextmanager
def serve(source: str, folder: Path) -> Generator[str]:
    """Start the viewer in a folder and return its link."""
    viewer = subprocess.Popen(  # noqa: S603  our own command
        [PEERJUDGE, "view", source, "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield viewer.stdout.readline().strip() if viewer.stdout else ""
    finally:
        viewer.terminate()
        viewer.wait()


def take(link: str, chromium: str, out: Path) -> None:
    """Write a picture of each screen."""
    # Named at run time: it is no dependency of the package.
    api: Any = import_module("playwright.sync_api")
    base = link.partition("/open")[0]
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        page: Any = browser.new_page(viewport=_SIZE)
        page.goto(link)
        run = re.sub(r"^.*(/r/\w+).*$", r"\1", page.url)

        def shoot(name: str, address: str) -> None:
            page.goto(base + address)
            page.locator("[data-pending]").wait_for(state="detached", timeout=60_000)
            page.screenshot(path=str(out / f"{name}.png"))
            print(out / f"{name}.png")

        shoot("run", run)
        shoot("discussions", f"{run}/d?event=altered&move=away")
        discussion = page.locator(".item").first.get_attribute("href").partition("?")[0]
        shoot("discussion", discussion)
        shoot("turn", f"{discussion}/t/2")
        key = run.rpartition("/")[2]
        sides = f"side={key}:strong with weak&side={key}:solid with plain"
        shoot("comparison", f"/compare?run={key}&{sides}")
        page.emulate_media(color_scheme="dark")
        shoot("discussion-dark", discussion)
        browser.close()


def take_published(link: str, chromium: str, out: Path) -> None:
    """Write the picture of the README: the discussion of real models that it quotes."""
    api: Any = import_module("playwright.sync_api")
    _, transcripts = read_published(_PUBLISHED)
    chosen = choose_excerpts(transcripts["sample"])[0].transcript.id
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        page: Any = browser.new_page(viewport={"width": 1100, "height": 680})
        page.goto(link)
        page.locator("[data-pending]").wait_for(state="detached", timeout=60_000)
        run = re.sub(r"^.*(/r/\w+).*$", r"\1", page.url)
        page.goto(f"{link.partition('/open')[0]}{run}/d/{chosen}")
        page.screenshot(path=str(out / "real-discussion.png"))
        print(out / "real-discussion.png")
        browser.close()


if __name__ == "__main__":
    main()
