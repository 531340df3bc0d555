"""Chromium and axe for tests in a real browser; modules that import this skip where they are absent."""

import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'peerjudge[web]'")
NEEDED = "pip install playwright axe-playwright-python"
api = pytest.importorskip("playwright.sync_api", reason=f"needs playwright: {NEEDED}")
pytest.importorskip("axe_playwright_python", reason=f"needs axe: {NEEDED}")


def find_chromium() -> str | None:
    """Return the browser named by CHROMIUM, one of this machine, or the one of playwright."""
    if named := os.environ.get("CHROMIUM"):
        return named
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    caches = (Path.home() / ".cache", Path.home() / "Library" / "Caches")
    if not any((cache / "ms-playwright").exists() for cache in caches):
        return None
    with api.sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


CHROMIUM = find_chromium()
if CHROMIUM is None:
    pytest.skip(
        "the desk and the viewer are NOT tested in a browser: install Chromium (apt install chromium, or "
        "playwright install chromium), or set CHROMIUM to its path",
        allow_module_level=True,
    )

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
WIDTHS = (1440, 390)
