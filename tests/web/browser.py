"""Chromium and axe for tests in a real browser; modules that import this skip where they are absent."""

import shutil
from importlib.resources import files

import pytest

NEEDED = "pip install playwright axe-playwright-python, and Chromium (apt install chromium)"
api = pytest.importorskip("playwright.sync_api", reason=f"needs playwright: {NEEDED}")
pytest.importorskip("axe_playwright_python", reason=f"needs axe: {NEEDED}")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip(f"needs a browser: {NEEDED}", allow_module_level=True)

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
