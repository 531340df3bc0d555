"""Columns of the frames of results, with their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from peerjudge.analysis.frames import FRAMES, import_pandas
from peerjudge.data import Measurement

if TYPE_CHECKING:
    import pandas as pd

Cells: TypeAlias = Mapping[str, object]
"""The cells of a row by column; a column that is left out is missing."""

_VALUE = {
    "value": "the measured value",
    "low": "lower bound of its interval",
    "high": "upper bound",
    "n": "number of observations",
}

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "score": {
        "condition": "condition of a run; missing for reviews on record",
        "protocol": "protocol of the condition",
        "reviewer": "reviewer, or the seats of a conclusion",
        "stance": "recorded, private or concluded; rated for ratings of single answers",
        "group": "subset, category, labeler, or aspect of ratings; empty for all",
        "measure": "accuracy, margin (probability of gold), pearson (ratings and gold), or mean rating",
        **_VALUE,
        "questions": "number of questions; missing for ratings",
        "inconsistent": "verdicts that contradict themselves between the shown orders",
        "unreadable": "verdicts, or replies of ratings, that cannot be read",
        "refused": "verdicts that were refused",
        "unrated": "answers without a rating, of correlations",
    },
    "compare": {
        "one": "condition, run or reviewer",
        "other": "what it is compared with: another one, or an alternative to a discussion",
        "measure": "accuracy, or rating with its aspect",
        **_VALUE,
        "value": "value of the first minus that of the other",
        "p": "p-value of no difference, of the interval's own t",
        "p_holm": "the same, adjusted for the conditions with the same alternative, or for all pairs",
        "reason": "why there is no difference; missing otherwise",
    },
    "fork": {
        "change": "change of the forks",
        "measure": "turned, towards, away, altered; with `, difference`: minus no change",
        **_VALUE,
        "p": "p-value of no difference, of the interval's own t",
        "p_holm": "the same, adjusted for all tests of the table",
    },
    "agreement": {
        "reviewers": "reviewer, names separated by commas, or a panel by its weights (`panel:prd`)",
        "measure": "accuracy, fleiss_kappa, or for two reviewers cohen_kappa and error_correlation; for a "
        "panel also `minus` a member",
        **_VALUE,
    },
    "corrected": {
        "contestant": "author of answers",
        "measure": "win rate by judges, bias (judges minus people), corrected, or people",
        **_VALUE,
        "p": "p-value of no bias; missing for win rates",
        "saved": "share of labels saved, of corrected; 0 where it saves nothing",
    },
    "bias": {
        "measure": "position, consistency, self_enhancement, verbosity; before and after a discussion",
        "reviewer": "reviewer",
        "quantity": "field of the measure, as in the document",
        **_VALUE,
    },
    "rank": {
        "contestant": "author of the ranked answers",
        "rank": "1 is best; within its group",
        "score": "win rate or rating",
        "low": "lower bound of the score",
        "high": "upper bound",
        "rank_low": "best rank within the bounds",
        "rank_high": "worst rank within the bounds",
    },
    "events": {**FRAMES["events"], "simulated": "true if no real model spoke"},
    "summary": {
        "reviewer": "reviewer; missing for all",
        "role": "role of the seat; missing for all",
        "opponent": "reviewer heard; missing for all",
        "round": "public turn, from 1; missing for all",
        "held": "number of opinions held",
        "altered": "number of opinions altered",
        **_VALUE,
        "value": "share of contradictions after which the opinion was altered",
    },
    "styles": {
        "contestant": "author of the ranked answers",
        "style": "equal (position, length and markdown held equal) or plain",
        "rank": "1 is best",
        "score": "Bradley-Terry strength on the Elo scale",
        "low": "lower bound of the score",
        "high": "upper bound",
    },
    "reproduce": {
        "item": "table, figure or section of the paper",
        "name": "grid, row and column of the value",
        "published": "what the paper prints; missing where it only draws",
        "ours": "our value; missing where the source does not give it",
        "low": "lower bound of its interval",
        "high": "upper bound",
        "n": "observations",
        "equal": "of recorded data: true if both are equal at the printed rounding",
        "inside": "of a run of 20 questions or more: true if equal, or in the interval",
        "origin": "recorded, printed, run, simulated, or fitted (simulated by cards fitted to this value)",
        "note": "how it was counted, or why there is nothing to compare",
    },
    "report": {
        "condition": "condition of a run, or reviewer on record",
        "stance": "before or after discussion, or recorded",
        **_VALUE,
        "value": "accuracy",
    },
    "run": {
        "run": "id of the run",
        "place": "run folder, or store without its password",
        "done": "discussions completed now",
        "skipped": "discussions that were complete already",
        "failed": "discussions that failed now",
        "waiting": "discussions that wait for the answer of a person",
        "paid": "paid replies of real models",
        "cached": "replies paid for by earlier calls",
        "simulated": "simulated replies",
        "tokens": "tokens of this run",
        "cost_usd": "cost of this run [USD]; missing if a price is unknown",
        "stopped": "what stopped it; missing for a complete run",
    },
    "talk": {
        "condition": "condition with a discussion",
        "measure": "right alone, drift by round, over nobody, over vote, lost, won, came over, ...",
        **_VALUE,
        "p": "p-value of no difference; missing for shares",
    },
    "judgement": {
        "discussion": "id of the discussion",
        "shown": "ids of the answers in the order that its seats saw",
        "seat": "seat",
        "reviewer": "reviewer in the seat",
        "role": "role of the seat",
        "before": "verdict before it heard another seat; missing where there was none",
        "after": "last verdict of the seat; missing where there was none",
        "concluded": "verdict of the discussion",
        "verdict": "common verdict of all orders",
    },
    "answers": {
        "contestant": "contestant",
        "card": "card that wrote its answers",
        "answers": "number of answers",
        "empty": "answers without words",
        "refused": "answers that decline the task",
        "cut_off": "answers without an end",
        "failed": "answers that failed and can be repeated",
        "missing": "answers not written yet",
        "mean_words": "mean number of words; missing without answers",
        "simulated": "true if no real model wrote them",
    },
    "pairs": {
        "id": "id of the comparison",
        "recipe": "recipe that made the worse answers",
        "category": "category of the question",
        "parent": "comparison that the better answer is from",
        "question": "text of the question",
        "better": "text of the better answer",
        "worse": "texts of the worse answers, worst last",
        "place": "place at which the better answer is shown, from 0",
        "writer": "card that wrote; empty for recipes by rule",
        "status": "by rule, unverified, verified or disputed: why the better answer is gold",
        "votes": "verdicts of the verifiers for the better answer",
        "verdicts": "all verdicts of the verifiers",
    },
    "search": {
        "id": "candidate",
        "parent": "candidate that it was made from",
        "step": "step of the search",
        "origin": "method that made it",
        "change": "what was changed",
        "valid": "false if it could not be played; why says the reason",
        "why": "the reason",
        "search": "mean score on the search split",
        "select": "mean score on the select split; missing where it was not played there",
        "n": "questions of the search split that it was scored on",
        "consistency": "share of equal verdicts in all orders",
        "unreadable": "share of unreadable verdicts",
        "tokens": "tokens of its discussions",
        "cost_usd": "their cost [USD]; missing if a price is unknown",
        "front": "true if no other beats it in objective, consistency and cost",
        "chosen": "true for the candidate in use after the search",
    },
    "preview": {
        "condition": "condition of the discussion",
        "comparison": "comparison that is judged",
        "turn": "index of the turn, from 0",
        "task": "task of the turn; ask and reread are further calls on its reply",
        "private": "true if the seat hears no other",
        "seat": "seat that is called",
        "reviewer": "card in the seat",
        "kind": "kind of the card; models and Python reviewers are called",
        "when": "when the call is made; empty for always",
        "messages": "number of messages",
        "prompt_tokens": "tokens of the messages, with replies of the assumed length",
        "estimated": "true if these tokens are an estimate",
        "reply_tokens": "assumed tokens of the reply",
        "placeholders": "true if the messages hold placeholders for replies",
    },
    "plan": {
        "effect": "kind of effect",
        "condition": "condition that has it",
        "against": "condition that it is compared with; missing for its own seats",
        "truth_pull": "true with the cards' traits, false without truth pull",
        "comparisons": "size of the study",
        "value": "mean size of the effect",
        "low": "lower bound for 95 % of the studies",
        "high": "upper bound",
        "power": "share of studies whose interval lies above 0",
    },
}
"""The columns of the frame of every result in their order."""


def build_frame(name: str, rows: Iterable[Cells]) -> pd.DataFrame:
    """Return rows as a frame with the documented columns.

    Raises:
        DataError: pandas is not installed.
    """
    held = list(rows)
    return import_pandas().DataFrame(
        {column: [row.get(column) for row in held] for column in COLUMNS[name]}
    )


def list_cells(measured: Measurement | None) -> Cells:
    """Return the value, bounds and number of a measurement as cells."""
    if measured is None:
        return {"value": None, "low": None, "high": None, "n": 0}
    return {
        "value": measured.value,
        "low": measured.low,
        "high": measured.high,
        "n": measured.n,
    }
