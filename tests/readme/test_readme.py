"""What the README shows works, as it is written there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ((?:agents|protocols|experiments)/\w+\.\w+)\n")


def _blocks():
    return BLOCK.findall(README.read_text("utf-8"))


def _played(command, folder):
    scripts = str(Path(sys.executable).parent)
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_every_block_of_the_readme_works(tmp_path):
    """A reader who types the README's files and commands, top to bottom, meets no error."""
    commands = []
    for language, body in _blocks():
        if named := FILE.match(body):
            path = tmp_path / named.group(1)
            path.parent.mkdir(exist_ok=True)
            path.write_text(body, "utf-8")
        elif language == "python":
            commands.append([sys.executable, "-c", body])
        elif language == "console":
            commands += [shlex.split(line[2:]) for line in body.splitlines() if line[:2] == "$ "]
    assert len(commands) >= 10
    for command in commands:
        outcome = _played(command, tmp_path)
        assert outcome.returncode == 0, f"{command}\n{outcome.stdout}\n{outcome.stderr}"
