"""The review in a reply; a reply on which the reader fails is unreadable, and the run goes on.

A reply that reaches the reader is paid and booked. An error of the reader must not lose it.
"""

from __future__ import annotations

from functools import lru_cache

from peerjudge.data import UNREADABLE, Comparison, Cue, Expects, Review, Utterance, replace
from peerjudge.errors import DataError
from peerjudge.logs import get_logger
from peerjudge.verdicts import ASKED, read_rereading, read_review

READER_FAILED = "reader failed"
"""Beginning of the rule of a review whose reader raised an error; the class of the error follows."""

_log = get_logger()


def read_reply(said: Utterance, *, cue: Cue, comparison: Comparison) -> Review:
    """Return the review that a cue expects from a reply.

    If the reader raises an error, the review has no verdict to count and its `rule` names the class of the
    error, which is logged once.

    Raises:
        DataError: The cue shows an answer that the comparison does not have.
    """
    try:
        return read_review(
            said.text,
            cue=cue,
            comparison=comparison,
            logprobs=said.logprobs,
            cut=said.finish_reason == "length",
        )
    except DataError:
        raise
    except Exception as cause:  # noqa: BLE001  the reply is paid: it is kept, unread
        return _unread(cause, cue)


def read_second(said: Utterance, *, cue: Cue, reviewer: str) -> Review:
    """Return the verdict that a second model (`reviewer`) found in the reply to a cue.

    If the reader raises an error, the reply stays unreadable and its `rule` names the class of the error.
    """
    try:
        return read_rereading(said.text, cue=cue, reviewer=reviewer)
    except Exception as cause:  # noqa: BLE001  the reply is paid: it is kept, unread
        return _unread(cause, cue)


def read_choice(said: Utterance, *, cue: Cue, comparison: Comparison) -> Review:
    """Return the review of the reply to the question for a choice; its rule says that it was asked for."""
    read = read_reply(said, cue=cue, comparison=comparison)
    return replace(read, rule=f"{ASKED}: {read.rule}")


def _unread(cause: Exception, cue: Cue) -> Review:
    kind = type(cause).__name__
    _warn(kind, str(cause))
    verdict = UNREADABLE if cue.expects is Expects.VERDICT else None
    return Review(verdict=verdict, rule=f"{READER_FAILED}: {kind}")


@lru_cache(maxsize=256)
def _warn(kind: str, message: str) -> None:
    """Log an error of the reader, once for equal errors."""
    _log.warning(
        "the reader of replies failed; the reply counts as unreadable, please report this",
        kind=kind,
        message=message,
    )
