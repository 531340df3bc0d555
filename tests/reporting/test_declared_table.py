"""The table of conditions as declared."""

from peerjudge.analysis.effort import Spoken
from peerjudge.data import Condition, Experiment, Seating, to_plain
from peerjudge.results.page import _declared_table, _facts


def test_the_table_names_pack_temperature_orders_and_options_as_played():
    """A condition's own pack and temperature count, not the defaults of experiment and card."""
    seats = (Seating(reviewer="one", temperature=0.0), "two")
    talk = Condition(
        name="talk",
        protocol="vote",
        seats=seats,
        orders="given",
        prompts="mine",
        options={"ties": True},
    )
    plain = Condition(name="plain", protocol="pairwise", seats="two")
    manifest = {
        "experiment": to_plain(Experiment(data="sample", conditions=(talk, plain))),
        "cards": {"two": {"sampling": {"temperature": 0.7}}},
    }
    table = _declared_table(manifest, {})
    assert table.rows == (
        ("talk", "mine", "one at 0.0, two at 0.7", "given", "first", "ties=True"),
        ("plain", "long_form", "two at 0.7", "both", "first", "-"),
    )
    (_, _, seats, *_), _ = _declared_table(manifest, {"one": Spoken(replies=2, unset=1)}).rows
    assert seats == "one at its own, two at 0.7"
    assert "prompts" not in _facts(manifest)
