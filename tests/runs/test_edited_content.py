"""Runs whose files are edited between two commands."""

import pytest

from peerjudge.data import Condition, Experiment, StopReason, replace
from peerjudge.errors import StoreError
from peerjudge.runs import load, run
from peerjudge.shelf import Shelf

REVIEWER = '''
"""Chooses by number."""


async def judge(request):
    return "{number}"


def reviewer():
    return judge
'''

PROTOCOL = '''
"""One judge, asked {turns} times."""

from peerjudge.data import Cue

SEATS = (1, 1)


def next_cues(seats, comparison, turns, options):
    if len(turns) == {turns}:
        return ()
    return (Cue(seat=seats[0].id, task="review", sees=comparison.shown, private=True),)
'''

CARD = "[traits]\nability = {ability}\n"


@pytest.fixture
def project(tmp_path):
    """A project with a protocol, a card and a Python reviewer of its own."""
    for folder in ("agents", "protocols"):
        (tmp_path / folder).mkdir()
    (tmp_path / "agents" / "chooser.py").write_text(REVIEWER.format(number=1))
    (tmp_path / "agents" / "mine.toml").write_text(CARD.format(ability=0.1))
    (tmp_path / "protocols" / "asking.py").write_text(PROTOCOL.format(turns=1))
    return tmp_path


def _experiment(*conditions):
    return Experiment(name="edited", data="sample", conditions=conditions)


CHOOSER = Condition(name="chooser", protocol="asking", seats=("chooser",))
MINE = Condition(name="mine", protocol="pairwise", seats=("mine",))


async def _play(project, **options):
    shelf = Shelf(project)
    return await run(
        _experiment(CHOOSER, MINE), out=project / "out", limit=2, shelf=shelf, **options
    )


@pytest.mark.parametrize(
    ("file", "text", "replayed"),
    [
        ("agents/mine.toml", CARD.format(ability=3), "mine"),
        ("agents/chooser.py", REVIEWER.format(number=2), "chooser"),
        ("protocols/asking.py", PROTOCOL.format(turns=2), "chooser"),
    ],
)
async def test_an_edited_file_is_another_run(project, file, text, replayed):
    """After an edit, only the affected discussions are repeated."""
    await _play(project)
    before = {one.id: one for one in await load(project / "out")}
    (project / file).write_text(text)
    again = await _play(project)
    assert (again.discussions.done, again.discussions.skipped) == (4, 4)
    after = await load(project / "out")
    assert len(after) == len(before) == 8
    assert {one.condition for one in after if one.id not in before} == {replayed}
    assert all(one.stop is StopReason.COMPLETE for one in after)


@pytest.mark.parametrize("file", ["agents/chooser.py", "protocols/asking.py"])
async def test_a_comment_changes_nothing(project, file):
    """Comments and docstrings do not affect replies, so no discussion is repeated."""
    await _play(project)
    path = project / file
    path.write_text('"""Better explained."""\n' + path.read_text().split('"""')[2] + "# done\n")
    again = await _play(project)
    assert (again.discussions.done, again.discussions.skipped) == (0, 8)


async def test_a_folder_belongs_to_one_experiment(project):
    """A folder that holds a run is refused for another experiment."""
    await _play(project)
    other = replace(_experiment(MINE), name="other")
    with pytest.raises(StoreError, match="holds a run of 'edited', not of 'other'"):
        await run(other, out=project / "out", limit=1, shelf=Shelf(project))
