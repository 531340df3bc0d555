"""The tests of what changed are found by what test files import."""

from pathlib import Path

from tools.changed_tests import find_tests, list_imports

THIS = Path("tests/tools/test_changed_tests.py")


def test_a_module_is_tested_by_the_files_that_import_it(monkeypatch):
    """This file imports the tool, so it is the test of it; other files of the folder are not."""
    monkeypatch.chdir(Path(__file__).parents[2])
    assert find_tests([Path("tools/changed_tests.py")]) == [THIS]


def test_a_changed_test_is_run_and_a_fixture_file_is_none(monkeypatch):
    """Test files are themselves what to run; `conftest.py` holds no test."""
    monkeypatch.chdir(Path(__file__).parents[2])
    assert find_tests([THIS, Path("tests/conftest.py")]) == [THIS]


def test_a_module_that_no_test_imports_has_the_tests_of_its_room(monkeypatch):
    """Modules behind the door of a room are tested through the room."""
    monkeypatch.chdir(Path(__file__).parents[2])
    imported = {
        module for path in Path("tests").rglob("test_*.py") for module in list_imports(path)
    }
    assert "peerjudge.tracker.unknown" not in imported
    found = find_tests([Path("peerjudge/tracker/unknown.py")])
    assert found
    assert {path.parent for path in found} == {Path("tests/tracker")}
