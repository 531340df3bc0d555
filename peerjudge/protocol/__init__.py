"""Discussion protocols: their contract, and the methods, discussions and conclusions they share."""

from peerjudge.protocol.conclusions import (
    choose_best_rated,
    collect_stances,
    is_unanimous,
    last_verdict,
    settle,
)
from peerjudge.protocol.contract import Conclude, DiscussionProtocol, NextCue, NoOptions
from peerjudge.protocol.discussions import (
    DiscussionOptions,
    RoundOptions,
    TurnOptions,
    next_discussion_cue,
)
from peerjudge.protocol.methods import (
    Comparative,
    ExplanationOptions,
    Method,
    OpeningOptions,
    Scale,
    VerdictOptions,
    build_method_cues,
    build_private_cue,
    build_rating_cues,
    merge_orders,
    next_opening_cue,
)

__all__ = [
    "Comparative",
    "Conclude",
    "DiscussionOptions",
    "DiscussionProtocol",
    "ExplanationOptions",
    "Method",
    "NextCue",
    "NoOptions",
    "OpeningOptions",
    "RoundOptions",
    "Scale",
    "TurnOptions",
    "VerdictOptions",
    "build_method_cues",
    "build_private_cue",
    "build_rating_cues",
    "choose_best_rated",
    "collect_stances",
    "is_unanimous",
    "last_verdict",
    "merge_orders",
    "next_discussion_cue",
    "next_opening_cue",
    "settle",
]
