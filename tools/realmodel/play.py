"""Runs of protocols and prompt packs with one real model in every seat."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import Condition, Experiment, PromptPack, Scalar, Seating, Transcript
from peerjudge.errors import ExperimentError, PromptError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs import Observer, RunSummary, load, run
from peerjudge.runs.rehearsal import rehearse
from peerjudge.shelf import Shelf

CARD = "realmodel"
"""Name of the reviewer card."""

_DATA = Path(__file__).with_name("shortest.py")
_PAIR, _MOST = 2, 3
"""Answers per comparison: pairs where the protocol takes them, else three."""
_PACK = "instruction_following"
"""Pack of the protocols in the short run: the sample asks to follow instructions."""
_PROTOCOL = "pairwise"
"""Protocol of the packs in the short run: one call and one verdict."""
_SHORT: Mapping[str, Scalar] = {"turns": 2, "rounds": 1}
"""Options of the discussions in the short run."""
_WARM = 0.7
"""Temperature of the second seat of a self-discussion, where equal seats would say the same."""
_TIMEOUT = 1800
"""Time after which a call fails: processors are slow. [s]"""

_TEMPLATE = """\
description = "A real model behind an OpenAI-compatible server."

[model]
provider = "vllm"
name = {model}
base_url = {url}

[sampling]
temperature = 0.0
max_tokens = {max_tokens}
logprobs = true

[limits]
timeout = {timeout}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Size of a run: comparisons, longest reply in tokens, and whether all packs are combined."""

    comparisons: int
    max_tokens: int
    full: bool


SHORT = Extent(comparisons=2, max_tokens=120, full=False)
FULL = Extent(comparisons=8, max_tokens=400, full=True)


def write_card(project: Path, *, url: str, model: str, max_tokens: int) -> Shelf:
    """Write the reviewer card into a project folder, and return its shelf."""
    folder = project / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    text = _TEMPLATE.format(
        model=json.dumps(model), url=json.dumps(url), max_tokens=max_tokens, timeout=_TIMEOUT
    )
    (folder / f"{CARD}.toml").write_text(text, "utf-8")
    return Shelf(project=project)


def list_conditions(shelf: Shelf, *, full: bool) -> tuple[Condition, ...]:
    """Return one condition per protocol with a fitting pack, and per pack with a fitting protocol.

    With `full`, every protocol has a condition with every pack that has its tasks and reply forms.
    """
    protocols = [shelf.protocol(entry.name) for entry in shelf.entries("protocols")]
    packs = [shelf.prompts(entry.name) for entry in shelf.entries("prompts")]
    # Sorting is stable: the usual protocol and pack come first, the others by name.
    protocols.sort(key=lambda protocol: protocol.name != _PROTOCOL)
    packs.sort(key=lambda pack: pack.name != _PACK)
    fitting = [
        (protocol, pack) for protocol in protocols for pack in packs if _fits(protocol, pack)
    ]
    if not full:
        by_protocol = {protocol.name: (protocol, pack) for protocol, pack in reversed(fitting)}
        by_pack = {pack.name: (protocol, pack) for protocol, pack in reversed(fitting)}
        chosen = (*by_protocol.values(), *by_pack.values())
        fitting = [pair for pair in fitting if pair in chosen]
    return tuple(_build_condition(protocol, pack, full=full) for protocol, pack in fitting)


def build_experiments(
    model: str, shelf: Shelf, extent: Extent, *, only: Collection[str] = ()
) -> tuple[Experiment, ...]:
    """Return the experiments: one on pairs, and one on three answers for protocols that need more.

    Args:
        model: Name of the model, which becomes part of the run folder.
        shelf: Shelf with the reviewer card.
        extent: Size of the run.
        only: Names of protocols and packs to which the conditions are limited; empty for all.

    Raises:
        ExperimentError: No condition has one of these names.
    """
    conditions = [
        condition
        for condition in list_conditions(shelf, full=extent.full)
        if not only or {condition.protocol, condition.prompts} & set(only)
    ]
    if not conditions:
        msg = f"no condition with {', '.join(sorted(only))}; choose names of `peerjudge list`"
        raise ExperimentError(msg)
    pairs = [each for each in conditions if _takes_pairs(shelf, each)]
    others = [each for each in conditions if not _takes_pairs(shelf, each)]
    name = "realmodel-" + "".join(char if char.isalnum() or char in "-." else "-" for char in model)
    return tuple(
        Experiment(
            name=f"{name}{suffix}",
            question="Do protocols and prompt packs work with this model?",
            data=f"{find_data()}:{answers}",
            conditions=tuple(group),
        )
        for group, answers, suffix in ((pairs, _PAIR, ""), (others, _MOST, "-three"))
        if group
    )


async def play(
    experiments: tuple[Experiment, ...],
    shelf: Shelf,
    extent: Extent,
    *,
    observer: Observer | None,
) -> tuple[RunSummary, ...]:
    """Run or resume the experiments, one call at a time, and return their summaries."""
    return tuple(
        [
            await run(
                experiment,
                limit=extent.comparisons,
                shelf=shelf,
                max_connections=1,  # More calls at once would push prompts out of the server's cache.
                fail_on_error=0.5,
                observer=observer,
                environ={},
            )
            for experiment in experiments
        ]
    )


async def read_runs(summaries: Iterable[RunSummary]) -> tuple[Transcript, ...]:
    """Return the stored discussions of these runs."""
    folders = [summary.folder for summary in summaries if summary.folder is not None]
    found = [await load(folder) for folder in folders]
    return tuple(transcript for transcripts in found for transcript in transcripts)


def _fits(protocol: DiscussionProtocol, pack: PromptPack) -> bool:
    try:
        rehearse(protocol, pack, seats=protocol.seats[0])
    except PromptError:
        return False
    return True


def _build_condition(protocol: DiscussionProtocol, pack: PromptPack, *, full: bool) -> Condition:
    options = {} if full else {key: _SHORT[key] for key in _SHORT if key in protocol.settings()}
    return Condition(
        name=f"{protocol.name}, {pack.name}",
        protocol=protocol.name,
        seats=tuple(_seat_model(protocol)),
        options=options,
        prompts=pack.name,
    )


def _seat_model(protocol: DiscussionProtocol) -> Iterator[str | Seating]:
    seats, _ = protocol.seats
    for place in range(seats):
        warm = place == 1 and protocol.name == "self_discussion"
        yield Seating(reviewer=CARD, temperature=_WARM) if warm else CARD


def _takes_pairs(shelf: Shelf, condition: Condition) -> bool:
    least, most = shelf.protocol(condition.protocol).answers
    return least <= _PAIR and (most is None or most >= _PAIR)


def find_data() -> str:
    """Return the spec of the dataset without its number of answers."""
    # Relative where possible: the path is part of the name of the run folder.
    here = Path.cwd()
    return str(_DATA.relative_to(here) if _DATA.is_relative_to(here) else _DATA)
