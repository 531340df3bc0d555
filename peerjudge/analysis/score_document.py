"""The JSON document of scores, as `peerjudge score --json` prints it.

    source, by, groups [name], simulated, level, seed, left_out, conventions {...},
    rows [row], correlations [row], rating_pairs [pair], disagreements [row], ratings [row],
    contrasts {condition: ...}, rated [level] (only with ratings of single answers),
    published {...} (only with published figures)

A **row** is one judge: `reviewer`, `condition` and `protocol` (null outside runs), `stance`
(`recorded`, `private` or `concluded`), `total` (a cell), `groups {name: cell}`, and `own_reading`:
null, or `total`, `groups`, `same`, `different`, `only_recorded`, `only_own`, see `OwnReading`.
`means` has by group that consists of subsets (`""`: all) the mean of their accuracies: `of [name]`,
`accuracy`, `as_tie`, `as_half`. With published conventions, `as_published {group: accuracy}`. Beside
published figures it also has `published`: null, or `setting`, `method`, `table`, `values {group: share}`,
with the share of all under the name `""`.

`conventions` says what happens to verdicts that are inconsistent, unreadable or refused: in words for
`accuracy`, `as_tie` and `as_half`, and `published`, null or the fields of `Conventions`.

A **cell** has the fields of `Accuracy`, `OrderShares` and `Consistency`; a measured value is
`{value, low, high, n, method}`, and a `margin` also has `one_order`. All shares are from 0 to 1; values
that do not exist are null. Only a cell with verdicts that the first reply does not state has
`readable_at_once`, the accuracy of the others.

A row of **correlations** is `Correlation`, the judge spelled out; a **level** is `RatingLevel`, its
`distribution` by point of the scale; a **pair** is `RatingPair`. One of
**disagreements** has `reviewer`, `comparison`, `shown`, `recorded`, `own`, `rule` and `text`; a verdict is
an answer's id or the name of an outcome. One of **ratings** has `condition`, `reviewer`,
`weighted`, `stated` and `unreadable`, see `Ratings`.

`contrasts` has for each condition with discussions `over_mean_seat`, `over_better_seat`,
`over_self_consistency` and `over_vote`. Each has `value`, `low`, `high`, `n` (comparisons), `p`, `p_holm`,
`primary`, `turns` (calls per verdict), `rows`: one for each seat, reviewer or vote, with `name`, `value`,
`low`, `high`, `n`, `p` and `turns`, of which the values above are the least; `reason`: null, or what is
missing, `decider`: null, or the reviewer who decides every even split of the vote, and `left_out`: the
seats that never judged alone. See `ConditionContrasts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import cast

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.contrasts import ConditionContrasts, Contrast
from peerjudge.analysis.judges import Judge
from peerjudge.analysis.margins import Margin
from peerjudge.analysis.published import Match, PublishedTable
from peerjudge.analysis.rating_pairs import RatingPair
from peerjudge.analysis.ratings import Correlation
from peerjudge.analysis.scoring import Disagreement, Score, Scores
from peerjudge.data import COUNTING, Measurement, Noun, Undecided, to_plain

_Document = dict[str, object]


def build_score_document(
    scores: Scores,
    *,
    contrasts: Sequence[ConditionContrasts] = (),
    pairs: Sequence[RatingPair] = (),
    published: tuple[PublishedTable, Sequence[Match]] | None = None,
) -> _Document:
    """Return the scores as plain values for JSON.

    Args:
        scores: from `score_ballots`.
        contrasts: of the discussions of a run.
        pairs: of judges that rated the same answers.
        published: from `match_published`: its rows only, each with the published figures.
    """
    document: _Document = {
        "source": scores.source,
        "by": scores.by or None,
        "groups": list(scores.groups),
        "simulated": scores.simulated,
        "level": scores.level,
        "seed": scores.seed,
        "left_out": scores.left_out,
        "conventions": {
            "accuracy": COUNTING[Undecided.LEFT_OUT],
            "published": None if scores.conventions is None else to_plain(scores.conventions),
        },
        "rows": [_row(score, scores) for score in scores.scores],
        "correlations": [_correlation(correlation) for correlation in scores.correlations],
        "rating_pairs": [to_plain(pair) for pair in pairs],
        "disagreements": [_disagreement(disagreement) for disagreement in scores.disagreements],
        "ratings": [to_plain(rating) for rating in scores.ratings],
        "contrasts": build_contrasts_document(contrasts),
    }
    if scores.rated:
        document["rated"] = [to_plain(level) for row in scores.rated for level in row.levels]
    if published is not None:
        table, rows = published
        document["published"] = {"title": table.title, "source": table.source, "table": table.name}
        document["rows"] = [{**_row(row[0], scores), "published": _published(row)} for row in rows]
    return document


def build_contrasts_document(rows: Sequence[ConditionContrasts]) -> _Document:
    """Return the contrasts of discussions by condition as plain values for JSON."""
    return {
        row.condition: {name: _contrast(one) for name, one in row.by_name.items()} for row in rows
    }


def _contrast(one: Contrast) -> _Document:
    tested = one.difference
    return {
        **_bounds(None if tested is None else tested.difference),
        "p": None if tested is None else tested.p_value,
        "p_holm": None if tested is None else one.p_holm,
        "primary": one.primary,
        "turns": None if tested is None else one.turns,
        "rows": [
            {
                "name": row.name,
                **_bounds(row.difference.difference),
                "p": row.difference.p_value,
                "turns": row.turns,
            }
            for row in one.rows
        ],
        "reason": one.reason or None,
        "decider": one.decider or None,
        "left_out": list(one.left_out),
    }


def _bounds(measured: Measurement | None) -> _Document:
    if measured is None:
        return {"value": None, "low": None, "high": None, "n": 0, "level": None}
    return {key: getattr(measured, key) for key in ("value", "low", "high", "n", "level")}


def describe_judge(judge: Judge) -> _Document:
    """Return who judged, null for what there is not outside runs."""
    return {
        "reviewer": judge.reviewer,
        "condition": judge.condition or None,
        "protocol": judge.protocol or None,
        "stance": judge.stance,
    }


def _row(one: Score, scores: Scores) -> _Document:
    row = {
        **describe_judge(one.judge),
        "total": list_values(one.total),
        "groups": list_values(one.groups),
    }
    if scores.conventions is not None:
        names = ("", *scores.groups)
        values = {name: one.accuracy_by(name, scores.conventions) for name in names}
        row["as_published"] = list_values({name: one for name, one in values.items() if one})
    return {**row, "own_reading": list_values(one.own_reading)}


def _correlation(one: Correlation) -> _Document:
    names = (name for name in one.__struct_fields__ if name != "judge")
    return {
        **describe_judge(one.judge),
        **{name: list_values(getattr(one, name)) for name in names},
    }


def _disagreement(one: Disagreement) -> _Document:
    return {
        "reviewer": one.judge.reviewer,
        "comparison": one.comparison,
        "shown": list(one.shown),
        "recorded": str(one.recorded),
        "own": str(one.own),
        "rule": one.rule,
        "text": one.text,
    }


def _published(row: Match) -> _Document | None:
    _, method, line = row
    if line is None:
        return None
    return {
        "setting": line.setting,
        "method": method,
        "table": line.table,
        "values": dict(line.values),
    }


def list_values(value: object) -> object:
    """Return plain values: null for NaN, nouns as their fields, a measurement without its level."""
    if isinstance(value, float) and isnan(value):
        return None
    if isinstance(value, Margin):
        return {**cast("_Document", list_values(value.measured)), "one_order": value.one_order}
    if isinstance(value, Noun):
        unused = {"level"}
        if isinstance(value, Accuracy):
            unused.add("as_tie")
        names = (name for name in value.__struct_fields__ if name not in unused)
        value = {name: getattr(value, name) for name in names}
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value)
        return {name: list_values(one) for name, one in items.items()}
    if isinstance(value, tuple):
        return [list_values(one) for one in cast("tuple[object, ...]", value)]
    return value
