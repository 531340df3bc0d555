"""The scores as one JSON document: what `peerjudge score --json` prints.

    source, by, groups [name], simulated, level, seed, left_out,
    rows [row], correlations [row], disagreements [row], ratings [row], published {...} (only if
    asked for)

A **row** is one judge: `reviewer`, `condition` and `protocol` (null outside runs), `stance`
(`recorded`, `private` or `concluded`), `total` (a cell), `groups {name: cell}`, and `own_reading`:
null, or `total`, `groups`, `same`, `different`, `only_recorded`, `only_own`, see `OwnReading`. Beside
published figures it also has `published`: null, or `setting`, `method`, `values {group: share}`,
with the share of all under the name `""`.

A **cell** has `n` (verdicts with a gold), `questions`, `right`, `ties`, `inconsistent`, `unreadable`,
`refused`; `accuracy {value, low, high, n, method}` over the readable; `worst_case` and `best_case`;
`decided` (as `accuracy`, where verdict and gold both choose); `orders {given, other, average, both,
same}`, shares of all verdicts as in `OrderShares`; `consistency {judged, same, inconsistent,
unreadable, rate}`. All shares are from 0 to 1; what could not be measured is null.

A row of **correlations** is `Correlation`, the judge spelled out. One of **disagreements** has
`reviewer`, `comparison`, `shown`, `recorded`, `own`, `rule` and `text`; a verdict is an answer's id or
the name of an outcome. One of **ratings** has `condition`, `reviewer`, `weighted`, `stated` and
`unreadable`, see `Ratings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from peerjudge.analysis.cells import Cell
from peerjudge.analysis.judges import Judge
from peerjudge.analysis.published import Match, PublishedTable
from peerjudge.analysis.ratings import Correlation
from peerjudge.analysis.scoring import Disagreement, OwnReading, Score, Scores
from peerjudge.data import Measurement, Outcome, to_plain

_Plain = dict[str, object]


def build_score_document(
    scores: Scores,
    *,
    published: tuple[PublishedTable, Sequence[Match]] | None = None,
) -> _Plain:
    """Return the scores as plain values for JSON.

    Args:
        scores: from `score_ballots`.
        published: from `match_published`: its rows only, each with the published figures.
    """
    document: _Plain = {
        "source": scores.source,
        "by": scores.by or None,
        "groups": list(scores.groups),
        "simulated": scores.simulated,
        "level": scores.level,
        "seed": scores.seed,
        "left_out": scores.left_out,
        "rows": [_row(one) for one in scores.scores],
        "correlations": [_correlation(one) for one in scores.correlations],
        "disagreements": [_disagreement(one) for one in scores.disagreements],
        "ratings": [to_plain(one) for one in scores.ratings],
    }
    if published is not None:
        table, rows = published
        document["published"] = {"title": table.title, "source": table.source, "table": table.name}
        document["rows"] = [{**_row(row[0]), "published": _published(row)} for row in rows]
    return document


def _judge(judge: Judge) -> _Plain:
    return {
        "reviewer": judge.reviewer,
        "condition": judge.condition or None,
        "protocol": judge.protocol or None,
        "stance": judge.stance,
    }


def _row(one: Score) -> _Plain:
    return {
        **_judge(one.judge),
        "total": _cell(one.total),
        "groups": {name: _cell(cell) for name, cell in one.groups.items()},
        "own_reading": None if one.own_reading is None else _own_reading(one.own_reading),
    }


def _own_reading(own: OwnReading) -> _Plain:
    return {
        "total": _cell(own.total),
        "groups": {name: _cell(cell) for name, cell in own.groups.items()},
        "same": own.same,
        "different": own.different,
        "only_recorded": own.only_recorded,
        "only_own": own.only_own,
    }


def _cell(cell: Cell) -> _Plain:
    orders, consistency = cell.orders, cell.consistency
    return {
        "n": cell.judged,
        "questions": cell.questions,
        "right": cell.right,
        "ties": cell.outcomes[Outcome.TIE],
        "inconsistent": cell.outcomes[Outcome.INCONSISTENT],
        "unreadable": cell.outcomes[Outcome.UNREADABLE],
        "refused": cell.outcomes[Outcome.REFUSED],
        "accuracy": _measurement(cell.accuracy),
        "worst_case": cell.worst_case,
        "best_case": cell.best_case,
        "decided": _measurement(cell.decided),
        "orders": {
            "given": _known(orders.given),
            "other": _known(orders.other),
            "average": _known(orders.average),
            "both": _known(orders.both),
            "same": _known(orders.same),
        },
        "consistency": {
            "judged": consistency.judged,
            "same": consistency.same,
            "inconsistent": consistency.inconsistent,
            "unreadable": consistency.unreadable,
            "rate": None if consistency.rate is None else _measurement(consistency.rate),
        },
    }


def _measurement(measured: Measurement) -> _Plain:
    return {
        "value": _known(measured.value),
        "low": _known(measured.low),
        "high": _known(measured.high),
        "n": measured.n,
        "method": measured.method,
    }


def _correlation(one: Correlation) -> _Plain:
    return {
        **_judge(one.judge),
        "aspect": one.aspect,
        "answers": one.answers,
        "unrated": one.unrated,
        "mean": _known(one.mean),
        "mean_gold": _known(one.mean_gold),
        "mean_error": _known(one.mean_error),
        "pearson": _measurement(one.pearson),
        "spearman": _known(one.spearman),
        "kendall": _known(one.kendall),
        "by_question": _all_known(one.by_question),
        "by_author": _all_known(one.by_author),
    }


def _disagreement(one: Disagreement) -> _Plain:
    return {
        "reviewer": one.judge.reviewer,
        "comparison": one.comparison,
        "shown": list(one.shown),
        "recorded": str(one.recorded),
        "own": str(one.own),
        "rule": one.rule,
        "text": one.text,
    }


def _published(row: Match) -> _Plain | None:
    _, method, line = row
    if line is None:
        return None
    return {"setting": line.setting, "method": method, "values": dict(line.values)}


def _all_known(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _known(value) for name, value in values.items()}


def _known(value: float) -> float | None:
    return None if isnan(value) else value
