"""Options that several commands take, and the parser of lists and of pairs such as `turns=6`."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from peerjudge.cli.console import Display, LogForm
from peerjudge.errors import ExperimentError


def split_names(names: str) -> list[str]:
    """Split `"a,b"` into `["a", "b"]`; a name with a comma stands in quotes, as in a cell of a CSV."""
    cells = next(csv.reader([names], skipinitialspace=True), list[str]())
    return [name.strip() for name in cells if name.strip()]


def parse_pairs(
    pairs: Sequence[str], *, option: str, form: str, example: str, blank: bool = False
) -> dict[str, str]:
    """Parse the values of an option that takes pairs, such as `["turns=6", "stop=agreement"]`.

    Args:
        pairs: The values.
        option: The option, with its hyphens.
        form: Names of key and value, such as `NAME=CARD`.
        example: A value.
        blank: Accept an empty value after `=`.

    Raises:
        ExperimentError: A text has no key, no `=` or no value, or a key is given twice.
    """
    values: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and (value or blank)):
            msg = f"{option} takes {form}, as in {option} {example}, not {pair!r}"
            raise ExperimentError(msg)
        if key in values:
            msg = f"{option} has {key!r} twice, as {values[key]!r} and as {value!r}; give it once"
            raise ExperimentError(msg)
        values[key] = value
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentOptions:
    """Options whose fields are arguments of the function of a command."""

    def list_arguments(self) -> Mapping[str, Any]:
        """Return the arguments that were given, by name."""
        given = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in given if value not in {None, ()}}


def parse_names(map: Sequence[str]) -> dict[str, str]:  # noqa: A002  the word of the option
    """Parse the values of `--map`: columns by field."""
    return parse_pairs(map, option="--map", form="FIELD=COLUMN", example="question=Prompt")


def parse_codes(codes: str) -> dict[str, str]:
    """Parse the value of `--codes`: meanings by code."""
    form = "CODE=MEANING, separated by commas"
    return parse_pairs(split_names(codes), option="--codes", form=form, example="0=a,1=b,2=tie")


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions(ArgumentOptions):
    """Names of columns and codes in a file of data.

    Parameters
    ----------
    map
        FIELD=COLUMN; repeat for more. The column of the data that holds FIELD, such as question=Prompt;
        text=message.content is a field inside an object.
    codes
        CODE=MEANING, separated by commas: what the codes of verdicts mean, as in 0=a,1=b,2=tie. A meaning is
        a, b, c, d (the answer in the order of the file), tie, unreadable or none.
    """

    map: tuple[str, ...] = ()
    codes: str = ""

    def apply(self, data: str) -> str:
        """Return the text that names data, with these columns and codes; an empty one is of declared data."""
        from peerjudge.datasets.specs import add_to_spec

        return add_to_spec(data, names=parse_names(self.map), codes=parse_codes(self.codes))


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class CastOptions(ArgumentOptions):
    """Settings of an experiment, and the cards in its seats.

    Parameters
    ----------
    settings
        key=value; repeat for more. An option of the protocols (turns=6, stop=agreement), of all
        conditions (leader=both, orders=given, prompts=NAME), of the experiment (repetitions=3,
        reread=CARD, primary="talk over better seat"), or of the reviewers (temperature=0.7, latency=0.05).
    seats
        NAME=CARD; repeat for more. Seats another reviewer wherever the experiment seats NAME: a name in
        its `seats`, or a card. In `tournament`, these are all contestants, under names of your choice.
    """

    settings: Annotated[tuple[str, ...], Parameter(name=["--setting", "-S"])] = ()
    seats: Annotated[tuple[str, ...], Parameter(name="--seat")] = ()

    def list_arguments(self) -> Mapping[str, Any]:
        """Return the settings, and the cards by seat."""
        return {
            "settings": parse_pairs(
                self.settings, option="-S", form="key=value", example="turns=6", blank=True
            ),
            "seats": parse_pairs(
                self.seats, option="--seat", form="NAME=CARD", example="strong=gpt_4o"
            ),
        }


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOptions(ArgumentOptions):
    """Limits on connections, cost and tokens.

    Parameters
    ----------
    max_connections
        Most calls in flight; by default 10. Each provider starts with 16; the number grows while calls
        succeed and is halved when the provider reports a rate limit.
    cost_limit
        Stop before the cost exceeds this amount (USD). Everything ever spent into the same folder or
        database counts, also with other settings and by other commands.
        Prices come from a published table, or from your prices.toml: a table ["MODEL"] with input
        and output in USD per million tokens. Run the same command with a higher limit to resume.
    token_limit
        Stop before prompt and completion tokens exceed this number. Everything ever spent into the
        same folder or database counts, simulated tokens included.
    """

    max_connections: int | None = None
    cost_limit: float | None = None
    token_limit: int | None = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions(BudgetOptions):
    """Limits of calls, and where their replies are kept.

    Parameters
    ----------
    fail_on_error
        Stop when 5 discussions or texts and this share (0 to 1) of the ended ones have failed.
    deadline
        Seconds after which a discussion or text fails.
    cache
        File or folder of the reply cache; several runs may share it. By default the folder of the run;
        with --store, the user's cache folder. `none` keeps replies in memory only.
    """

    fail_on_error: float | None = None
    deadline: float | None = None
    cache: str | None = None


OUT_NAMES = ("--out", "-o")
OUT = Parameter(name=OUT_NAMES)
"""Names of the option that names what is written, a file or a folder, in every command."""

DryRun: TypeAlias = Annotated[
    bool, Parameter(help="Print the estimated calls, tokens and cost, and call no model.")
]
"""The option `--dry-run`."""

ProgressForm: TypeAlias = Annotated[Display, Parameter(help="Form of the progress on stderr.")]
"""The option `--display`."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """Progress and log events.

    Parameters
    ----------
    log_level
        Lowest level of log events on stderr: debug, info, warning, error or critical.
    log_format
        Form of log events: text, or JSON objects with `event`, `level`, `timestamp`, `run`,
        `discussion` and `turn`.
    """

    display: ProgressForm = "rich"
    log_level: str = "warning"
    log_format: LogForm = "text"
