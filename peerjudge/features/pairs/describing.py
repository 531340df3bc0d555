"""Pairs in words: what became of the items of each recipe, the audits, and the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from peerjudge.data import to_plain
from peerjudge.features.pairs.nouns import Paired, Status
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.columns import build_frame
from peerjudge.shown import money

if TYPE_CHECKING:
    import pandas as pd


def list_parts(paired: Paired) -> list[str | Table]:
    """Return the tables and sentences of a result."""
    return [*build_parts(paired), *describe_files(paired)]


def build_df(paired: Paired) -> pd.DataFrame:
    """Return one row per set of answers."""
    return build_frame(
        "pairs",
        (
            {
                "id": pair.id,
                "recipe": pair.recipe,
                "category": pair.item.category,
                "parent": pair.item.parent,
                "question": pair.item.text,
                "better": pair.better.text,
                "worse": tuple(each.text for each in pair.worse),
                "place": pair.place,
                "writer": pair.writer,
                "status": pair.status,
                "votes": pair.verdicts[0],
                "verdicts": pair.verdicts[1],
            }
            for pair in paired.pairs
        ),
    )


def build_parts(paired: Paired) -> list[str | Table]:
    """Return the sentences and tables of a result."""
    parts: list[str | Table] = [
        f"{len(paired.pairs)} sets of answers from {paired.source} (licence: {paired.licence}).",
        "",
        _tabulate_counts(paired),
        "",
        _tabulate_audits(paired),
    ]
    for name, judges in paired.solvable_by.items():
        clear = (
            f"Solvable without reading ({name}): {', '.join(judges)} clearly above chance. A judge that "
            "is right on these pairs may use the same cue."
        )
        parts += ["", clear]
    return parts


def describe_files(paired: Paired) -> list[str]:
    """Return where the files are, and what the calls cost."""
    calls = ", ".join(f"{number} {name}" for name, number in paired.calls.items() if number)
    return [
        "",
        *(f"{name:7} {path}" for name, path in paired.files.items()),
        f"calls: {calls or 'none'}; {paired.tokens:,} tokens, cost: {money(paired.cost_usd)}",
    ]


def build_document(paired: Paired) -> dict[str, Any]:
    """Return the result for JSON; the pairs themselves are in their file."""
    return {
        "out": paired.out,
        "source": paired.source,
        "licence": paired.licence,
        "seed": paired.seed,
        "pairs": len(paired.pairs),
        "better_first": sum(pair.place == 0 for pair in paired.pairs),
        "recipes": {count.recipe: to_plain(count) for count in paired.counts},
        "status": {
            name: sum(pair.status == name for pair in paired.pairs) for name in get_args(Status)
        },
        "audits": {
            name: {
                row.judge: {"accuracy": to_plain(row.accuracy), "chance": row.chance}
                for row in rows
            }
            for name, rows in paired.audits.items()
        },
        "solvable_by": paired.solvable_by,
        "verifiers": list(paired.verifiers),
        "hard_for": paired.hard_for or None,
        "files": dict(paired.files),
        "calls": dict(paired.calls),
        "tokens": paired.tokens,
        "cost_usd": paired.cost_usd,
        "stopped": paired.stopped,
    }


def _tabulate_counts(paired: Paired) -> Table:
    note = (
        "Disputed: fewer than two thirds of the verifiers' verdicts chose the better answer."
        if paired.verifiers
        else "Not verified by judges; answers by rule are worse by construction."
    )
    return build_table(
        "Recipes",
        paired.counts,
        Column("Recipe", "recipe"),
        Column("Kept", "kept"),
        Column("Disputed", "disputed"),
        Column("Left out", "reasons"),
        note=note,
    )


def _tabulate_audits(paired: Paired) -> Table:
    judges = list(dict.fromkeys(row.judge for rows in paired.audits.values() for row in rows))
    return build_table(
        "Judges that read nothing: right in % [95% interval]",
        paired.audits.items(),
        Column("Pairs", "0", key="pairs"),
        *(
            Column(judge.capitalize(), f"1.{place}.accuracy", "share", key=judge)
            for place, judge in enumerate(judges)
        ),
        note="Longer, shorter, first, last: the choice by length or place. Overlap: with the question. "
        "Equal answers count as half right.",
    )
