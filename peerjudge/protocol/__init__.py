"""The protocol contract, and the methods, discussions and conclusions that protocols share."""

from peerjudge.protocol.contract import (
    Conclude,
    DiscussionProtocol,
    NextCue,
    NoOptions,
    last_verdict,
)
from peerjudge.protocol.discussing import Manner, Rounds, Talk, discussion_cue, talk_cue
from peerjudge.protocol.methods import (
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
from peerjudge.protocol.settling import agreed, best_rated, final_verdict, settle, stances

__all__ = [
    "Ask",
    "Comparative",
    "Conclude",
    "DiscussionProtocol",
    "Manner",
    "Method",
    "NextCue",
    "NoOptions",
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
    "last_verdict",
    "method_cues",
    "opening_cue",
    "private_cue",
    "rating_cues",
    "settle",
    "stances",
    "talk_cue",
]
