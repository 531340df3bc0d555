"""Bundles: equal runs give equal files, and `verify` finds every change."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import random
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from peerjudge.data import UNREADABLE, Transcript, replace, to_json
from peerjudge.errors import DataError
from peerjudge.features.bundles.bundling import (
    Bundle,
    bundle,
    compute_numbers,
    dump,
    list_sums,
    open_member,
    order_members,
)
from peerjudge.features.bundles.verifying import Verification, verify
from peerjudge.results.scores import score
from peerjudge.results.styles import rank_styles
from peerjudge.runs.transcript_files import read_transcript_file
from peerjudge.shelf import Shelf

STUDIES = Path(__file__).parents[3] / "docs" / "studies" / "real_models"
SUMS = "SHA256SUMS"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, commands) -> Path:
    """Return the folder of a very small run: every test here computes all its numbers again."""
    folder = tmp_path_factory.mktemp("played")
    words = ("run", "leader_follower", "--limit", "6", "--out", "study", "--display", "none")
    settings = ("-S", "turns=2", "-S", "orders=given", "-S", "leader=first")
    assert commands.run(folder, *words, *settings).code == 0
    return folder / "study"


@pytest.fixture(scope="module")
def bundled(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bundle of that run."""
    return bundle(run, output=tmp_path_factory.mktemp("bundle") / "study.zip").path


@pytest.fixture(scope="module")
def verified(bundled: Path) -> Verification:
    """Return what `verify` finds in that bundle."""
    return verify(bundled)


@pytest.fixture(scope="module")
def bare(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Return a bundle of that run without its texts."""
    return bundle(run, output=tmp_path_factory.mktemp("bare") / "bare.zip", texts=False)


def read(file: Path) -> dict[str, bytes]:
    """Return the members of an archive."""
    with ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(file: Path, members: Mapping[str, bytes]) -> Path:
    """Write members as a bundle whose digests are right."""
    digests = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in members.items()
        if name != SUMS
    }
    whole = {**members, SUMS: list_sums(digests)}
    with ZipFile(file, "w") as archive:
        for name in order_members(whole):
            archive.writestr(open_member(archive, name), whole[name])
    return file


def list_problems(found: Verification) -> dict[str, str]:
    """Return the problems that `verify` found, by member."""
    return {check.member: check.problem for check in found.checks if check.problem}


def problems(file: Path) -> dict[str, str]:
    """Return what `verify` finds, by member."""
    return list_problems(verify(file))


def test_a_bundle_holds_and_names_what_was_recomputed(verified: Verification):
    """Digests are equal, and seven members are computed again from the transcripts."""
    assert verified.holds
    recomputed = {check.member for check in verified.checks if check.recomputed}
    names = ("agreement", "bias", "events", "rank", "report", "score")
    assert recomputed == {"report.html", *(f"numbers/{name}.json" for name in names)}


def test_equal_runs_give_equal_bundles(run: Path, bundled: Path, tmp_path: Path):
    """Neither the time nor the place of writing is in a bundle, and one can be made of another."""
    for number, source in enumerate((run, bundled)):
        again = bundle(source, output=tmp_path / f"{number}.zip").path
        assert again.read_bytes() == bundled.read_bytes()


def test_commands_read_a_bundle_like_its_run(run: Path, bundled: Path):
    """Scores of the bundle, of the run and in the bundle are the same, apart from their source."""
    kept = json.loads(read(bundled)["numbers/score.json"])
    assert kept.pop("source") == "transcripts.jsonl.gz"
    for source in (run, bundled):
        document = score(source).document()
        assert document.pop("source") == str(source)
        assert document == kept


@pytest.mark.slow
def test_every_changed_byte_is_found(bundled: Path, tmp_path: Path):
    """Bytes of members, of their names and dates, and of the directory of the archive all count."""
    content, draw = bundled.read_bytes(), random.Random(1)
    for place in [0, 5, len(content) - 1, *(draw.randrange(len(content)) for _ in range(4))]:
        changed = bytearray(content)
        changed[place] ^= 1 << draw.randrange(8)
        file = tmp_path / "changed.zip"
        file.write_bytes(changed)
        try:
            assert not verify(file).holds, place
        except DataError:
            assert place < 2  # no longer a zip archive


def edit_number(members: dict[str, bytes]) -> None:
    """Give the first score to another reviewer."""
    document = json.loads(members["numbers/score.json"])
    document["rows"][0]["reviewer"] = "sim_plain"
    members["numbers/score.json"] = json.dumps(document).encode()


def edit_page(members: dict[str, bytes]) -> None:
    """Change a figure on the page."""
    members["report.html"] = members["report.html"].replace(b"0", b"1", 1)


def drop_verdicts(members: dict[str, bytes]) -> None:
    """Leave out the last discussions."""
    lines = gzip.decompress(members["transcripts.jsonl.gz"]).splitlines(keepends=True)
    members["transcripts.jsonl.gz"] = gzip.compress(b"".join(lines[:-3]))


@pytest.mark.parametrize(
    ("edit", "member"),
    [
        (edit_number, "numbers/score.json"),
        (edit_page, "report.html"),
        (drop_verdicts, "numbers/report.json"),
    ],
)
def test_a_changed_number_with_a_right_digest_is_found(
    bundled: Path, tmp_path: Path, edit: Callable[[dict[str, bytes]], None], member: str
):
    """Digests only show that a file is whole; the numbers must come out of the transcripts."""
    members = read(bundled)
    edit(members)
    found = problems(write(tmp_path / "edited.zip", members))
    assert member in found
    if edit is edit_number:
        assert list(found) == [member]
        assert "rows[0].reviewer is 'sim_plain' in the bundle" in found[member]


def rewrite_transcripts(
    bundled: Path, folder: Path, change: Callable[[Transcript], Transcript]
) -> Path:
    """Return a bundle of changed discussions, with the numbers that the project computes from them."""
    members = read(bundled)
    transcripts = folder / "transcripts.jsonl.gz"
    transcripts.write_bytes(members[transcripts.name])
    changed = [to_json(change(one)) for one in read_transcript_file(transcripts)]
    transcripts.write_bytes(gzip.compress("\n".join(changed).encode()))
    numbers = compute_numbers(transcripts, json.loads(members["manifest.json"]), texts=True)
    members |= {**numbers, transcripts.name: transcripts.read_bytes()}
    return write(folder / "changed.zip", members)


def set_verdicts_to_gold(one: Transcript) -> Transcript:
    """Let every turn and the conclusion choose the gold answer; the replies stay."""
    gold = one.comparison.gold or UNREADABLE
    turns = (replace(turn, review=replace(turn.review, verdict=gold)) for turn in one.turns)
    return replace(one, turns=tuple(turns), verdict=gold)


def set_conclusions_to_gold(one: Transcript) -> Transcript:
    """Let only the conclusion choose the gold answer."""
    return replace(one, verdict=one.comparison.gold or UNREADABLE)


def set_gold_to_conclusions(one: Transcript) -> Transcript:
    """Declare what was concluded right."""
    return replace(one, comparison=replace(one.comparison, gold=one.verdict))


def drop_turns(one: Transcript) -> Transcript:
    """End each discussion after its first turn."""
    return replace(one, turns=one.turns[:1])


def hear_nothing(one: Transcript) -> Transcript:
    """Let no turn hear another one."""
    turns = (replace(turn, cue=replace(turn.cue, hears=())) for turn in one.turns)
    return replace(one, turns=tuple(turns))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (set_verdicts_to_gold, "turn 0 says"),
        (set_conclusions_to_gold, "its turns conclude"),
        (set_gold_to_conclusions, "its id is not that of its comparison"),
        (drop_turns, "it ends before protocol"),
        (hear_nothing, "has another cue than protocol"),
    ],
)
def test_a_consistent_forgery_is_found(
    bundled: Path, tmp_path: Path, change: Callable[[Transcript], Transcript], problem: str
):
    """Replies are read again and protocols concluded again, so numbers that fit false verdicts fail."""
    found = problems(rewrite_transcripts(bundled, tmp_path, change))
    assert list(found) == ["transcripts.jsonl.gz"]
    assert problem in found["transcripts.jsonl.gz"]


def test_an_edited_card_pack_or_protocol_is_found(bundled: Path, tmp_path: Path):
    """The manifest has the digests of the files and the cards; the ids of discussions depend on both."""
    members = read(bundled)
    edited = {name for name in members if name.startswith(("agents/", "protocols/"))}
    changed = {
        name: content + b"\n# changed\n" * (name in edited) for name, content in members.items()
    }
    found = problems(write(tmp_path / "edited.zip", changed))
    assert len(edited) == 5
    assert {name for name, problem in found.items() if "whose SHA-256" in problem} == edited
    extra = write(tmp_path / "extra.zip", {**members, "agents/other.toml": b""})
    assert list(problems(extra)) == ["agents/other.toml"]


def test_calling_texts_withheld_hides_nothing(bundled: Path, tmp_path: Path):
    """Whether texts are there is seen in the discussions, and each number must be computed again."""
    members = read(bundled)
    summary = json.loads(members["bundle.json"]) | {"texts": False}
    found = verify(write(tmp_path / "claimed.zip", {**members, "bundle.json": dump(summary)}))
    assert found.retraced.identified == found.retraced.discussions
    problem = "is not computed from these transcripts"
    assert list_problems(found) == {"numbers/bias.json": problem}


def test_an_edited_card_with_its_digest_in_the_manifest_is_found(bundled: Path, tmp_path: Path):
    """A card is in the bundle as its file, in the manifest, and in the identity of each discussion."""
    members, name = read(bundled), "sim_gpt4"
    card = members[f"agents/{name}.toml"].replace(b"[traits]\nability = ", b"[traits]\nability = 1")
    manifest = json.loads(members["manifest.json"])
    manifest["files"][f"agents/{name}"] = hashlib.sha256(card).hexdigest()
    for whole in (False, True):
        if whole:
            manifest["cards"][name]["traits"]["ability"] += 10
        file = write(
            tmp_path / "card.zip",
            {**members, f"agents/{name}.toml": card, "manifest.json": dump(manifest)},
        )
        member = "transcripts.jsonl.gz" if whole else f"agents/{name}.toml"
        problem = (
            "is not the one of manifest.json" if whole else "is another card than manifest.json"
        )
        assert problem in problems(file)[member]


def test_a_protocol_of_a_bundle_is_never_executed(shell):
    """A protocol of one's own is played again only from a file that is named and is the same code."""
    own = shell.folder / "protocols" / "own.py"
    own.parent.mkdir()
    own.write_bytes((Path(__file__).parents[3] / "protocols" / "pairwise.py").read_bytes())
    experiment = shell.folder / "mine.py"
    experiment.write_text(
        "from peerjudge.data import Condition, Experiment\n"
        'ONE = Condition(name="one", protocol="own", seats="sim_strong")\n'
        'EXPERIMENT = Experiment(data="sample", prompts="instruction_following", conditions=(ONE,))\n'
    )
    assert shell("run", "mine.py", "--limit", "1", "--out", "run", "--display", "none").code == 0
    assert shell("bundle", "run", "-o", "own.zip").code == 0
    told = shell("verify", "own.zip", "--json")
    assert (told.code, told.document["conclusions_run"]) == (0, 0)
    assert "a bundle is not executed" in told.document["unchecked"][0]
    told = shell("verify", "own.zip", "--protocol", "protocols/own.py", "--json")
    assert told.document["conclusions_run"] == told.document["discussions"] > 0
    assert told.document["unchecked"] == []
    own.write_text(own.read_text() + '\nraise RuntimeError("executed")\n')
    told = shell("verify", "own.zip", "--protocol", "protocols/own.py", "--json")
    assert (told.code, told.document["conclusions_run"]) == (0, 0)
    assert shell("verify", "own.zip", "--protocol", "absent.py").code == 2


def test_verify_says_what_it_did_not_check(verified: Verification, bare: Bundle):
    """Every reply is read and every conclusion run; ids need the texts, files must be there."""
    whole = verified.retraced
    assert whole.unchecked == ()
    assert whole.played == whole.identified == whole.discussions
    assert whole.replies > whole.discussions
    found = verify(bare.path)
    assert found.holds
    retraced = found.retraced
    assert (retraced.replies, retraced.played, retraced.identified) == (
        whole.replies,
        whole.played,
        0,
    )
    (sentence,) = retraced.unchecked
    assert "withheld" in sentence


def test_withheld_texts_are_not_measured(bare: Bundle):
    """A digest has a length that says nothing of its text, so that the texts are called missing."""
    told = " ".join(str(rank_styles(bare.path, controls="length")).split())
    assert "length: the data have no answer texts" in told
    assert "equally long" not in told


def test_verdicts_recorded_with_discussions_are_counted_as_unread(shell):
    """Imported verdicts that were given, without being read from words, are data and stay as they are."""
    rows = [
        {
            "question": f"q{number}",
            "answers": ["one", "two"],
            "turns": [{"speaker": "x", "text": "Well.", "verdict": "a"}],
        }
        for number in range(3)
    ]
    (shell.folder / "talks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert shell("import", "discussions", "talks.jsonl", "--out", "run").code == 0
    assert shell("bundle", "run", "-o", "talks.zip").code == 0
    told = shell("verify", "talks.zip", "--json")
    assert (told.code, told.document["replies_read"], told.document["conclusions_run"]) == (0, 0, 0)
    unchecked = told.document["unchecked"]
    assert {one.partition(":")[0] for one in unchecked} == {
        "3 conclusions not checked",
        "3 verdicts not checked",
        "3 discussion ids not checked",
    }


def test_added_missing_and_repacked_members_are_named(bundled: Path, tmp_path: Path):
    """A bundle holds exactly the members of its list, as `bundle` wrote them."""
    members = read(bundled)
    dropped = {name: content for name, content in members.items() if name != "manifest.json"}
    for name, changed, problem in (
        ("extra.txt", {**members, "extra.txt": b"more"}, "is not in SHA256SUMS"),
        ("manifest.json", dropped, "is missing"),
        ("repacked.zip", members, "the archive itself differs from the one that `bundle` writes"),
    ):
        file = tmp_path / "repacked.zip"
        with ZipFile(file, "w") as archive:
            for each, content in changed.items():
                archive.writestr(each, content)
        assert problem in problems(file)[name]


def test_the_licence_of_the_data_is_in_the_metadata(run: Path, bundled: Path, tmp_path: Path):
    """It is that of the publisher, or the one that is stated, which a bundle of the bundle keeps."""

    def find_licence(file: Path) -> str:
        graph = json.loads(read(file)["ro-crate-metadata.json"])["@graph"]
        (found,) = (one["name"] for one in graph if one["@id"] == "#licence")
        assert f"Licence of the data: {found}" in read(file)["REPRODUCE.md"].decode()
        return found

    assert find_licence(bundled) == "MIT"
    stated = bundle(run, output=tmp_path / "stated.zip", licence="CC0-1.0", texts=False)
    assert find_licence(stated.path) == "CC0-1.0"
    # Kept in the manifest, so that a bundle of the bundle has it too.
    assert json.loads(read(stated.path)["manifest.json"])["licence"] == "CC0-1.0"


def test_a_bundle_of_data_without_a_licence_says_so(tmp_path: Path):
    """Texts that nobody may pass on are not passed on by accident."""
    found = Bundle(
        path=tmp_path / "real.zip",
        size=1,
        discussions=1,
        members=(),
        withheld=(),
        licence="",
        texts=True,
    )
    assert "--no-texts" in str(found)
    for known in (
        dataclasses.replace(found, licence="MIT"),
        dataclasses.replace(found, texts=False),
    ):
        assert "--no-texts" not in str(known)


def test_texts_can_be_withheld(bundled: Path, bare: Bundle, tmp_path: Path):
    """Without texts, no question or answer is in the discussions, and no bias is measured."""
    assert "numbers/bias.json" not in bare.members
    for file, withheld in ((bundled, False), (bare.path, True)):
        transcripts = tmp_path / "transcripts.jsonl.gz"
        transcripts.write_bytes(read(file)["transcripts.jsonl.gz"])
        for one in read_transcript_file(transcripts):
            texts = (one.comparison.question.text, *(each.text for each in one.comparison.answers))
            assert all(text.startswith("sha256:") == withheld for text in texts)
    assert "withheld" in read(bare.path)["REPRODUCE.md"].decode()


def test_files_that_changed_or_hold_a_key_are_withheld(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A bundle has the files of its run, or says why not; the value of a key never enters it."""
    manifest = json.loads((run / "manifest.json").read_text())
    (label, *_) = (each for each in manifest["files"] if each.startswith("agents/"))
    card = Shelf().find("agents", label.partition("/")[2]).path
    secret = card.read_text().split('"')[1]
    monkeypatch.setenv("PLANTED_API_KEY", secret)
    found = bundle(run, output=tmp_path / "keyless.zip")
    assert any("holds the value of PLANTED_API_KEY" in sentence for sentence in found.withheld)
    assert f"agents/{card.name}" not in found.members
    monkeypatch.delenv("PLANTED_API_KEY")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / card.name).write_text(card.read_text() + "\n# changed\n")
    found = bundle(run, output=tmp_path / "changed.zip", shelf=Shelf(project=tmp_path))
    assert [sentence.split(":")[0] for sentence in found.withheld] == [label]
    assert "changed since the run" in found.withheld[0]


@pytest.mark.slow
def test_the_recorded_study_of_real_models_can_be_bundled(tmp_path: Path):
    """Published transcripts are a source without a run; a verdict of an earlier reader is named."""
    found = bundle(STUDIES / "llmbar.jsonl.gz", output=tmp_path / "real.zip")
    told = " ".join(str(verify(found.path)).split())
    assert told.endswith("The bundle does not hold: 1 problem.")
    assert "1 of 116 discussions differ" in told
    assert found.discussions > 50


def test_commands_have_the_documented_exit_codes(run: Path, bundled: Path, shell):
    """0 for a bundle that holds, 1 for one that differs, 2 for a file that is none."""
    made = shell("bundle", str(run), "-o", "mine.zip", "--json")
    assert (made.code, made.document["path"]) == (0, "mine.zip")
    assert shell("verify", "mine.zip").out.rstrip().endswith("nothing that was checked differs.")
    members = read(bundled)
    edit_number(members)
    write(shell.folder / "edited.zip", members)
    told = shell("verify", "edited.zip", "--json")
    assert (told.code, told.document["holds"]) == (1, False)
    (shell.folder / "none.zip").write_text("no archive")
    for words, sentence in (
        (("verify", "none.zip"), "none.zip is not a bundle: it is no zip archive"),
        (("verify", "absent.zip"), "cannot read absent.zip"),
        (("verify", str(run)), f"`peerjudge bundle {run} -o FILE.zip` writes one"),
        (("score", "none.zip"), "none.zip cannot be read"),
        (("bundle", str(run), "-o", "study.tar"), "name it FILE.zip, not study.tar"),
        (("bundle", str(run), "-o", "none.zip"), "none.zip exists"),
        (("bundle", "absent", "-o", "new.zip"), "there is no run folder absent"),
    ):
        told = shell(*words)
        assert told.code == 2
        assert sentence in told.err


def test_an_archive_that_would_fill_the_memory_is_not_read(bundled: Path, tmp_path: Path):
    """Members that would unpack to far more than a bundle holds are refused before they are read."""
    file = tmp_path / "bomb.zip"
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in read(bundled).items():
            archive.writestr(name, content)
        with archive.open("zeros", "w") as member:
            for _ in range(70):
                member.write(bytes(2**20))
    for use in (verify, score):
        with pytest.raises(DataError, match=r"bomb\.zip has .* would unpack to .* was not read"):
            use(str(file))


def unpack_to(size: int, *, line_end: bytes = b"") -> bytes:
    """Return a gzip file of blanks, in one line or in many."""
    part = (line_end or b" ") * 2**20
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join((*(packer.compress(part) for _ in range(size >> 20)), packer.flush()))


@pytest.mark.parametrize(
    "members",
    [
        lambda: {"transcripts.jsonl.gz": unpack_to(2**28)},
        lambda: {"transcripts.jsonl.gz": unpack_to(2**25, line_end=b"\n")},
        lambda: {f"{number}.txt": b"" for number in range(20_000)},
        lambda: {"SHA256SUMS": b"0  x\n" * 20_000},
    ],
    ids=["one long line", "empty lines", "many members", "many digests"],
)
def test_a_bundle_that_unpacks_to_more_than_any_is_refused(
    shell, bundled: Path, members: Callable[[], dict[str, bytes]]
):
    """What members unpack to counts, and how many they are: the answer is a sentence."""
    added = members()
    with ZipFile(shell.folder / "large.zip", "w", ZIP_DEFLATED) as archive:
        for name, content in {**read(bundled), **added}.items():
            archive.writestr(name, content)
    checked = shell("verify", "large.zip")
    assert (checked.code in {1, 2}, "Traceback" in checked.err) == (True, False)
    told = " ".join((checked.out + checked.err).split())
    assert any(word in told for word in ("longer than", "empty lines", "members"))
    if "SHA256SUMS" not in added:
        assert shell("score", "large.zip").code == 2


def test_a_member_in_a_form_that_none_has_is_named(shell, bundled: Path):
    """A member whose compressed bytes are damaged, or that is encrypted, is a problem of the bundle."""
    with ZipFile(shell.folder / "damaged.zip", "w", ZIP_DEFLATED) as archive:
        for name, content in read(bundled).items():
            archive.writestr(name, content)
        place = archive.getinfo("manifest.json").header_offset + 30 + len("manifest.json")
    content = bytearray((shell.folder / "damaged.zip").read_bytes())
    content[place : place + 40] = bytes(255 - one for one in content[place : place + 40])
    (shell.folder / "damaged.zip").write_bytes(content)
    checked = shell("verify", "damaged.zip")
    assert (checked.code, "cannot be read" in checked.out) == (1, True)
    scored = shell("score", "damaged.zip")
    assert (scored.code, "cannot be read" in scored.err) == (2, True)
