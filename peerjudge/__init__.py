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
        TIE,
        UNREADABLE,
        Answer,
        Battle,
        Card,
        Comparison,
        Condition,
        Cue,
        Dataset,
        Experiment,
        Leader,
        Orders,
        Question,
        Seat,
        Seating,
        Transcript,
        Turn,
        Verdict,
    )
    from peerjudge.errors import PeerJudgeError
    from peerjudge.features.forks.forking import fork as fork
    from peerjudge.features.forks.forking import fork_sync as fork_sync
    from peerjudge.features.judge.judgements import Judgement as Judgement
    from peerjudge.features.judge.judging import judge as judge
    from peerjudge.features.judge.judging import judge_sync as judge_sync
    from peerjudge.features.judge.opened import Judge as Judge
    from peerjudge.features.pairs.making import pairs as pairs
    from peerjudge.features.pairs.making import pairs_sync as pairs_sync
    from peerjudge.features.planning.planning import plan as plan
    from peerjudge.features.search.optimizing import optimize as optimize
    from peerjudge.features.search.optimizing import optimize_sync as optimize_sync
    from peerjudge.protocol import DiscussionProtocol
    from peerjudge.results.agreements import agreement
    from peerjudge.results.annotators import annotators
    from peerjudge.results.biases import bias
    from peerjudge.results.citing import cite
    from peerjudge.results.comparisons import compare
    from peerjudge.results.models import model, rank_styles
    from peerjudge.results.opinions import events
    from peerjudge.results.rankings import peer_rank, rank
    from peerjudge.results.reasons import reasons
    from peerjudge.results.reports import report
    from peerjudge.results.reproductions import reproduce
    from peerjudge.results.scores import score
    from peerjudge.runs import RunSummary, load, load_sync, run, run_sync
    from peerjudge.runs.answering import answers, answers_sync
    from peerjudge.runs.frames import (
        ballots_df,
        battles_df,
        calls_df,
        discussions_df,
        events_df,
        turns_df,
        weights_df,
    )
    from peerjudge.shelf import Shelf
    from peerjudge.tracker import opinion_events

__version__ = "0.2.0"

__all__ = [
    "TIE",
    "UNREADABLE",
    "Answer",
    "Battle",
    "Card",
    "Comparison",
    "Condition",
    "Cue",
    "Dataset",
    "DiscussionProtocol",
    "Experiment",
    "Leader",
    "Orders",
    "PeerJudgeError",
    "Question",
    "RunSummary",
    "Seat",
    "Seating",
    "Shelf",
    "Transcript",
    "Turn",
    "Verdict",
    "__version__",
    "agreement",
    "annotators",
    "answers",
    "answers_sync",
    "ballots_df",
    "battles_df",
    "bias",
    "calls_df",
    "cite",
    "compare",
    "discussions_df",
    "events",
    "events_df",
    "load",
    "load_sync",
    "model",
    "opinion_events",
    "peer_rank",
    "rank",
    "rank_styles",
    "reasons",
    "report",
    "reproduce",
    "run",
    "run_sync",
    "score",
    "turns_df",
    "weights_df",
]

_NAMES = {
    "errors": "PeerJudgeError",
    "protocol": "DiscussionProtocol",
    "results.agreements": "agreement",
    "results.annotators": "annotators",
    "results.biases": "bias",
    "results.citing": "cite",
    "results.comparisons": "compare",
    "results.models": "model rank_styles",
    "results.opinions": "events",
    "results.rankings": "peer_rank rank",
    "results.reasons": "reasons",
    "results.reports": "report",
    "results.reproductions": "reproduce",
    "results.scores": "score",
    "runs": "RunSummary load load_sync run run_sync",
    "runs.answering": "answers answers_sync",
    "runs.frames": "ballots_df battles_df calls_df discussions_df events_df turns_df weights_df",
    "shelf": "Shelf",
    "tracker": "opinion_events",
}
"""Names by module, with spaces between them; all others are names of `peerjudge.data`."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    from peerjudge import registry

    if name in __all__:
        return getattr(import_module(f"peerjudge.{_HOMES.get(name, 'data')}"), name)
    # Python looks for submodules and dunder names here too; other packages need not be searched for them.
    found = None if name.startswith("_") else registry.find_function(name)
    if found is None:
        from peerjudge.data.choices import suggest_name

        # IPython shows the message only; without `obj`, Python proposes no name of its own.
        msg = f"module 'peerjudge' has no attribute {name!r}{suggest_name(name, __dir__())}"
        raise AttributeError(msg, name=name)
    return found


def __dir__() -> list[str]:
    from peerjudge import registry

    return sorted({*__all__, *registry.list_function_names()})
