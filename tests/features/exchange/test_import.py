"""`peerjudge import`: files of other tools become a folder that every command reads."""

from __future__ import annotations

import json

import pytest

BATTLES = [
    {
        "question_id": number,
        "model_a": "m1",
        "model_b": "m2",
        "winner": "model_a" if number % 3 else "model_b",
        "judge": judge,
        "conversation_a": [
            {"role": "user", "content": f"Question {number}?"},
            {"role": "assistant", "content": "One."},
        ],
        "conversation_b": [
            {"role": "user", "content": f"Question {number}?"},
            {"role": "assistant", "content": "Another one."},
        ],
    }
    for number in range(30)
    for judge in ("arena_user_1", "judge-x")
]


@pytest.fixture(scope="module")
def battles(new_shell):
    """A shell in a folder with imported battles."""
    shell = new_shell()
    (shell.folder / "battles.json").write_text(json.dumps(BATTLES))
    assert shell("import", "battles.json", "--out", "records").code == 0
    return shell


def test_every_command_reads_imported_battles(battles):
    """30 questions, 20 won by m1: ranking, agreement, score and bias give these numbers."""
    ranked = battles("rank", "records", "--json").document
    assert ranked["contestants"]["m1"]["rank"] == 1
    assert ranked["contestants"]["m1"]["score"] == pytest.approx(20 / 30)
    scored = battles("score", "records", "--json")
    assert scored.code == 0
    assert "judge-x" in scored.out
    for command in ("agreement", "bias"):
        assert battles(command, "records", "--json").code == 0
    assert battles("report", "records", "-o", "page.html").code == 0


def test_an_imported_folder_is_data_for_a_run(battles):
    """The texts came in, so reviewers can judge them; no prefix is needed."""
    settings = ("--limit", "2", "-S", "turns=0", "--json")
    done = battles("run", "leader_follower", "--data", "records", *settings)
    assert done.code == 0
    assert done.document["discussions"]["failed"] == 0


def test_an_own_table_needs_no_prefix(shell):
    """The ending of a file is enough to tell JSON Lines and CSV."""
    (shell.folder / "pairs.csv").write_text("question,answer_a,answer_b,gold\nWhy?,x,y,a\n")
    (shell.folder / "pairs.jsonl").write_text(
        '{"question": "Why?", "answer_a": "x", "answer_b": "y", "gold": "a"}\n'
    )
    for path in ("pairs.csv", "pairs.jsonl"):
        planned = shell("run", "leader_follower", "--data", path, "--dry-run", "--json")
        assert planned.document["comparisons"] == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("import", "none.json", "--out", "x"), "there is no file none.json"),
        (("import", "arenas", "battles.json", "--out", "x"), "did you mean 'arena'"),
        (("import", "other.jsonl", "--out", "x"), "which no format knows"),
        (("import", "battles.json", "--out", "."), "holds other files"),
        (("import", "battles.json", "--out", "x", "--map", "question"), "--map takes FIELD=COLUMN"),
        (("import", "battles.json", "--out", "x", "--encoding", "no"), "no encoding 'no'"),
    ],
)
def test_a_wrong_import_says_what_to_do(battles, words, sentence):
    """Exit code 2 and a sentence; nothing is written."""
    (battles.folder / "other.jsonl").write_text('{"left": "x", "right": "y"}\n')
    done = battles(*words)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())
    assert not (battles.folder / "x").exists()


def test_what_a_hostile_file_says_is_text(shell):
    """Markup, control characters and paths in names are stored as text; nothing is executed."""
    name = "../../<script>alert(1)</script>\x1b[31m{{ 7*7 }}"
    rows = [{**BATTLES[0], "model_a": name, "judge": name}, BATTLES[2]]
    (shell.folder / "battles.json").write_text(json.dumps(rows))
    assert shell("import", "battles.json", "--out", "records").code == 0
    ranked = shell("rank", "records", "--reviewers", name)
    assert "\x1b[31m" not in ranked.out + ranked.err
    assert shell("report", "records", "-o", "page.html").code in (0, 2)
    page = shell.folder / "page.html"
    assert not page.exists() or "<script>alert(1)" not in page.read_text()
    assert sorted(path.name for path in (shell.folder / "records").iterdir()) == [
        "comparisons.jsonl",
        "dataset.json",
        "reviews.jsonl",
    ]


TALKS = [
    {
        "question": f"Question {number}?",
        "answers": [{"text": "x", "author": "m1"}, {"text": "y", "author": "m2"}],
        "gold": "a",
        "turns": [
            {"speaker": "ann", "text": "First.", "verdict": "a", "private": True},
            {"speaker": "bob", "text": "Choice: 2", "private": True},
            {"speaker": "ann", "text": "It is the first.", "verdict": "a"},
            {"speaker": "bob", "text": "I see.", "verdict": "a" if number % 2 else "b"},
        ],
    }
    for number in range(8)
]


def test_imported_discussions_are_a_run(shell):
    """Every command on runs reads them; of eight followers, four were persuaded, towards gold."""
    (shell.folder / "talks.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in TALKS))
    done = shell("import", "talks.jsonl", "--out", "talks", "--licence", "CC0", "--json")
    assert done.code == 0, done.err
    assert done.document["discussions"] == 8
    events = [json.loads(line) for line in shell("events", "talks", "--json").out.splitlines()]
    altered = [one for one in events if one["kind"] == "altered"]
    assert len(altered) == 4
    assert {one["seat"] for one in altered} == {"bob"}
    scored = shell("score", "talks", "--json").document["rows"]
    accuracy = {
        (one["reviewer"], one["stance"]): one["total"]["accuracy"]["value"] for one in scored
    }
    assert accuracy == {
        ("ann", "private"): 1.0,
        ("ann & bob", "concluded"): 0.5,
        ("bob", "private"): 0.0,
    }
    assert shell("rank", "talks", "--json").document["reviews"] == 16
    assert shell("report", "talks", "-o", "page.html").code == 0
    assert len(shell("export", "talks", "--format", "jsonl").out.splitlines()) == 8
    manifest = json.loads((shell.folder / "talks/manifest.json").read_text())
    assert manifest["imported"]["licence"] == "CC0"
    refused = shell("run", "quickstart", "--out", "talks")
    assert refused.code == 2
    assert "holds imported discussions" in refused.err
    again = shell("import", "talks.jsonl", "--out", "talks")
    assert (again.code, "holds other files" in again.err) == (2, True)


def test_imported_reviews_are_exported_as_those_of_a_run(battles):
    """Battles that are written and read again give the same ranking, orders and judges."""
    assert battles("export", "records", "--format", "arena", "-o", "out.jsonl").code == 0
    assert battles("import", "out.jsonl", "--human", "arena_user_1", "--out", "again").code == 0
    words = ("--reviewers", "judge-x", "--json")
    one, two = (battles("rank", place, *words).document for place in ("records", "again"))
    assert one == two
    assert len((battles.folder / "out.jsonl").read_text().splitlines()) == len(BATTLES)
    none = battles("export", "sample", "--format", "arena")
    assert (none.code, "has no reviews to export" in none.err) == (2, True)


def test_columns_are_named_in_every_command_that_takes_data(shell):
    """Run, its estimate and import take the same option; a run keeps it for what reads its data later."""
    table = "Prompt,A text,B text,label\nWhy?,x,y,1\nHow?,x,z,0\n"
    (shell.folder / "pairs.csv").write_text(table)
    columns = ("question=Prompt", "answer_a=A text", "answer_b=B text", "gold=label")
    mapped = [word for column in columns for word in ("--map", column)] + ["--codes", "0=a,1=b"]
    data = ("--data", "pairs.csv", *mapped)
    done = shell("run", "quickstart", *data, "--out", "named", "--display", "none")
    assert done.code == 0, done.err
    assert shell("score", "named").code == 0
    assert shell("run", "quickstart", *data, "--dry-run").code == 0
    assert shell("import", "csv", "pairs.csv", *mapped, "--out", "records").code == 0
    refused = shell("score", "named", "--map", "question=Prompt")
    assert refused.code == 2
    assert "is a run, which has no columns to name" in refused.err
    unnamed = shell("run", "quickstart", "--data", "pairs.csv", "--dry-run")
    assert "use --map question=Prompt --map gold=label" in unnamed.err


def test_a_reviewer_with_a_comma_in_its_name_is_named_in_quotes(shell):
    """Import keeps the name, and the option of an analysis takes it as a cell of a CSV."""
    lines = ["question,answer_a,answer_b,author_a,author_b,gold,reviewer,verdict"]
    lines += [
        f'Q{n}?,x{n},y,m1,m2,a,"gpt-4, t=0",a\nQ{n}?,x{n},y,m1,m2,a,other,b' for n in range(9)
    ]
    (shell.folder / "judged.csv").write_text("\n".join(lines) + "\n")
    assert shell("import", "csv", "judged.csv", "--out", "records").code == 0
    named = shell("rank", "records", "--reviewers", '"gpt-4, t=0"', "--json")
    assert named.code == 0, named.err
    assert "other" not in named.out
    split = shell("rank", "records", "--reviewers", "gpt-4, t=0")
    assert split.code == 2
    assert "gpt-4" in split.err
