"""Studies of several people: their declaration, their items, and their votes as records."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Comparison,
    Dataset,
    Expects,
    GoldRule,
    Orders,
    RecordedReview,
    Seat,
    Verdict,
    from_plain,
    replace,
)
from peerjudge.datasets import load as load_dataset
from peerjudge.datasets.source import score_vote, settle_gold
from peerjudge.datasets.sources.records import write_records
from peerjudge.engine import next_cues
from peerjudge.errors import DataError, ExperimentError, StoreError
from peerjudge.features.people.desk import DeskAnswer, DeskTask
from peerjudge.features.people.desk_records import list_people_answers
from peerjudge.features.people.nouns import CheckKind, Claim, Study, StudyAnswer, StudyOrders
from peerjudge.features.people.stating import NONE, TIED
from peerjudge.features.people.study_desk import StudyDesk, StudyItem
from peerjudge.prompts import Prompter
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.rehearsal import rehearse, simulate_turns
from peerjudge.runs.schedule import list_orders
from peerjudge.shelf import Shelf

_FIXED = ("data", "protocol", "options", "prompts", "orders", "seed")
"""Fields of a study that answers depend on."""
_SEAT = Seat(id="reviewer_1", reviewer="annotator")


def read_study(
    declared: str,
    *,
    shelf: Shelf,
    condition: str = "",
    changes: Mapping[str, object] | None = None,
) -> Study:
    """Return the study in a TOML file, or one that takes data and protocol from an experiment.

    Args:
        declared: Path of a `.toml` file, or an experiment by name or path.
        shelf: The shelf on which experiments are looked up.
        condition: The condition of the experiment; by default its only one with one seat.
        changes: Values of fields that replace those declared.

    Raises:
        DataError: A field is missing or wrong.
        ExperimentError: The experiment has no such condition with one seat.
        ShelfError: There is no such experiment.
    """
    changes = changes or {}
    if not declared.endswith(".toml"):
        return _take_from_experiment(declared, shelf, condition, changes)
    path = Path(declared)
    try:
        plain: dict[str, object] = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as cause:
        msg = f"there is no file {path}; a study declares data, annotators and judgments"
        raise DataError(msg) from cause
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        msg = f"{path} is no TOML: {cause}"
        raise DataError(msg) from cause
    return from_plain(Study, {"name": path.stem, **plain, **changes})


def open_items(study: Study, *, shelf: Shelf) -> list[StudyItem]:
    """Return the items of a study, in the order of its data.

    Raises:
        ExperimentError: The protocol has several seats, or asks more than once.
        PeerJudgeError: The data, protocol or prompt pack cannot be loaded, or do not fit together.
    """
    protocol = shelf.protocol(study.protocol, options=study.options)
    pack = shelf.prompts(study.prompts)
    protocol.require(seats=1, answers=protocol.answers[1] or protocol.answers[0])
    rehearse(protocol, pack, seats=1)
    dataset = load_dataset(study.data, limit=study.limit, reviews=False)
    if dataset.missing_texts:
        msg = f"{study.data} has no texts to show: {dataset.missing_texts}"
        raise DataError(msg)
    items: list[StudyItem] = []
    for comparison in dataset.comparisons:
        protocol.require(seats=1, answers=len(comparison.answers))
        balanced = study.orders is StudyOrders.BALANCED
        shown = list_orders(comparison, Orders.BOTH if balanced else Orders.GIVEN, seed=study.seed)
        if not items:
            _require_one_cue(protocol, comparison)
        tasks: list[DeskTask] = []
        for order in shown:
            cue = next_cues(protocol, (_SEAT,), order, ())[0]
            prompter = Prompter(pack, seats=(_SEAT,), comparison=order, roles={})
            task = DeskTask(
                id="",
                card="",
                messages=(),
                expects=cue.expects,
                answers=len(cue.sees),
                ties=cue.ties,
                scale=cue.scale,
                sheet=prompter.lay_out(cue, ()),
            )
            tasks.append(task)
        orders = tuple(order.shown for order in shown)
        items.append(StudyItem(comparison=comparison, orders=orders, tasks=tuple(tasks)))
    return items


def begin_study(desk: StudyDesk, study: Study, *, shelf: Shelf) -> None:
    """Declare a study at its desk, or take up a changed declaration.

    Annotators, judgments, checks, name and limit can change while people judge.

    Raises:
        StoreError: The desk holds a study of other data or with other tasks.
        PeerJudgeError: See `open_items`.
    """
    known = desk.read_study()
    if known == study:
        return
    if known is not None:
        changed = [name for name in _FIXED if getattr(known, name) != getattr(study, name)]
        if changed:
            name = changed[0]
            msg = (
                f"the study in this folder has {name} = {getattr(known, name)!r}, not "
                f"{getattr(study, name)!r}; name another folder with --out"
            )
            raise StoreError(msg)
        gone = sorted(
            {claim.annotator for claim in desk.list_claims() if claim.answered}
            - {*study.annotators}
        )
        if gone:
            msg = f"{gone[0]} has judged in this study; keep all annotators who have"
            raise StoreError(msg)
    desk.declare(study, open_items(study, shelf=shelf))


def collect_votes(desk: StudyDesk) -> Dataset:
    """Return the judgements of a study as a dataset: the newest of each person on each item.

    Where the data has no gold, the votes of people on pairs settle it. Checks are left out.
    """
    study = desk.read_study()
    if study is None:
        msg = "the desk holds no study"
        raise StoreError(msg)
    items = {item.comparison.id: item for item in desk.list_items()}
    by_item: dict[str, list[RecordedReview]] = {}
    reviews: list[RecordedReview] = []
    for claim in desk.list_claims():
        answer = desk.find_answer(claim.task) if claim.answered and claim.check is None else None
        if answer is not None:
            reviews.append(_make_review(claim, items[claim.item], answer))
            by_item.setdefault(claim.item, []).append(reviews[-1])
    comparisons = [item.comparison for item in items.values()]
    judged = {review.reviewer for review in reviews}
    return Dataset(
        name=study.name or "study",
        description=f"{len(reviews):,} judgements of {len(study.annotators)} people on {study.data}",
        comparisons=tuple(
            _settle(comparison, by_item.get(comparison.id, ())) for comparison in comparisons
        ),
        reviews=tuple(reviews),
        humans=tuple(annotator for annotator in study.annotators if annotator in judged),
        labeled=tuple(each.id for each in comparisons if each.gold is not None),
    )


def list_study_answers(desk: StudyDesk, folder: Path) -> list[StudyAnswer]:
    """Return every answer of a study in the order of the claims, superseded ones and checks included."""
    orders = {item.comparison.id: item.orders for item in desk.list_items()}
    claims = {claim.task: claim for claim in desk.list_claims()}
    rows: list[StudyAnswer] = []
    for given in list_people_answers(folder):
        claim = claims[given.task]
        foreign = claim.check in (CheckKind.PLAIN, CheckKind.REVERSED)
        shown = () if foreign else orders[claim.item][claim.order]
        place = int(given.choice) - 1 if given.choice.isdecimal() else -1
        chooses = given.expects is Expects.VERDICT and 0 <= place < len(shown)
        rows.append(
            StudyAnswer(
                annotator=claim.annotator,
                item=claim.item,
                question=given.question,
                shown=shown,
                check=claim.check,
                expected=claim.expected,
                choice=given.choice,
                chosen=shown[place] if chooses else "",
                reason=given.reason,
                confidence=given.confidence,
                seconds=given.seconds,
                version=given.version,
                superseded=given.superseded,
                posted=given.posted,
                saved=given.saved,
                task=given.task,
            )
        )
    return rows


def save_votes(desk: StudyDesk, folder: Path) -> None:
    """Write the judgements into the folder of the study as records, which every command reads."""
    write_records(collect_votes(desk), folder, origin="study", files=(), licence="", shared=True)


def _take_from_experiment(
    declared: str, shelf: Shelf, condition: str, changes: Mapping[str, object]
) -> Study:
    experiment = shelf.experiment(declared)
    able = [each for each in experiment.conditions if len(each.seats) == 1]
    wanted = [each for each in able if condition in ("", each.name)]
    if len(wanted) != 1:
        named = ", ".join(each.name for each in able) or "none"
        msg = (
            f"people judge alone, in one condition with one seat; experiment {experiment.name!r} has "
            f"{named}; choose with --condition"
        )
        raise ExperimentError(msg)
    (chosen,) = wanted
    given = chosen.orders is Orders.GIVEN
    plain = {
        "name": experiment.name,
        "data": experiment.data,
        "protocol": chosen.protocol,
        "options": dict(chosen.options),
        "prompts": chosen.prompts or experiment.prompts,
        "orders": (StudyOrders.GIVEN if given else StudyOrders.BALANCED).value,
        "seed": experiment.seed,
        **changes,
    }
    if "annotators" not in plain:
        msg = f"name the people who judge {declared}: --annotators ann,bob,cem"
        raise DataError(msg)
    return from_plain(Study, plain)


def _require_one_cue(protocol: DiscussionProtocol, comparison: Comparison) -> None:
    turns = list(simulate_turns(protocol, (_SEAT,), comparison))
    if len(turns) != 1 or turns[0].cue.expects is Expects.TEXT:
        msg = (
            f"protocol {protocol.name!r} asks {len(turns)} times; a study asks each person once for a "
            "verdict or a rating: choose pairwise, n_way or score_reasons, or seat people in a run"
        )
        raise ExperimentError(msg)


def _make_review(claim: Claim, item: StudyItem, answer: DeskAnswer) -> RecordedReview:
    shown = item.orders[claim.order]
    choice = "" if answer.draft is None else answer.draft.choice
    verdict, scores = UNREADABLE, ()
    if choice == NONE:
        verdict = REFUSED
    elif choice == TIED:
        verdict = TIE
    elif item.tasks[claim.order].expects is Expects.RATING:
        verdict, scores = Verdict.of(shown[0]), (float(choice),)
    elif choice.isdecimal():
        verdict = Verdict.of(shown[int(choice) - 1])
    return RecordedReview(
        comparison=claim.item,
        shown=shown,
        reviewer=claim.annotator,
        verdict=verdict,
        text="" if answer.draft is None else answer.draft.reason,
        scores=scores,
    )


def _settle(comparison: Comparison, reviews: Sequence[RecordedReview]) -> Comparison:
    """Return the comparison with gold: its own, or the sign of the mean vote on a pair."""
    if comparison.gold is not None or len(comparison.answers) != 2:
        return comparison
    pair = (comparison.answers[0].id, comparison.answers[1].id)
    votes = [score_vote(one.verdict, pair) for one in reviews if one.verdict.readable]
    return replace(comparison, gold=settle_gold(votes, GoldRule.SIGN_OF_MEAN, pair))
