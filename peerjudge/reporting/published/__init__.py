"""Values that papers print about recorded reviews, read from `DATASET.toml` with their source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Literal, cast

from peerjudge.analysis.recorded import Jury

__all__ = ["Published", "find_published"]

_Toml = Mapping[str, object]
_Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Values that one paper prints about one dataset; empty where no paper is known.

    `elo` and `win_rate` are by evaluator and contestant, `agreement` by jury (`accuracy`, `kappa`).
    `juries` are the juries of the paper other than single reviewers and all reviewers. `titles` has
    the paper's tables and figures by the name of ours, `remarks` the limits of their comparison.
    """

    source: str = ""
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    remarks: Mapping[str, str] = field(default_factory=dict[str, str])
    elo: _Values = field(default_factory=dict[str, dict[str, float]])
    win_rate: _Values = field(default_factory=dict[str, dict[str, float]])
    agreement: _Values = field(default_factory=dict[str, dict[str, float]])
    juries: tuple[Jury, ...] = ()


def find_published(dataset: str) -> Published:
    """Return the printed values about a dataset, empty where none are known."""
    file = files("peerjudge.reporting.published").joinpath(f"{dataset}.toml")
    if not dataset.isidentifier() or not file.is_file():
        return Published()
    paper: _Toml = tomllib.loads(file.read_text("utf-8"))
    figures = cast("Mapping[str, _Toml]", paper["figures"])
    lines = cast("list[_Toml]", _table(paper, "agreement")["juries"])
    return Published(
        source=str(paper["source"]),
        titles={
            name: str(_table(paper, name)["title"]) for name in ("elo", "win_rate", "agreement")
        }
        | {name: str(one["title"]) for name, one in figures.items()},
        remarks={name: str(one["remark"]) for name, one in figures.items()},
        elo=_values(_table(paper, "elo")),
        win_rate=_values(_table(paper, "win_rate")),
        agreement={
            str(line["name"]): {
                "accuracy": float(cast("float", line["accuracy"])),
                "kappa": float(cast("float", line["kappa"])),
            }
            for line in lines
        },
        juries=tuple(_jury(line) for line in lines if len(_members(line)) > 1),
    )


def _table(paper: _Toml, name: str) -> _Toml:
    return cast("_Toml", paper[name])


def _values(table: _Toml) -> _Values:
    return {
        evaluator: {name: float(value) for name, value in cast("Mapping[str, float]", row).items()}
        for evaluator, row in table.items()
        if isinstance(row, Mapping)
    }


def _members(line: _Toml) -> tuple[str, ...]:
    return tuple(cast("list[str]", line.get("reviewers", [])))


def _jury(line: _Toml) -> Jury:
    weights = cast("Literal['equal', 'peer']", line.get("weights", "equal"))
    return Jury(name=str(line["name"]), reviewers=_members(line), weights=weights)
