"""The shelves: their files, precedence, and when a file is executed."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from peerjudge.data import ReviewerKind
from peerjudge.errors import CardError, ExperimentError, PromptError, ProtocolError, ShelfError
from peerjudge.shelf import Shelf, builtin_root

PROTOCOL = '''"""No seat ever speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SEATS = (1, None)


@dataclass(frozen=True, kw_only=True)
class Options:
    often: int = 1
    loud: bool = False
    mood: Literal["calm", "grave"] = "calm"


def next_cues(seats, comparison, turns, options):
    return ()
'''
EXPERIMENT = '''"""Does it matter
who leads?

More words.
"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="toy", conditions=(Condition(name="one", protocol="pairwise", seats=("ada",)),)
)
'''


def put(root: Path, place: str, text: str) -> Path:
    """Write a file into a project or a shelf."""
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A user's project and a built-in shelf, both empty."""
    return Shelf(project=tmp_path / "mine", builtin=tmp_path / "builtin")


def mine(shelf: Shelf) -> Path:
    """The user's project."""
    assert shelf.project is not None
    return shelf.project


def builtin(shelf: Shelf) -> Path:
    """The built-in shelf."""
    assert shelf.builtin is not None
    return shelf.builtin


def test_the_builtin_shelf_is_found(tmp_path: Path):
    """Outside any project the built-in protocols and prompts are available."""
    shelf = Shelf(project=tmp_path)
    assert builtin_root() == shelf.builtin
    names = [entry.name for entry in shelf.entries("protocols") if entry.builtin]
    assert "leader_follower" in names
    assert "long_form" in [entry.name for entry in shelf.entries("prompts")]
    assert shelf.protocol("leader_follower").seats == (2, 2)


def test_the_checkout_is_its_own_project():
    """In the checkout, no built-in file shadows itself."""
    root = builtin_root()
    entries = Shelf(project=root).entries("protocols")
    assert all(entry.builtin and entry.shadows is None for entry in entries)


def test_an_empty_shelf_is_empty(shelf: Shelf):
    """A project without the folders has no files of its own."""
    assert shelf.entries("agents") == ()


def test_the_users_file_comes_first_and_its_shadow_is_reported(shelf: Shelf):
    """A user's file hides the built-in file of its name, and the entry names it."""
    hidden = put(builtin(shelf), "protocols/mute.py", "raise SystemExit")
    own = put(mine(shelf), "protocols/mute.py", PROTOCOL)
    put(builtin(shelf), "protocols/other.py", PROTOCOL)
    first, second = shelf.entries("protocols")
    assert (first.name, first.path, first.builtin, first.shadows) == ("mute", own, False, hidden)
    assert (second.name, second.builtin, second.shadows) == ("other", True, None)
    assert shelf.protocol("mute").description == "No seat ever speaks."


def test_listing_executes_nothing(shelf: Shelf, tmp_path: Path):
    """Names and digests need no execution; only a file loaded by name is executed."""
    witness = tmp_path / "witness"
    deed = f"open({str(witness)!r}, 'w').close()\n"
    for place in ("agents/spy.py", "protocols/spy.py", "experiments/spy.py"):
        put(mine(shelf), place, deed)
    put(mine(shelf), "protocols/mute.py", PROTOCOL)
    for kind in ("agents", "protocols", "prompts", "experiments"):
        assert all(isinstance(entry.description, str) for entry in shelf.entries(kind))
    shelf.digest("protocols", "spy")
    shelf.protocol("mute")
    assert not witness.exists()
    with pytest.raises(ProtocolError):
        shelf.protocol("spy")
    assert witness.exists()


def test_entries_describe_themselves(shelf: Shelf):
    """A list shows the description of each file, and also files that cannot be read."""
    put(mine(shelf), "protocols/mute.py", PROTOCOL)
    put(mine(shelf), "protocols/broken.py", "def")
    put(mine(shelf), "protocols/prompts/mine.toml", 'description = "My words."')
    described = {entry.name: entry.description for entry in shelf.entries("protocols")}
    assert described == {"mute": "No seat ever speaks.", "broken": ""}
    assert shelf.entries("prompts")[0].description == "My words."


def test_private_and_foreign_files_are_not_on_the_shelf(shelf: Shelf):
    """Files that start with an underscore or a dot, or have another suffix, are not listed."""
    for name in ("_draft.py", ".hidden.py", "notes.md", "data.toml"):
        put(mine(shelf), f"protocols/{name}", PROTOCOL)
    (mine(shelf) / "protocols" / "prompts").mkdir()
    assert shelf.entries("protocols") == ()


def test_one_name_for_two_files(shelf: Shelf):
    """Two cards of one name are refused as ambiguous."""
    put(mine(shelf), "agents/ada.toml", "")
    put(mine(shelf), "agents/ada.py", "")
    with pytest.raises(ShelfError, match="share the name 'ada'"):
        shelf.card("ada")


def test_unknown_name(shelf: Shelf):
    """The error for an unknown name has the nearest name, all names, and the place for a new file."""
    put(mine(shelf), "protocols/leader_follower.py", PROTOCOL)
    with pytest.raises(ShelfError) as caught:
        shelf.protocol("leader_folower")
    message = str(caught.value)
    assert "did you mean 'leader_follower'?" in message
    assert "Choose one of leader_follower;" in message
    assert "protocols/leader_folower.py" in message


def test_unknown_shelf(shelf: Shelf):
    """An unknown shelf is refused, and the message lists the shelves."""
    with pytest.raises(ShelfError, match="no shelf 'protocol'"):
        shelf.entries("protocol")  # type: ignore[arg-type]


def test_a_dataclass_in_a_shelf_file_works_and_the_file_runs_once(shelf: Shelf):
    """A file is one module for the whole process, registered before it is executed."""
    put(mine(shelf), "protocols/mute.py", PROTOCOL)
    one, two = shelf.protocol("mute"), shelf.protocol("mute")
    assert type(one.options) is type(two.options)
    assert one == two
    assert sys.modules[type(one.options).__module__].__file__ == str(
        mine(shelf) / "protocols" / "mute.py"
    )
    assert "mute" not in sys.modules


def test_options_are_read_from_text(shelf: Shelf):
    """Text from a command line is read as the type of the option."""
    put(mine(shelf), "protocols/mute.py", PROTOCOL)
    protocol = shelf.protocol("mute", {"often": "6", "loud": "true", "mood": "grave"})
    assert protocol.settings() == {"often": 6, "loud": True, "mood": "grave"}
    assert shelf.protocol("mute").settings() == {"often": 1, "loud": False, "mood": "calm"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"oftn": 1},
            r"no option 'oftn'; did you mean 'often'\? It has \['loud', 'mood', 'often'\]",
        ),
        ({"often": "six"}, r"option 'often' of protocol 'mute': .*valid integer.*'six'"),
        ({"mood": "sad"}, r"option 'mood' of protocol 'mute': .*'calm' or 'grave'.*'sad'"),
        ({"often": 1.5}, r"option 'often' of protocol 'mute'"),
    ],
)
def test_bad_options(shelf: Shelf, options: dict[str, str | int | float], message: str):
    """An unknown option and an unfit value are refused, with the allowed ones."""
    put(mine(shelf), "protocols/mute.py", PROTOCOL)
    with pytest.raises(ProtocolError, match=message):
        shelf.protocol("mute", options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SEATS = (1, 1)", "needs SEATS and a function next_cues"),
        (
            "SEATS = (1, 1)\ndef next_cue(*_): ...",
            r"rename it to next_cues\(.*\) -> tuple\[Cue, ...\], and return \(cue,\) in place of cue",
        ),
        ("def next_cues(*_): ...", "needs SEATS and a function next_cues"),
        ("SEATS = 2\ndef next_cues(*_): ...", r"SEATS must be \(least, most\)"),
        ("SEATS = (2, 1)\ndef next_cues(*_): ...", r"SEATS must be \(least, most\)"),
        ("SEATS = (1, 1)\nANSWERS = (0, 1)\ndef next_cues(*_): ...", "ANSWERS must be"),
    ],
)
def test_a_file_that_is_no_protocol(shelf: Shelf, text: str, message: str):
    """A file that declares no protocol is refused, and the message names what is missing."""
    put(mine(shelf), "protocols/broken.py", text)
    with pytest.raises(ProtocolError, match=message):
        shelf.protocol("broken")


def test_a_file_that_does_not_load(shelf: Shelf):
    """A file that fails is refused with its path and the cause, and may be tried again."""
    path = put(mine(shelf), "protocols/broken.py", "1 / 0")
    for _ in range(2):
        with pytest.raises(ShelfError, match=r"broken.py does not load: ZeroDivisionError"):
            shelf.protocol("broken")
    assert not any(getattr(m, "__file__", None) == str(path) for m in list(sys.modules.values()))


def test_experiments_take_name_and_question_from_their_file(shelf: Shelf):
    """The name of an experiment is that of its file, and its question the docstring."""
    path = put(mine(shelf), "experiments/who_leads.py", EXPERIMENT)
    by_name, by_path = shelf.experiment("who_leads"), shelf.experiment(str(path))
    assert by_name == by_path == shelf.experiment(path)
    assert (by_name.name, by_name.question) == ("who_leads", "Does it matter who leads?")


def test_experiment_paths_and_constants_are_checked(shelf: Shelf, tmp_path: Path):
    """A path to nothing and a file without EXPERIMENT are refused."""
    with pytest.raises(ShelfError, match="no experiment file"):
        shelf.experiment(str(tmp_path / "nowhere.py"))
    put(mine(shelf), "experiments/empty.py", "")
    with pytest.raises(ExperimentError, match="needs a constant EXPERIMENT"):
        shelf.experiment("empty")


def test_prompts_and_their_mistakes(shelf: Shelf):
    """A user's prompt pack is checked like a built-in one."""
    put(mine(shelf), "protocols/prompts/mine.toml", "description = 3")
    with pytest.raises(PromptError, match="prompt pack 'mine'"):
        shelf.prompts("mine")


def test_cards_in_python(shelf: Shelf):
    """A card can be a constant, with a function `reviewer` beside it."""
    put(
        mine(shelf),
        "agents/ada.py",
        "from peerjudge.data import Card\nCARD = Card(name='ada', role='You are Ada.')\n",
    )
    put(mine(shelf), "agents/bob.py", '"""Bob."""\n\ndef reviewer():\n    return "it is Bob"\n')
    assert shelf.card("ada").role == "You are Ada."
    assert shelf.factory("ada") is None
    bob = shelf.card("bob")
    assert (bob.name, bob.kind, bob.description) == ("bob", ReviewerKind.PYTHON, "Bob.")
    make = shelf.factory("bob")
    assert make is not None
    assert make() == "it is Bob"


def test_python_cards_are_checked(shelf: Shelf):
    """A card with another name than its file, and a file without a card, are refused."""
    put(mine(shelf), "agents/eve.py", "from peerjudge.data import Card\nCARD = Card(name='adam')\n")
    put(mine(shelf), "agents/empty.py", "")
    with pytest.raises(CardError, match="named 'adam'; name it after its file, 'eve'"):
        shelf.card("eve")
    with pytest.raises(CardError, match="needs a constant CARD"):
        shelf.card("empty")


def test_cards_in_toml(shelf: Shelf):
    """A TOML card is read under its file's name and has no factory."""
    put(
        mine(shelf),
        "agents/ada.toml",
        'role = "You are Ada."\n[model]\nprovider = "openai"\nname = "gpt-4o"\n',
    )
    assert shelf.card("ada").name == "ada"
    assert shelf.factory("ada") is None


def test_a_file_that_is_not_text(shelf: Shelf):
    """A prompt pack that is not UTF-8 is refused with its path."""
    path = mine(shelf) / "protocols" / "prompts" / "bad.toml"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ShelfError, match="cannot be read as UTF-8"):
        shelf.prompts("bad")


def test_digest_is_that_of_the_file(shelf: Shelf):
    """The manifest can name the exact file."""
    path = put(mine(shelf), "protocols/mute.py", PROTOCOL)
    assert shelf.digest("protocols", "mute") == hashlib.sha256(path.read_bytes()).hexdigest()
