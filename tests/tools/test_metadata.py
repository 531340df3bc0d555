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


def test_the_page_of_the_architecture_lists_every_room_from_top_to_bottom():
    """The rooms on the page stand in the order in which the contract lets them import each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = [re.findall(r"\w+", layer) for layer in contracts["contracts"][0]["layers"]]
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\|[^|]*\|([^|]*`[^|]*)\|", page, re.MULTILINE)
    listed = [room for row in rows for room in re.findall(r"`(\w+)`", row)]
    level = {room: number for number, rooms in enumerate(layers) for room in rooms}
    assert sorted(listed) == sorted(level)
    assert [level[room] for room in listed] == sorted(level[room] for room in listed)
