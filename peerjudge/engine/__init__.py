"""The engine: plays discussions from a protocol's cues, reviewers' replies and a journal of turns."""

from peerjudge.engine.connecting import Connections
from peerjudge.engine.course import Course, find_waves, walk_sets
from peerjudge.engine.cues import (
    MAX_TURNS,
    RequestBuilder,
    conclude,
    find_cue_fault,
    find_set_fault,
    next_cues,
)
from peerjudge.engine.forking import identify_fork, identify_played, keep_turns
from peerjudge.engine.identity import comparison_key, identify
from peerjudge.engine.interfaces import DiscussionSetup, Journal, Reviewer, ReviewerProxy
from peerjudge.engine.playing import discuss, play_all, work_through
from peerjudge.engine.rereading import (
    FOLLOWING_TASKS,
    has_failed_rereading,
    request_choice,
    request_rereading,
)
from peerjudge.engine.speaking import clean_reply, speak

__all__ = [
    "FOLLOWING_TASKS",
    "MAX_TURNS",
    "Connections",
    "Course",
    "DiscussionSetup",
    "Journal",
    "RequestBuilder",
    "Reviewer",
    "ReviewerProxy",
    "clean_reply",
    "comparison_key",
    "conclude",
    "discuss",
    "find_cue_fault",
    "find_set_fault",
    "find_waves",
    "has_failed_rereading",
    "identify",
    "identify_fork",
    "identify_played",
    "keep_turns",
    "next_cues",
    "play_all",
    "request_choice",
    "request_rereading",
    "speak",
    "walk_sets",
    "work_through",
]
