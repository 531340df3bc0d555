"""Discussion protocols: their contract, and the methods, discussions and conclusions they share."""

from peerjudge.protocol.conclusions import (
    choose_best_rated,
    collect_stances,
    is_unanimous,
    last_verdict,
    settle,
)
from peerjudge.protocol.contract import Conclude, DiscussionProtocol, NextCues, NoOptions, Roles
from peerjudge.protocol.discussions import (
    DiscussionOptions,
    RoundOptions,
    TurnOptions,
    build_discussion_cue,
    count_spoken,
    may_end,
    next_discussion_cues,
)
from peerjudge.protocol.methods import (
    Comparative,
    ExplanationOptions,
    Method,
    OpeningOptions,
    Scale,
    VerdictOptions,
    build_method_cues,
    build_opening_cues,
    build_private_cue,
    build_rating_cues,
    merge_orders,
)

__all__ = [
    "Comparative",
    "Conclude",
    "DiscussionOptions",
    "DiscussionProtocol",
    "ExplanationOptions",
    "Method",
    "NextCues",
    "NoOptions",
    "OpeningOptions",
    "Roles",
    "RoundOptions",
    "Scale",
    "TurnOptions",
    "VerdictOptions",
    "build_discussion_cue",
    "build_method_cues",
    "build_opening_cues",
    "build_private_cue",
    "build_rating_cues",
    "choose_best_rated",
    "collect_stances",
    "count_spoken",
    "is_unanimous",
    "last_verdict",
    "may_end",
    "merge_orders",
    "next_discussion_cues",
    "settle",
]
