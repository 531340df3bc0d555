"""Who can be a reviewer and in what words it is asked: the reviewer card and the prompt pack."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import field

from peerjudge.data.discussion import Sampling
from peerjudge.data.noun import Noun
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


class ModelSpec(Noun, frozen=True, kw_only=True):
    """Which model and how it is reached.

    `provider` is a name (`openai`, `anthropic`, `ollama`, ...) or the dotted path of an AutoGen
    component. `key_env` names the environment variable that holds the key; the key itself is never
    stored. `options` go to the client's constructor as they are; their values are plain (JSON-able).
    """

    provider: str
    name: str = ""
    base_url: str | None = None
    key_env: str | None = None
    options: Mapping[str, object] = field(default_factory=dict[str, object])


class Limits(Noun, frozen=True, kw_only=True):
    """Bounds on the calls of one card. `timeout` is in seconds per call; rates are per minute."""

    max_connections: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    attempts: int = 5


class Card(Noun, frozen=True, kw_only=True):
    """A reviewer, as a file on the `agents/` shelf declares it.

    `name` is the file's stem and a Python identifier (AutoGen demands that of agents). `role` is
    the role prompt. `family` groups models of one maker, for self-enhancement. `traits` belong to
    simulated reviewers, `source` (a dataset `NAME:PATH`) and `reviewer` to recorded ones.
    """

    name: str
    kind: ReviewerKind = ReviewerKind.MODEL
    description: str = ""
    role: str = ""
    family: str = ""
    model: ModelSpec | None = None
    sampling: Sampling = Sampling()
    limits: Limits = Limits()
    traits: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    source: str = ""
    reviewer: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.role))


class PromptPack(Noun, frozen=True, kw_only=True):
    """The words of one family of prompts. Every text but the aspects is a Jinja template.

    `system` opens every prompt and `seat` adds, in a discussion, who is who; `scene` shows the
    question and the answers, `heard` one earlier turn. `tasks` holds the instruction for each task
    a cue can name, `criteria` what it says about `aspects` (in order of importance), `remind` the
    role reminder that can precede it. `reply` maps the kinds of reply (`verdict`,
    `verdict_or_tie`, `rating`, and the forms of a rating as JSON) to how each is asked for.
    """

    name: str
    description: str
    system: str
    seat: str
    scene: str
    heard: str
    criteria: str
    remind: str
    tasks: Mapping[str, str]
    reply: Mapping[str, str]
    aspects: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.name, self.system))
