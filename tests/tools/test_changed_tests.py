"""The tests of what changed are found by what test files import."""

from pathlib import Path

import pytest

from tools.changed_tests import find_tests

ALONE, ROOM = Path("tests/tracker/test_alone.py"), Path("tests/tracker/test_room.py")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """Test files of two rooms, of which one imports a module and the others rooms."""
    for path, text in {
        ALONE: "from peerjudge.tracker import alone\n",
        ROOM: "from peerjudge.tracker import track\n",
        Path("tests/data/test_room.py"): "import peerjudge.data\n",
    }.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.chdir(tmp_path)


def test_a_module_is_tested_by_the_files_that_import_it():
    """A file that imports the module is the test of it; other files of the folder are not."""
    assert find_tests([Path("peerjudge/tracker/alone.py")]) == [ALONE]


def test_a_changed_test_is_run_and_a_fixture_file_is_none():
    """Test files are themselves what to run; `conftest.py` holds no test."""
    assert find_tests([ROOM, Path("tests/conftest.py")]) == [ROOM]


def test_a_module_that_no_test_imports_has_the_tests_of_its_room():
    """Modules behind the door of a room are tested through the room."""
    assert find_tests([Path("peerjudge/tracker/unknown.py")]) == [ALONE, ROOM]
