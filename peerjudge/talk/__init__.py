"""The mechanics that protocols share: methods of judging, taking turns, agreeing, and settling."""

from peerjudge.talk.discussing import Manner, Rounds, Talk, discussion_cue, talk_cue
from peerjudge.talk.methods import (
    Ask,
    Comparative,
    Method,
    Opening,
    Prepared,
    Scale,
    in_both_orders,
    method_cues,
    opening_cue,
    private_cue,
    rating_cues,
)
from peerjudge.talk.settling import agreed, best_rated, final_verdict, settle, stances

__all__ = [
    "Ask",
    "Comparative",
    "Manner",
    "Method",
    "Opening",
    "Prepared",
    "Rounds",
    "Scale",
    "Talk",
    "agreed",
    "best_rated",
    "discussion_cue",
    "final_verdict",
    "in_both_orders",
    "method_cues",
    "opening_cue",
    "private_cue",
    "rating_cues",
    "settle",
    "stances",
    "talk_cue",
]
