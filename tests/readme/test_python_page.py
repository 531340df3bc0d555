"""The page for users of Python works as it is written there."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_blocks_of_the_python_page_are_one_program(commands, tmp_path):
    """A reader who pastes the blocks of docs/python.md into one session meets no error and no warning."""
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    assert len(blocks) >= 8
    done = commands.run(tmp_path, program="\n".join(blocks))
    assert done.code == 0, f"{done.out}\n{done.err}"
    assert done.err == ""
    assert {"accuracy.svg", "report.html"} <= {path.name for path in tmp_path.iterdir()}
