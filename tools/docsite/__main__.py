"""`python -m tools.docsite [--out FOLDER]`: build the documentation site and check its pages."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.docsite.checking import check_site
from tools.docsite.executing import execute_tutorials, render_outputs
from tools.docsite.reference import write_reference
from tools.docsite.staging import ROOT, stage_pages
from tools.docsite.tutorials import TUTORIALS, read_cells

_OUT = Path("build") / "site"
_STAGE = Path("build") / "site-source"
_CONFIG = "zensical.toml"


def main() -> int:
    """Build and check; return 0 for a site without faults, 1 with faults, 2 without the generator."""
    parser = argparse.ArgumentParser(prog="python -m tools.docsite", description=__doc__)
    parser.add_argument("--out", type=Path, default=_OUT, help="default: %(default)s")
    out: Path = parser.parse_args().out.resolve()
    if importlib.util.find_spec("zensical") is None:
        print(
            "error: zensical is missing; run `make docs`, or pip install -e '.[docs]'",
            file=sys.stderr,
        )
        return 2
    stage = (ROOT / _STAGE).resolve()
    built = build_site(stage)
    faults = check_site(built)
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if faults:
        return 1
    if out.exists() and out != built:
        shutil.rmtree(out)
    shutil.copytree(built, out)
    print(f"{sum(1 for _ in out.rglob('*.html'))} pages: {out / 'index.html'}")
    return 0


def build_site(stage: Path) -> Path:
    """Stage all pages in a folder, build them, and return the folder of the site."""
    if stage.exists():
        shutil.rmtree(stage)
    pages = stage / "docs"
    pages.mkdir(parents=True)
    stage_pages(pages, outputs=execute_all())
    write_reference(pages)
    config = (ROOT / "tools" / "docsite" / _CONFIG).read_text("utf-8")
    (stage / _CONFIG).write_text(config.replace("@ROOT@", ROOT.as_posix()), "utf-8")
    shutil.copytree(ROOT / "tools" / "docsite" / "assets", pages / "assets")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=stage,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"error: zensical failed\n{done.stdout}\n{done.stderr}")
    return stage / "site"


def execute_all() -> dict[str, list[str]]:
    """Execute all tutorials; return the outputs of their code cells as parts of a page, by file.

    Without nbclient and ipykernel the pages show code only, and stderr says so.
    """
    missing = [name for name in ("nbclient", "ipykernel") if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"warning: tutorials are shown without outputs, as {' and '.join(missing)} is missing; "
            "run `make docs`, or pip install -e '.[docs]'",
            file=sys.stderr,
        )
        return {}
    files = sorted((ROOT / TUTORIALS).glob("*.py"))
    cells = {file.stem: read_cells(file.read_text("utf-8")) for file in files}
    found = execute_tutorials(cells, root=ROOT)
    return {f"{name}.py": [render_outputs(one) for one in each] for name, each in found.items()}


if __name__ == "__main__":
    sys.exit(main())
