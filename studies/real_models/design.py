"""Design of the study: the two models, their cards, the conditions, and the order of play.

Every call of the study has the same settings but the temperature, so that conditions share replies: a
private review at temperature 0 is one reply, whether its seat stays alone, votes or discusses. A
discussion of two makes two private reviews and `turns` public turns. `vote_of_six` makes as many calls
as a discussion of four turns and costs nothing more here: it counts the private reviews of both models
at the three temperatures that the other conditions use anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from peerjudge.data import Condition, Control, Experiment, Leader, Seating
from studies.real_models import pairs

SEED = 20261122
MAX_TOKENS = 200
"""Packs ask for at most 60 words; a much smaller limit would cut verdicts off."""
TURNS = 4
FEW_TURNS = 2
COMPARISONS = 24
SHORT_PAIRS = 10
PROMPTS = "instruction_following"
COLD, WARM = 0.2, 1.0
"""Temperatures of the two seats of a self-discussion; all other seats but those of a vote have 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One of the two models: the name of its card, and the facts that the manifest states."""

    card: str
    title: str
    parameters: str
    quantization: str
    served: str
    maker: str = "Qwen team, Alibaba Cloud"
    licence: str = "Apache-2.0"


LARGE = Model(
    card="qwen_1_5b",
    title="Qwen2.5-Coder 1.5B Instruct",
    parameters="1.5 billion",
    quantization="Q4_K_M",
    served="qwen2.5-coder-1.5b-instruct-q4_k_m",
)
SMALL = Model(
    card="qwen_0_5b",
    title="Qwen2.5-Coder 0.5B Instruct",
    parameters="0.5 billion",
    quantization="Q4_K_M",
    served="qwen2.5-coder-0.5b-instruct-q4_k_m",
)
MODELS = {"large": LARGE, "small": SMALL}

_CARD = """\
description = "{title}, {quantization}, behind an OpenAI-compatible server on this machine."
family = "qwen"

[model]
provider = "vllm"
name = "{served}"
base_url = "{url}"

[sampling]
temperature = 0.0
seed = {seed}
max_tokens = {max_tokens}
logprobs = true

[limits]
max_connections = 2
timeout = 900
attempts = 3
"""

_SIMULATED = """\
description = "Simulated stand-in for {title}, to try the study without a model."
family = "qwen"

[sampling]
temperature = 0.0
seed = {seed}
max_tokens = {max_tokens}
logprobs = true

[traits]
ability = {ability}
position_bias = {position_bias}
unreadable_rate = 0.05
length = 40
"""

_ABILITIES = {LARGE.card: (0.8, 0.5), SMALL.card: (0.3, 1.2)}


def write_card(model: Model, *, url: str) -> str:
    """Return the card of a model that is served at this URL."""
    return _CARD.format(
        title=model.title,
        quantization=model.quantization,
        served=model.served,
        url=url,
        seed=SEED,
        max_tokens=MAX_TOKENS,
    )


def write_simulated_card(model: Model) -> str:
    """Return the card of a simulated stand-in, for dry runs and tests."""
    ability, position_bias = _ABILITIES[model.card]
    return _SIMULATED.format(
        title=model.title,
        ability=ability,
        position_bias=position_bias,
        seed=SEED,
        max_tokens=MAX_TOKENS,
    )


def list_conditions(turns: int) -> tuple[Condition, ...]:
    """Return the conditions in the order of play: each model alone, then both together."""
    alone = [condition for size in MODELS for condition in _list_alone(size)]
    return (*alone, *_list_together(turns), *_list_controls())


def _list_alone(size: str) -> tuple[Condition, ...]:
    card = MODELS[size].card
    variants = tuple(Seating(reviewer=card, temperature=heat) for heat in (COLD, WARM))
    return (
        Condition(name=f"single_{size}", protocol="pairwise", seats=(card,)),
        Condition(name=f"explained_{size}", protocol="pairwise_cot", seats=(card,)),
        Condition(name=f"prepair_{size}", protocol="prepair", seats=(card,)),
        Condition(
            name=f"self_discussion_{size}",
            protocol="self_discussion",
            seats=variants,
            options={"turns": FEW_TURNS},
        ),
    )


def _list_together(turns: int) -> tuple[Condition, ...]:
    both = (LARGE.card, SMALL.card)
    at_all_temperatures = tuple(
        Seating(reviewer=card, temperature=heat) for heat in (0.0, COLD, WARM) for card in both
    )
    return (
        Condition(name="vote", protocol="vote", seats=both, leader=Leader.BOTH),
        Condition(
            name="vote_of_six", protocol="vote", seats=at_all_temperatures, leader=Leader.BOTH
        ),
        Condition(
            name="leader_follower",
            protocol="leader_follower",
            seats=both,
            leader=Leader.BOTH,
            options={"turns": turns},
        ),
        Condition(
            name="prepair_discussion",
            protocol="prepair_discussion",
            seats=both,
            leader=Leader.RANDOM,
            options={"turns": FEW_TURNS},
        ),
    )


def _list_controls() -> tuple[Condition, ...]:
    """Return one exchange between the models under each control; `hearing` has none."""
    return tuple(
        Condition(
            name="hearing" if control == "none" else control,
            protocol="leader_follower",
            seats=(LARGE.card, SMALL.card),
            leader=Leader.RANDOM,
            options={"turns": FEW_TURNS, "control": control},
        )
        for control in get_args(Control)
    )


def list_reviewers(condition: Condition) -> frozenset[str]:
    """Return the cards that a condition seats."""
    return frozenset(seat if isinstance(seat, str) else seat.reviewer for seat in condition.seats)


def declare_experiment(
    name: str, conditions: tuple[Condition, ...], *, data: str, prompts: str
) -> Experiment:
    """Return the experiment of one data set; `data` is `sample` or the folder of LLMBar."""
    return Experiment(
        name=name,
        question="Do real small language models change their minds in discussion, and to what end?",
        data=f"{Path(pairs.__file__).resolve()}:{data}",
        conditions=conditions,
        prompts=prompts,
        seed=SEED,
    )
