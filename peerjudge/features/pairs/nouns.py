"""The nouns of pairing: source items, made answers, pairs with their provenance, and findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from msgspec import field

from peerjudge.data import Measurement, Noun
from peerjudge.marks import mark_controls
from peerjudge.shown import Framed

Status: TypeAlias = Literal["by rule", "unverified", "verified", "disputed"]
"""Why the better answer is gold: a rule made the others worse; nobody checked; at least two thirds of the
verifiers' verdicts chose it; fewer did."""


class Item(Noun, frozen=True, kw_only=True):
    """A question with its accepted answer, from which answers are made. `parent` names the comparison."""

    question: str
    text: str
    answer: str
    author: str
    category: str
    parent: str


class MadeAnswer(Noun, frozen=True, kw_only=True):
    """An answer with its maker: a recipe, or the source. `model` and `prompt` are of a writer's reply."""

    text: str
    author: str
    model: str = ""
    prompt: str = ""


class Pair(Noun, frozen=True, kw_only=True):
    """A question with a better answer and one to three worse ones, worst last.

    `place` is the place at which the better answer is shown. `votes` are the verifiers' verdicts for the
    better answer and all of them, by verifier.
    """

    id: str
    item: Item
    recipe: str
    better: MadeAnswer
    worse: tuple[MadeAnswer, ...]
    seed: int
    writer: str = ""
    place: int = 0
    status: Status = "by rule"
    votes: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    @property
    def answers(self) -> dict[str, MadeAnswer]:
        """The answers by name (`better`, `worse_1`, ...), in the order in which they are shown."""
        named = [(f"worse_{number}", one) for number, one in enumerate(self.worse, 1)]
        named.insert(self.place, ("better", self.better))
        return dict(named)

    @property
    def shown(self) -> tuple[MadeAnswer, ...]:
        """The answers in the order in which they are shown."""
        return tuple(self.answers.values())

    @property
    def verdicts(self) -> tuple[int, int]:
        """The verdicts of all verifiers: for the better answer, and in all."""
        votes = self.votes.values()
        return sum(right for right, _ in votes), sum(number for _, number in votes)


class Audit(Noun, frozen=True, kw_only=True):
    """How often a judge that reads nothing chooses the better answer; chance is one in k answers."""

    judge: str
    accuracy: Measurement
    chance: float

    @property
    def percent(self) -> str:
        """The accuracy in percent, with its interval."""
        one = self.accuracy
        return f"{100 * one.value:.0f} [{100 * one.low:.0f}, {100 * one.high:.0f}]"

    @property
    def solves(self) -> bool:
        """True where the judge is clearly better than chance: its lower bound is above .6 (of two)."""
        return self.accuracy.low > self.chance + 0.1


class RecipeCount(Noun, frozen=True, kw_only=True):
    """What became of the items of a recipe; `left_out` counts them by reason."""

    recipe: str
    kept: int
    disputed: int
    left_out: Mapping[str, int]
    same: Mapping[str, Measurement] = field(default_factory=dict[str, Measurement])

    @property
    def reasons(self) -> str:
        """What was left out, in words; empty where nothing was."""
        return ", ".join(f"{number} {why}" for why, number in self.left_out.items())


class Paired(Framed, Noun, frozen=True, kw_only=True):
    """Result of making pairs.

    `left_out` of the counts says why items gave no pair. `audits` are over all pairs and by recipe.
    `solvable_by` names a judge that reads nothing and is still right. A notebook and `print` show tables.
    """

    renderer: ClassVar[str] = "peerjudge.features.pairs.describing"

    out: str
    source: str
    licence: str
    seed: int
    pairs: tuple[Pair, ...]
    counts: tuple[RecipeCount, ...]
    audits: Mapping[str, tuple[Audit, ...]]
    verifiers: tuple[str, ...]
    hard_for: str
    files: Mapping[str, str]
    calls: Mapping[str, int]
    tokens: int
    cost_usd: float | None
    stopped: str | None = None
    simulated: bool = False

    def describe_briefly(self) -> str:
        """Return one line, as `repr` is."""
        recipes = ", ".join(count.recipe for count in self.counts)
        told = f"{len(self.pairs):,} sets of answers by {recipes}"
        return mark_controls(f"<Paired from {self.source}: {told}>")

    @property
    def solvable_by(self) -> dict[str, list[str]]:
        """The judges that read nothing and are still right, by recipe (`all` for all together)."""
        found = {
            name: [row.judge for row in rows if row.solves] for name, rows in self.audits.items()
        }
        return {name: judges for name, judges in found.items() if judges}
