"""Who can be a reviewer and in what words it is asked: the reviewer card and the prompt pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from peerjudge.data.discussion import Sampling
from peerjudge.data.questions import Scalar

__all__ = ["Card", "Limits", "ModelSpec", "PromptPack", "ReviewerKind"]


class ReviewerKind(StrEnum):
    """What speaks for a card."""

    MODEL = "model"
    """A language model behind an AutoGen model client."""
    SIMULATED = "simulated"
    """A stochastic reviewer with known traits."""
    RECORDED = "recorded"
    """Reviews that somebody gave before, replayed."""
    PYTHON = "python"
    """An object or function of the user's: an AutoGen agent, team or client, or a callable."""


def _no_options() -> dict[str, Scalar]:
    return {}


def _no_nested_options() -> dict[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """Which model and how it is reached.

    `provider` is a name (`openai`, `anthropic`, `ollama`, ...) or the dotted path of an AutoGen
    component. `key_env` names the environment variable that holds the key; the key itself is never
    stored. `options` go to the client's constructor as they are; their values are plain (JSON-able).
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    provider: str
    name: str = ""
    base_url: str | None = None
    key_env: str | None = None
    options: Mapping[str, object] = field(default_factory=_no_nested_options, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on the calls of one card. `timeout` is in seconds per call; rates are per minute."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    max_connections: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    attempts: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A reviewer, as a file on the `agents/` shelf declares it.

    `name` is the file's stem and a Python identifier (AutoGen demands that of agents). `role` is
    the role prompt. `family` groups models of one maker, for self-enhancement. `traits` belong to
    simulated reviewers, `source` (a dataset `NAME:PATH`) and `reviewer` to recorded ones.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    name: str
    kind: ReviewerKind = ReviewerKind.MODEL
    description: str = ""
    role: str = ""
    family: str = ""
    model: ModelSpec | None = None
    sampling: Sampling = Sampling()
    limits: Limits = Limits()
    traits: Mapping[str, Scalar] = field(default_factory=_no_options, hash=False)
    source: str = ""
    reviewer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPack:
    """The words of one family of prompts. Every text but the aspects is a Jinja template.

    `system` opens every prompt and `seat` adds, in a discussion, who is who; `scene` shows the
    question and the answers, `heard` one earlier turn. `tasks` holds the instruction for each task
    a cue can name, `criteria` what it says about `aspects` (in order of importance), `remind` the
    role reminder that can precede it. `reply` maps the kinds of reply (`verdict`,
    `verdict_or_tie`, `rating`, and the forms of a rating as JSON) to how each is asked for.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}

    name: str
    description: str
    system: str
    seat: str
    scene: str
    heard: str
    criteria: str
    remind: str
    tasks: Mapping[str, str] = field(hash=False)
    reply: Mapping[str, str] = field(hash=False)
    aspects: tuple[str, ...] = ()
