"""The project's files agree on version and supported Python versions."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_citation_has_the_version_of_the_package():
    """`CITATION.cff` names the release that is cited."""
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == PROJECT["version"]


def test_continuous_integration_tests_every_supported_python():
    """The classifiers claim the versions that the workflow runs."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    tested = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", workflow)[1])
    claimed = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert tested == claimed
    assert PROJECT["requires-python"] == f">={tested[0]}"
