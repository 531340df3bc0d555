"""Peer-discussion experiments with language-model reviewers.

    import peerjudge as pj

    summary = pj.run_sync("quickstart")
    print(pj.score(summary))

`run_sync` and `load_sync` are `await run(...)` and `await load(...)` without `await`.
Names are imported when they are first used, so that `import peerjudge` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peerjudge.data import (
        TIE as TIE,
        UNREADABLE as UNREADABLE,
        Answer as Answer,
        Battle as Battle,
        Card as Card,
        Comparison as Comparison,
        Condition as Condition,
        Cue as Cue,
        Dataset as Dataset,
        Experiment as Experiment,
        Leader as Leader,
        Orders as Orders,
        Question as Question,
        Seat as Seat,
        Seating as Seating,
        Transcript as Transcript,
        Turn as Turn,
        Verdict as Verdict,
    )
    from peerjudge.errors import PeerJudgeError as PeerJudgeError
    from peerjudge.features.corrected.results import corrected as corrected
    from peerjudge.features.decisions.results import decide as decide
    from peerjudge.features.forks.forking import fork as fork, fork_sync as fork_sync
    from peerjudge.features.judge.judgements import Judgement as Judgement
    from peerjudge.features.judge.judging import judge as judge, judge_sync as judge_sync
    from peerjudge.features.judge.opened import Judge as Judge
    from peerjudge.features.measures.measuring import measure as measure
    from peerjudge.features.pairs.making import pairs as pairs, pairs_sync as pairs_sync
    from peerjudge.features.papers.reproductions import reproduce as reproduce
    from peerjudge.features.planning.planning import plan as plan
    from peerjudge.features.search.optimizing import (
        optimize as optimize,
        optimize_sync as optimize_sync,
    )
    from peerjudge.features.talk.results import talk as talk
    from peerjudge.features.tournaments.answering import (
        answers as answers,
        answers_sync as answers_sync,
    )
    from peerjudge.protocol import DiscussionProtocol as DiscussionProtocol
    from peerjudge.results.agreements import agreement as agreement
    from peerjudge.results.biases import bias as bias
    from peerjudge.results.comparisons import compare as compare
    from peerjudge.results.opinions import events as events
    from peerjudge.results.previews import preview as preview
    from peerjudge.results.rankings import peer_rank as peer_rank, rank as rank
    from peerjudge.results.reports import report as report
    from peerjudge.results.scores import score as score
    from peerjudge.results.styles import rank_styles as rank_styles
    from peerjudge.runs import (
        RunSummary as RunSummary,
        load as load,
        load_sync as load_sync,
        run as run,
        run_sync as run_sync,
    )
    from peerjudge.runs.frames import (
        ballots_df as ballots_df,
        battles_df as battles_df,
        calls_df as calls_df,
        discussions_df as discussions_df,
        events_df as events_df,
        turns_df as turns_df,
        weights_df as weights_df,
    )
    from peerjudge.shelf import Shelf as Shelf
    from peerjudge.tracker import opinion_events as opinion_events

__version__ = "0.2.0"

_NAMES = {
    "data": (
        "Answer Battle Card Comparison Condition Cue Dataset Experiment Leader Orders "
        "Question Seat Seating TIE Transcript Turn UNREADABLE Verdict"
    ),
    "errors": "PeerJudgeError",
    "protocol": "DiscussionProtocol",
    "results.agreements": "agreement",
    "results.biases": "bias",
    "results.comparisons": "compare",
    "results.opinions": "events",
    "results.previews": "preview",
    "results.rankings": "peer_rank rank",
    "results.reports": "report",
    "results.scores": "score",
    "results.styles": "rank_styles",
    "runs": "RunSummary load load_sync run run_sync",
    "runs.frames": "ballots_df battles_df calls_df discussions_df events_df turns_df weights_df",
    "shelf": "Shelf",
    "tracker": "opinion_events",
}
"""Names of the core by module, with spaces between them. Those of features are in their folders."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def list_core_names() -> list[str]:
    """Return the public names that are in no feature."""
    return [*_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"peerjudge.{_HOMES[name]}"), name)
    if name == "__all__":
        return __dir__()
    from peerjudge.registry import find_function

    # Python looks for submodules and for names such as __path__ here too.
    found = None if name.startswith("_") else find_function(name)
    if found is None:
        from peerjudge.data.choices import suggest_name

        # IPython shows the message only; without `obj`, Python proposes no name of its own.
        msg = f"module 'peerjudge' has no attribute {name!r}{suggest_name(name, __dir__())}"
        raise AttributeError(msg, name=name)
    return found


def __dir__() -> list[str]:
    from peerjudge.registry import list_function_names

    return sorted({"__version__", *_HOMES, *list_function_names()})
