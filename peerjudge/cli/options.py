"""Options that several commands take: setting and seats, limits of calls, and the display of progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import Display, LogForm


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class CastOptions:
    """Settings of an experiment, and the cards in its seats.

    Parameters
    ----------
    setting
        key=value; repeat for more. An option of the protocols (turns=6, stop=agreement), of all
        conditions (leader=both, orders=given, prompts=NAME), of the experiment (repetitions=3,
        reread=CARD, primary="talk over best seat"), or of the reviewers (temperature=0.7, latency=0.05).
    seat
        NAME=CARD; repeat for more. Seats another reviewer wherever the experiment seats NAME: a name in
        its `seats`, or a card. In `tournament`, these are all contestants, under names of your choice.
    """

    setting: Annotated[tuple[str, ...], Parameter(name=["--setting", "-S"])] = ()
    seat: tuple[str, ...] = ()


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOptions:
    """Limits on connections, cost and tokens.

    Parameters
    ----------
    max_connections
        Most calls in flight; by default 10, and 2000 with `run --batch`. Each provider starts with 16; the
        number grows while calls succeed and is halved when the provider reports a rate limit.
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

    @property
    def connections(self) -> int:
        """Most calls in flight, where nothing else changes their usual number."""
        from peerjudge.runs.bounds import CONNECTIONS

        return CONNECTIONS if self.max_connections is None else self.max_connections


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


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """Progress and log events.

    Parameters
    ----------
    display
        Form of the progress on stderr.
    log_level
        Lowest level of log events on stderr: debug, info, warning, error or critical.
    log_format
        Form of log events: text, or JSON objects with `event`, `level`, `timestamp`, `run`,
        `discussion` and `turn`.
    """

    display: Display = "rich"
    log_level: str = "warning"
    log_format: LogForm = "text"
