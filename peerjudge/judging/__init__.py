"""Discussions as a judge for others: one comparison at a time, from Python, other tools, or a socket."""

from peerjudge.judging.judgements import Judgement, JudgementCost, SeatStance
from peerjudge.judging.judging import judge, judge_sync
from peerjudge.judging.opened import Judge, JudgingFailedError, LimitReachedError

__all__ = [
    "Judge",
    "Judgement",
    "JudgementCost",
    "JudgingFailedError",
    "LimitReachedError",
    "SeatStance",
    "judge",
    "judge_sync",
]
