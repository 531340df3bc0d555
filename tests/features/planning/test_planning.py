"""Effects, needed size and cost of a planned study."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from peerjudge.analysis import build_findings
from peerjudge.analysis.contrasts import measure_better
from peerjudge.data import Condition, Experiment, Leader, Orders, Seating
from peerjudge.errors import CardError, ExperimentError, PeerJudgeError, ProtocolError
from peerjudge.features.planning.effects import BETTER, Effect, estimate_effect, list_effects
from peerjudge.features.planning.planning import plan
from peerjudge.features.planning.studies import Measures, build_design, simulate_studies
from peerjudge.results.comparisons import compare
from peerjudge.runs import estimate_calls, load, prepare, run
from peerjudge.shelf import Shelf
from peerjudge.statistics.interval import measure_mean

SEATS = ("sim_solid", "sim_weak")
STUDY = Experiment(
    name="study",
    data="sample",
    prompts="instruction_following",
    conditions=(
        Condition(name="talk", protocol="leader_follower", seats=SEATS, leader=Leader.BOTH),
        Condition(name="vote", protocol="vote", seats=SEATS * 3, leader=Leader.BOTH),
        Condition(name="bare", protocol="pairwise", seats=("sim_weak",)),
        Condition(name="alone first", protocol="prepair", seats=("sim_weak",)),
    ),
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> Shelf:
    """The built-in shelf, from an empty folder."""
    return Shelf(project=tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def found(shelf):
    """The study at two sizes."""
    return plan(STUDY, sizes=(36, 300), studies=200, shelf=shelf).study


def _effect(found, kind: str):
    (one,) = (one for one in found.effects if one.effect.kind == kind and one.effect.gain is None)
    return one


def test_the_effects_that_the_conditions_can_show_are_listed(found):
    """A discussion is compared with private reviews and a vote, a method with pairwise."""
    named = {(one.effect.kind, one.effect.condition, one.effect.against) for one in found.effects}
    assert named == {
        ("discussion against private reviews", "talk", ""),
        ("discussion against better seat", "talk", ""),
        ("discussion against vote", "talk", "vote"),
        ("leader alters less", "talk", ""),
        ("against pairwise", "alone first", "bare"),
    }


def _judges(*named: tuple[str, str]) -> Experiment:
    conditions = tuple(
        Condition(name=f"{card}, {protocol}", protocol=protocol, seats=(card,))
        for card, protocol in named
    )
    return Experiment(name="judges", data="sample", conditions=conditions)


WEAK, SOLID, STRONG = (f"sim_{name}" for name in ("weak", "solid", "strong"))
COT = "pairwise_cot"


@pytest.mark.parametrize(
    ("judges", "listed"),
    [
        pytest.param(
            ((WEAK, COT), (STRONG, COT)),
            [("judge against judge", f"{STRONG}, {COT}", f"{WEAK}, {COT}")],
            id="two-cards",
        ),
        pytest.param(
            ((WEAK, COT), (STRONG, COT), (SOLID, COT)),
            [
                ("judge against judge", f"{STRONG}, {COT}", f"{WEAK}, {COT}"),
                ("judge against judge", f"{STRONG}, {COT}", f"{SOLID}, {COT}"),
            ],
            id="three-cards",
        ),
        pytest.param(
            ((WEAK, "pros_cons"), (WEAK, "prepair")),
            [("judge against judge", f"{WEAK}, prepair", f"{WEAK}, pros_cons")],
            id="two-methods-of-one-card",
        ),
        pytest.param(
            ((WEAK, "pairwise"), (WEAK, "prepair"), (STRONG, COT)),
            [
                ("against pairwise", f"{WEAK}, prepair", f"{WEAK}, pairwise"),
                ("judge against judge", f"{STRONG}, {COT}", f"{WEAK}, pairwise"),
                ("judge against judge", f"{STRONG}, {COT}", f"{WEAK}, prepair"),
            ],
            id="cards-and-methods",
        ),
    ],
)
def test_lone_judges_are_compared_with_the_most_accurate_one(shelf, judges, listed):
    """Of k judges each other one has a row, except where it is the pairwise judgement of the same card."""
    seen = plan(_judges(*judges), sizes=(20,), studies=5, shelf=shelf).study
    effects = [one.effect for one in seen.effects]
    assert [(one.kind, one.condition, one.against) for one in effects] == listed
    assert all(one.without_pull is None and one.stop is None for one in seen.effects)


def test_the_power_between_two_judges_is_in_tables_rows_and_figures(shelf):
    """The more accurate judge is right more often, so its power grows and the needed size is found."""
    found = plan(_judges((WEAK, COT), (SOLID, COT)), sizes=(40, 200), studies=100, shelf=shelf)
    (one,) = found.study.effects
    small, large = one.as_carded.sizes
    assert 0.0 < small.power < large.power
    assert one.as_carded.needed is not None
    assert found.df["against"].tolist() == [f"{WEAK}, {COT}"] * 2
    assert found.df["power"].tolist() == [small.power, large.power]
    (document,) = json.loads(json.dumps(found.document()))["effects"]
    assert document["effect"] == "judge against judge"
    assert document["as_carded"]["needed"] == one.as_carded.needed
    (figure,) = found.figures.values()
    assert f"{SOLID}, {COT}" in figure.description
    assert [curve.name for curve in figure.chart.curves] == [f"{WEAK}, {COT}"]


def test_judges_of_different_comparisons_are_not_compared(shelf):
    """Judges that share no comparison have no difference, in the plan as in `compare`."""
    first, second = (
        Condition(name=card, protocol=COT, seats=(card,), contestants=contestants)
        for card, contestants in ((WEAK, (WEAK, SOLID)), (STRONG, (STRONG, "sim_plain")))
    )
    both = Experiment(name="apart", data="sample", conditions=(first, second))
    with pytest.raises(ExperimentError, match="cannot show any effect"):
        plan(both, sizes=(20,), studies=5, shelf=shelf)


CONTRASTS: dict[str, str] = {
    "discussion against private reviews": "mean seat",
    "discussion against better seat": "better seat",
    "discussion against vote": "vote",
}

ADVOCATE = """
from peerjudge.data import Cue
from peerjudge.protocol import TurnOptions, next_discussion_cues

SEATS = (2, 2)
ANSWERS = (2, 2)
Options = TurnOptions


def next_cues(seats, comparison, turns, options):
    if not turns:
        return next_discussion_cues(seats[:1], comparison, turns, options, length=0)
    if len(turns) > options.turns:
        return ()
    hears = tuple(range(len(turns)))
    seat = seats[len(turns) % 2].id
    return (Cue(seat=seat, task="discuss", sees=comparison.shown, hears=hears),)
"""
"""Only the first seat judges alone; the second one answers it."""

OPEN = ADVOCATE.replace("if not turns:", "if False:")
"""No seat judges alone."""


@pytest.mark.parametrize("leader", [Leader.FIRST, Leader.BOTH])
def test_a_plan_lists_the_contrasts_of_compare(tmp_path: Path, leader):
    """Controls are in neither list, nor are seats that never judge alone."""
    (tmp_path / "protocols").mkdir()
    (tmp_path / "protocols" / "advocate.py").write_text(ADVOCATE, "utf-8")
    (tmp_path / "protocols" / "open.py").write_text(OPEN, "utf-8")
    project = Shelf(project=tmp_path)
    talk = {"protocol": "leader_follower", "seats": SEATS, "leader": leader}
    judge = Seating(reviewer="sim_weak", temperature=0.5)
    study = Experiment(
        name="listed",
        data="sample",
        conditions=(
            Condition(name="talk", **talk),
            Condition(name="placebo", options={"control": "placebo"}, **talk),
            Condition(name="swapped", options={"control": "swapped"}, **talk),
            Condition(name="advocate", protocol="advocate", seats=SEATS, leader=leader),
            Condition(name="open", protocol="open", seats=SEATS, leader=leader),
            Condition(name="court", protocol="court", seats=(*SEATS, judge)),
            Condition(name="vote", protocol="vote", seats=SEATS * 3),
        ),
    )
    effects = list_effects(prepare(study, shelf=project).plan)
    planned = {(one.condition, CONTRASTS[one.kind]) for one in effects if one.kind in CONTRASTS}
    left_out = {one.condition: one.left_out for one in effects if one.left_out}
    assert left_out["court"] == ("sim_weak at temperature 0.5",)
    assert ("advocate" in left_out) == (leader is Leader.FIRST)
    summary = asyncio.run(run(study, out=tmp_path / "run", limit=8, shelf=project))
    compared = compare(summary.folder).contrasts
    assert {
        ("court", "better seat"),
        ("advocate", "mean seat"),
        ("open", "vote"),
    } <= planned
    assert ("open", "mean seat") not in planned
    assert planned == {
        (row.condition, one.alternative)
        for row in compared
        for one in row.all
        if one.difference is not None and one.alternative in CONTRASTS.values()
    }


def test_a_plan_names_the_seats_that_never_judge_alone(shelf):
    """A note says which seats the better seat is none of, also beside a vote."""
    seats = ("sim_weak", "sim_solid", "sim_plain")
    study = Experiment(
        name="courts",
        data="sample",
        conditions=(
            Condition(name="court", protocol="court", seats=seats),
            Condition(name="vote", protocol="vote", seats=seats),
        ),
    )
    found = plan(study, sizes=(20,), studies=5, shelf=shelf)
    assert "Seats of court are those that judge alone; sim_plain never does." in str(found)


@pytest.mark.slow
def test_runs_find_the_effects_of_the_plan(found, shelf, tmp_path):
    """Over several seeds, the findings of runs have the mean of the plan."""

    async def play(seed: int):
        summary = await run(STUDY, out=tmp_path / str(seed), seed=seed, shelf=shelf)
        transcripts = [one async for one in _transcripts(summary.folder)]
        return build_findings(transcripts)

    played = [asyncio.run(play(seed)) for seed in range(2)]
    gains, leads, methods = [], [], []
    for one in played:
        talk = next(part for part in one.conditions if part.name == "talk")
        gains.append(talk.gain.value)
        by_role = {(seat.reviewer, seat.role): seat for seat in talk.by_seat}
        counts = {
            role: [
                sum(seat.events[kind] for (_, r), seat in by_role.items() if r == role)
                for kind in ("altered", "held")
            ]
            for role in ("leader", "follower")
        }
        share = {role: altered / (altered + held) for role, (altered, held) in counts.items()}
        leads.append(share["follower"] - share["leader"])
        right = {part.name: part.after.accuracy.value for part in one.conditions if part.after}
        methods.append(right["alone first"] - right["bare"])
    for kind, values in (
        ("discussion against private reviews", gains),
        ("leader alters less", leads),
        ("against pairwise", methods),
    ):
        size = _effect(found, kind).as_carded.sizes[0]
        spread = (size.high - size.low) / (2 * 1.96) / np.sqrt(len(values))
        assert np.mean(values) == pytest.approx(size.value, abs=4 * spread), kind


async def _transcripts(folder):
    for transcript in await load(folder):
        yield transcript


def test_a_gain_over_the_mean_seat_can_be_a_loss_against_the_better_one(found):
    """An able reviewer that listens to a weak one: the plan says so for every size of study."""
    gain = _effect(found, "discussion against private reviews").without_pull
    best = _effect(found, "discussion against better seat").without_pull
    assert gain.sizes[-1].value > 0 > best.sizes[-1].value
    assert gain.sizes[-1].power > 0.9
    assert best.sizes[-1].power < 0.05
    assert best.needed is None


def test_a_plan_says_how_often_a_true_gain_over_the_better_seat_is_claimed(found):
    """By default the gain is 10 points, whatever the cards say, and more comparisons claim it more often."""
    (truly,) = (one for one in found.effects if one.effect.gain == 0.1)
    small, large = truly.as_carded.sizes
    assert truly.without_pull is None
    assert truly.stop is None
    assert large.value == pytest.approx(0.1, abs=0.03)
    assert 0.0 < small.power < large.power


def test_a_plan_claims_what_compare_claims():
    """The power of a contrast counts the studies in which the interval of that contrast is above 0."""
    random = np.random.default_rng(6)
    right, chance = random.random((40, 2, 30)) < 0.7, random.random((40, 30))
    talk = np.where(right[:, 0], chance < 0.95, chance < 0.6) * 1.0
    names = (("one", None), ("other", None))
    seats = {name: right[:, place] * 1.0 for place, name in enumerate(names)}
    measured = Measures(
        after=talk, before=right.mean(axis=1), seats=seats, contradicted={}, altered={}
    )
    effect = Effect(kind=BETTER, condition="talk")
    value, _, claimed = estimate_effect(effect, {"talk": measured})
    for row in range(40):
        values = right[row].T * 1.0
        questions = np.arange(30, dtype=np.int32)
        found = measure_better(talk[row][:, None] - values, questions, level=0.95).difference
        assert value[row] == pytest.approx(found.value)
        assert claimed[row] == (found.low > 0.0)


def test_power_grows_with_size_and_the_needed_size_reaches_it(found):
    """Larger studies show an effect more often; one of the needed size has the wanted power."""
    for one in found.effects:
        small, large = one.as_carded.sizes
        assert large.power >= small.power - 0.05
        assert large.high - large.low < small.high - small.low
        needed = one.as_carded
        if needed.power_at_needed is not None and needed.needed > 30:
            # Four standard errors of 200 studies above the wanted power.
            assert 0.8 <= needed.power_at_needed < 0.8 + 4 * (0.8 * 0.2 / 200) ** 0.5


def test_one_effect_can_be_planned_alone(found, shelf):
    """One wanted effect has the same value as among all effects."""
    alone = plan(STUDY, effects=("vote",), sizes=(300,), studies=200, shelf=shelf).study
    (one,) = alone.effects
    both = _effect(found, one.effect.kind)
    assert one.as_carded.sizes[-1].value == pytest.approx(both.as_carded.sizes[-1].value, abs=0.02)


def test_small_studies_select_different_comparisons(shelf):
    """A small study selects any of the comparisons, so its mean effect is that of a large one."""
    seen = plan(STUDY, effects=("pairwise",), sizes=(6, 360), studies=400, shelf=shelf).study
    small, large = seen.effects[0].as_carded.sizes
    error = (small.high - small.low) / (2 * 1.96) / np.sqrt(20)
    assert small.value == pytest.approx(large.value, abs=4 * error)


def test_effects_are_shown_with_and_without_truth_pull(found):
    """Without truth pull a discussion gains less; a lone judge has one forecast only."""
    gain = _effect(found, "discussion against private reviews")
    assert gain.without_pull.sizes[-1].value < gain.as_carded.sizes[-1].value
    assert _effect(found, "against pairwise").without_pull is None


def test_reviewers_without_truth_pull_have_one_forecast(shelf):
    """If no card has truth pull, there is one forecast only."""
    bare, first = (
        Condition(name=protocol, protocol=protocol, seats=("sim_llmbar_gpt35",))
        for protocol in ("pairwise", "prepair")
    )
    lone = Experiment(name="lone", data="sample", conditions=(bare, first))
    seen = plan(lone, sizes=(100,), studies=50, shelf=shelf).study
    assert [one.without_pull for one in seen.effects] == [None]


def test_expenses_are_those_of_a_dry_run(found, shelf):
    """The expense of a study is the estimate of the run, in proportion to its size."""
    prepared = prepare(STUDY, shelf=shelf)
    whole = estimate_calls(prepared.plan, prepared.costs)
    (own,) = (one for one in found.expenses if one.comparisons == 36)
    assert (own.calls, own.tokens, own.cost_usd) == (whole.calls, whole.tokens, 0.0)
    (large,) = (one for one in found.expenses if one.comparisons == 300)
    assert large.calls == round(whole.calls * 300 / 36)
    assert large.hours == pytest.approx(large.calls * 5 / 10 / 3600, rel=0.01)


@pytest.mark.parametrize(
    "early",
    [{"stop": "agreement"}, {"only_if_disagreeing": "true"}],
    ids=lambda early: next(iter(early)),
)
def test_discussions_that_end_early_are_priced_by_their_length(shelf, tmp_path, early):
    """If agreement ends a discussion, a run has about the expected number of turns."""
    talk = Experiment(name="talk", data="sample", conditions=STUDY.conditions[:1])
    settings = {**early, "turns": "6"}
    seen = plan(
        talk, effects=("private",), settings=settings, sizes=(36,), studies=20, shelf=shelf
    ).study
    ((most, expected),) = (
        pair for pair in zip(seen.expenses, seen.expected, strict=True) if pair[0].comparisons == 36
    )
    asyncio.run(run(talk, out=tmp_path / "run", settings=settings, shelf=shelf))
    played = asyncio.run(load(tmp_path / "run"))
    assert expected.calls == pytest.approx(sum(len(one.turns) for one in played), rel=0.1)
    assert expected.tokens / most.tokens < expected.calls / most.calls < 0.9
    assert expected.hours < most.hours


def test_discussions_of_a_fixed_length_are_priced_once(found):
    """If no discussion can end early, there is no separate expected cost."""
    assert found.expected == ()


def test_intervals_are_those_of_the_analysis(shelf):
    """The normal interval of a simulated study is close to the resampled one."""
    prepared = prepare(STUDY, shelf=shelf)
    plan = prepared.plan
    design = build_design(plan, plan.cast)
    random = np.random.default_rng(4)
    gain = next(one for one in list_effects(plan) if one.kind.endswith("private reviews"))
    for conditions in simulate_studies(design, comparisons=200, studies=5, random=random):
        values, errors, _ = estimate_effect(gain, conditions)
        talk = conditions["talk"]
        for value, error, gained in zip(values, errors, talk.after - talk.before, strict=True):
            resampled = measure_mean(gained, np.arange(200, dtype=np.int32))
            assert value == pytest.approx(resampled.value)
            assert 2 * 1.96 * error == pytest.approx(resampled.high - resampled.low, rel=0.1)


@pytest.mark.parametrize(
    ("leader", "orders"),
    [
        pytest.param(Leader.RANDOM, Orders.RANDOM, marks=pytest.mark.slow),
        (Leader.SECOND, Orders.SWAPPED),
        pytest.param(Leader.FIRST, Orders.GIVEN, marks=pytest.mark.slow),
    ],
)
def test_leaders_and_orders_do_not_change_the_mean_gain(shelf, leader, orders):
    """For each choice of leaders and orders, the mean gain of copies is near 0.02."""
    copies = tuple(Seating(reviewer="sim_plain", temperature=warmth) for warmth in (0.2, 1.0))
    talk = Condition(name="talk", protocol="self_discussion", seats=copies, orders=orders)
    study = Experiment(name="self", data="sample", conditions=(talk,))
    options = {"effects": ("private",), "settings": {"leader": leader.value}}
    seen = plan(study, **options, sizes=(200,), studies=60, shelf=shelf).study
    gain = _effect(seen, "discussion against private reviews").as_carded.sizes[0]
    assert gain.value == pytest.approx(0.02, abs=0.03)


def test_models_need_a_stand_in(shelf):
    """A model is simulated only by a named stand-in."""
    talk = Condition(name="talk", protocol="leader_follower", seats=("gpt_4o", "sim_solid"))
    study = Experiment(name="paid", data="sample", conditions=(talk,))
    with pytest.raises(CardError, match="--stand-in gpt_4o=sim_gpt4"):
        plan(study, shelf=shelf)
    with pytest.raises(CardError, match="has no seat"):
        plan(study, stand_ins={"unseated": "sim_gpt4"}, shelf=shelf)
    with pytest.raises(CardError, match="cannot stand in"):
        plan(study, stand_ins={"gpt_4o": "claude_sonnet"}, shelf=shelf)
    few = {"sizes": (50,), "studies": 20, "shelf": shelf}
    seen = plan(study, effects=("private",), stand_ins={"gpt_4o": "sim_gpt4"}, **few).study
    assert seen.stand_ins == {"gpt_4o": "sim_gpt4"}
    assert seen.unpriced == ()
    assert seen.expenses[0].cost_usd > 0
    talk = Condition(name="talk", protocol="leader_follower", seats=("gpt_4o", "llama_local"))
    vote = Condition(name="vote", protocol="vote", seats=("gpt_4o",) * 6)
    both = Experiment(name="both", data="sample", conditions=(talk, vote))
    with pytest.raises(CardError, match="--stand-in gpt_4o=sim_gpt4 --stand-in llama_local="):
        plan(both, shelf=shelf)
    stand_ins = {"gpt_4o": "sim_gpt4", "llama_local": "sim_gpt35"}
    seen = plan(both, effects=("vote",), stand_ins=stand_ins, **few).study
    assert not _effect(seen, "discussion against vote").effect.same_reviewers
    assert seen.unpriced == ("llama_local",)
    assert seen.expenses[0].cost_usd is None


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"sizes": (1,)}, ExperimentError, "from 2"),
        ({"sizes": ()}, ExperimentError, "from 2"),
        ({"power": 1.0}, ExperimentError, "between 0 and 1"),
        ({"studies": 0}, ExperimentError, "at least one"),
        ({"seconds_per_call": -1.0}, ExperimentError, "0 or more, not -1"),
        ({"max_connections": 0}, ExperimentError, "1 connection or more, not 0"),
    ],
)
def test_arguments_out_of_range_are_refused(shelf, changes, error, sentence):
    """The error names the valid values."""
    with pytest.raises(error, match=sentence):
        plan(STUDY, shelf=shelf, **changes)


def test_an_experiment_without_a_comparison_is_refused(shelf):
    """One judge alone shows no effect, and choices of three answers cannot be simulated."""
    alone = Condition(name="bare", protocol="pairwise", seats=("sim_weak",))
    with pytest.raises(ExperimentError, match="cannot show any effect"):
        plan(Experiment(name="alone", data="sample", conditions=(alone,)), shelf=shelf)
    ranked = Condition(name="many", protocol="n_way", seats=("sim_weak",))
    with pytest.raises(PeerJudgeError):
        plan(Experiment(name="many", data="sample", conditions=(ranked, alone)), shelf=shelf)
    assert issubclass(ProtocolError, PeerJudgeError)


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("votes", "choose one of private, better-seat, vote, leader, pairwise, judge"),
        ("vote", "add a condition with protocol='vote'"),
        ("leader", "no condition is a discussion of two"),
        ("private", "no condition is a discussion"),
    ],
)
def test_the_error_for_a_missing_effect_names_the_missing_condition(shelf, wanted, sentence):
    """Without a vote, a leader or a discussion, the error says which condition to add."""
    lone = Experiment(name="lone", data="sample", conditions=STUDY.conditions[2:])
    with pytest.raises(ExperimentError, match=sentence):
        plan(lone, effects=(wanted,), shelf=shelf)


@pytest.fixture
def run_plan(tmp_path: Path, commands):
    """Run `peerjudge plan` of a small study in an empty folder."""
    small = ("plan", "leader_follower", "--comparisons", "40", "--studies", "20")
    return lambda *words: commands.run(tmp_path, *small, *words)


@pytest.mark.slow
def test_the_command_prints_tables_and_draws_power(run_plan, tmp_path: Path):
    """Both forecasts are printed; --out writes the document and the power curves."""
    done = run_plan("--effect", "vote", "--out", "kept")
    assert done.code == 0, done.err
    for said in ("against vote", "card traits", "no truth pull", "needed (80%)", "hours"):
        assert said in done.out
    assert "against private reviews" not in done.out
    (effect,) = json.loads((tmp_path / "kept" / "plan.json").read_text("utf-8"))["effects"]
    assert effect["effect"] == "discussion against vote"
    assert "vote, no truth pull" in (tmp_path / "kept" / "power-1.svg").read_text("utf-8")


def test_the_command_prints_one_document(run_plan):
    """`peerjudge plan --json` has both forecasts of each effect and the expense of each size."""
    done = run_plan("--json", "--effect", "better-seat")
    assert done.code == 0, done.err
    document = done.document
    assert document["simulated"] is True
    assert [one["gain"] for one in document["effects"]] == [None, 0.1]
    for one in document["effects"]:
        worlds = ("as_carded",) if one["gain"] else ("as_carded", "without_pull")
        for world in worlds:
            (size,) = one[world]["sizes"]
            assert size["comparisons"] == 40
            assert 0 <= size["power"] <= 1
    assert document["expenses"][0]["calls"] > 0


def test_a_study_with_a_negative_seed_is_planned(shelf):
    """`run` plays a study with any seed, and the plan draws from a seed of its own."""
    seen = plan(STUDY, effects=("pairwise",), seed=-1, sizes=(36,), studies=20, shelf=shelf).study
    assert 0.0 <= _effect(seen, "against pairwise").as_carded.sizes[0].power <= 1.0


def test_a_stand_in_without_its_card_is_refused(run_plan):
    """The error shows the form CARD=SIMULATED."""
    done = run_plan("--stand-in", "sim_gpt4")
    assert done.code == 2
    assert "CARD=SIMULATED" in done.err


def test_early_stops_are_forecast_for_contrasts_that_can_be_primary(found):
    """Discussions have a forecast of the rule `decided`, other methods and the leader have none."""
    stops = {one.effect.kind: one.stop for one in found.effects if one.effect.gain is None}
    assert {kind for kind, stop in stops.items() if stop is None} == {
        "leader alters less",
        "against pairwise",
    }
    gain = stops["discussion against private reviews"]
    assert gain.better > 0.9
    assert gain.worse == 0
    assert 20 <= gain.median <= gain.mean + 20 < gain.most == 300
    best = stops["discussion against better seat"]
    assert best.better <= 0.05
