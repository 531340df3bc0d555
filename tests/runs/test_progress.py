"""What a run says of itself while it goes on."""

from peerjudge.analysis.listing import Against, hold_against_gold
from peerjudge.data import Seating, replace
from peerjudge.runs import load, run
from peerjudge.runs.progress import Counting, Lines


class Kept(Counting):
    """A display that keeps what it would show."""

    def __init__(self):
        super().__init__()
        self.told = []

    def start(self, description):
        """Do nothing."""

    def show(self):
        """Keep the counts."""
        self.told.append(self.describe())


async def test_accuracy_so_far_ends_as_that_of_the_transcripts(small, tmp_path):
    """Each condition is shown with its share of right conclusions among those with an opinion."""
    shown = Kept()
    await run(small, out=tmp_path, limit=3, observer=shown)
    counted = {}
    for one in await load(tmp_path):
        against = hold_against_gold(one)
        if against in {Against.RIGHT, Against.WRONG}:
            counted.setdefault(one.condition, []).append(against is Against.RIGHT)
    assert counted
    words = {f"{name} {100 * sum(s) / len(s):.0f} % of {len(s)}" for name, s in counted.items()}
    assert set(shown.told[-1].accuracy.removeprefix("accuracy so far: ").split("; ")) == words
    assert shown.told[-1].left == ""
    assert any(told.left for told in shown.told)


async def test_accuracy_so_far_of_many_conditions_stays_short(small, tmp_path):
    """A run with more conditions than fit a screen shows the first ones, and counts the others."""
    many = tuple(
        replace(
            small.conditions[1],
            name=f"at {heat}",
            seats=(Seating(reviewer="sim_plain", temperature=heat / 10),),
        )
        for heat in range(10)
    )
    shown = Kept()
    await run(replace(small, conditions=many), out=tmp_path, limit=1, observer=shown)
    *first, rest = shown.told[-1].accuracy.removeprefix("accuracy so far: ").split("; ")
    assert [one.split(" ")[1] for one in first] == list("01234567")
    assert rest == "2 more"


async def test_a_resumed_run_says_that_its_accuracy_is_of_the_new_discussions(small, tmp_path):
    """Discussions of earlier runs count as done, and say nothing of accuracy and time left."""
    await run(small, out=tmp_path, limit=1)
    shown = Kept()
    await run(small, out=tmp_path, limit=2, observer=shown)
    assert shown.done == shown.total == 12
    assert shown.told[0].left == ""
    assert shown.told[-1].accuracy.startswith("accuracy since resuming: ")


async def test_simulated_calls_have_no_pace(small, tmp_path):
    """Calls per second are those that are paid: a simulation's say nothing of a provider."""
    shown = Kept()
    await run(small, out=tmp_path, limit=1, observer=shown)
    assert {told.pace for told in shown.told} == {""}


async def test_lines_name_what_a_watcher_asks_for(small, tmp_path):
    """The last line counts all discussions and tokens."""
    lines = []
    await run(small, out=tmp_path, limit=1, observer=Lines(lines.append))
    assert lines[-1].startswith("6 of 6 discussions, ")
    assert lines[-1].endswith(" tokens")


async def test_a_display_of_two_runs_counts_each_from_its_beginning(small, tmp_path):
    """A display that has shown one run shows the next one as a new display would."""
    shown = Kept()
    await run(small, out=tmp_path / "one", limit=2, observer=shown)
    await run(small, out=tmp_path / "two", limit=1, observer=shown)
    assert shown.done == shown.total == 6
