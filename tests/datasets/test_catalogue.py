"""Datasets are found by name."""

from __future__ import annotations

import pytest

from peerjudge.datasets import GoldRule, list_datasets, load
from peerjudge.datasets.catalogue import find_licence
from peerjudge.datasets.source import Options
from peerjudge.datasets.sources.records import read_description
from peerjudge.errors import DataError
from peerjudge.features.exchange.importing import import_records


def test_every_dataset_has_a_name_and_a_description():
    """Only built-in data need no path."""
    listed = list_datasets()
    assert list(listed) == sorted(listed)
    assert {"csv", "jsonl", "lfqa", "llmbar", "mtbench", "mtbench200", "sample"} <= set(listed)
    assert {"summeval", "vicuna80"} <= set(listed)
    assert [name for name, source in listed.items() if source.place] == [
        "dialogues",
        "sample",
        "sums",
    ]
    assert all(each.description and "\n" not in each.description for each in listed.values())


def test_an_unknown_name_lists_the_known_ones():
    """The error of a misspelt name lists the datasets."""
    with pytest.raises(
        DataError, match=r"no dataset 'vicuna'; choose one of alpaca_eval, arena, .*vicuna80"
    ):
        load("vicuna:somewhere")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("absent.csv", "there is no file absent.csv; check the path"),
        ("absent", "no file or folder of this name: for a run, give its folder"),
        ("pairs.xlsx", "save a table of pairs as .csv, .*or .parquet, or name the format"),
        ("folder", "the folder folder holds no imported records; give FORMAT:folder"),
    ],
)
def test_a_wrong_path_is_not_called_an_unknown_dataset(name, says, tmp_path, monkeypatch):
    """A path that is misspelt, or has no known ending, needs another sentence than a wrong name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.xlsx").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match=says):
        load(name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("lfqa", "not an LFQA folder"),
        ("llmbar", "not an LLMBar folder"),
        ("vicuna80", "not a vicuna80 folder; name the one that holds"),
        ("summeval", r"no folder with SummEval's ratings.jsonl"),
        ("mtbench200", r"no folder with llmbar_sample_200.jsonl"),
    ],
)
def test_the_folder_of_another_dataset_is_refused(name, says, tmp_path):
    """The message names the folder and the files it lacks."""
    with pytest.raises(DataError, match=says):
        load(f"{name}:{tmp_path}")


def test_a_users_file_needs_its_path():
    """`jsonl` alone names no file."""
    with pytest.raises(DataError, match="dataset 'jsonl' needs a path; give jsonl:PATH"):
        load("jsonl")


def test_a_gold_rule_needs_votes():
    """Where there is one gold verdict per comparison, no rule can settle it differently."""
    for arguments in (
        {"spec": "sample+sign_of_mean"},
        {"spec": "sample", "gold": GoldRule.SIGN_OF_MEAN},
    ):
        with pytest.raises(DataError, match="'sample' has one gold verdict per comparison"):
            load(**arguments)


def test_an_unknown_gold_rule_lists_the_known_ones():
    """The error lists all rules."""
    with pytest.raises(
        DataError, match="unknown gold rule 'loudest'; choose one of sign_of_mean, strict"
    ):
        load("lfqa+loudest:somewhere")


def test_a_limit_keeps_the_first_comparisons():
    """A limit keeps comparisons from the top; a limit of 0 is an error."""
    assert load("sample", limit=5).comparisons == load("sample").comparisons[:5]
    assert load("sample", limit=500) == load("sample")
    with pytest.raises(DataError, match="a limit of 0 comparisons leaves nothing"):
        load("sample", limit=0)


def test_a_path_may_begin_at_home_and_hold_colons(tmp_path, monkeypatch):
    """Only the first colon separates the name from the path, and `~` is the user's home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a:b.jsonl").write_text('{"question": "Why?", "answer_a": "x", "answer_b": "y"}')
    assert len(load("jsonl:~/a:b.jsonl").comparisons) == 1


def test_a_licence_is_that_of_the_publisher_or_of_the_records(tmp_path, monkeypatch):
    """Records state theirs, also below the user's home; a file of one's own has none that is known."""
    monkeypatch.setenv("HOME", str(tmp_path))
    pairs, folder = tmp_path / "pairs.jsonl", tmp_path / "own"
    pairs.write_text('{"question": "Why?", "answer_a": "x", "answer_b": "y"}')
    import_records(pairs, out=folder, format="jsonl", licence="CC0-1.0")
    assert find_licence("records:~/own") == find_licence(str(folder)) == "CC0-1.0"
    assert find_licence("vicuna80+strict_majority:anywhere") == "MIT"
    assert find_licence(f"jsonl:{pairs}") == find_licence("records:absent") == ""
    (folder / "dataset.json").write_text("{")
    with pytest.raises(DataError, match=r"dataset.json is not complete JSON"):
        find_licence("records:~/own")


def test_records_have_the_digest_of_every_file(write, tmp_path):
    """Two files of one name in different folders are told apart by their paths."""
    files = [
        write(f"{model}/out.jsonl", [{"question": "Why?", "model": model, "answer": model}])
        for model in ("m1", "m2")
    ]
    import_records(files[0], out=tmp_path / "own", options=Options(files=(files[1],)))
    described = read_description(tmp_path / "own")
    assert described.files.keys() == {file.as_posix() for file in files}
    assert len(set(described.files.values())) == 2


def test_an_interrupted_import_is_repeated_in_the_same_folder(write, tmp_path):
    """An unfinished file of an import does not count as a file of the user."""
    row = {"question": "Why?", "answer_a": "x", "answer_b": "y", "annotator": "ann", "vote": "a"}
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "comparisons.jsonl.part").write_text('{"id": "c')
    import_records(write("votes.jsonl", [row]), out=folder)
    assert len(load(str(folder)).reviews) == 1
    files = ["comparisons.jsonl", "dataset.json", "reviews.jsonl"]
    assert sorted(file.name for file in folder.iterdir()) == files
    (folder / "dataset.json").unlink()
    with pytest.raises(DataError, match="holds other files"):
        import_records(tmp_path / "votes.jsonl", out=folder)


def test_records_that_were_edited_are_named_by_their_place(write, tmp_path):
    """A rule that does not exist is an error with the file and the value."""
    row = {"question": "Why?", "answer_a": "x", "answer_b": "y", "annotator": "ann", "vote": "a"}
    folder = import_records(write("votes.jsonl", [row]), out=tmp_path / "own").folder
    text = (folder / "dataset.json").read_text()
    (folder / "dataset.json").write_text(text.replace("sign_of_mean", "loudest"))
    with pytest.raises(
        DataError, match=r"dataset.json: .*gold_rule: .*'loudest'.*import the records"
    ):
        load(str(folder))
