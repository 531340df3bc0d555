"""Reply of a person from its parts: a text that the readers read back as what the person chose."""

from __future__ import annotations

from collections.abc import Sequence

from peerjudge.data import Outcome
from peerjudge.data.cleaning import clean_text
from peerjudge.errors import DataError
from peerjudge.verdicts.own_words import own_lines, refuses, split_thinking
from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import read_verdict

TIED = "tie"
"""Choice of a tie."""
NONE = "none"
"""Choice of a person who cannot judge."""

_CANNOT = "I cannot judge these answers."


def state_verdict(
    reason: str, choice: str, *, answers: int, ties: bool, labels: Sequence[str] = ()
) -> str:
    """Return the reason with a last line that states the choice, or after a first one that states none.

    Args:
        reason: The reason; may be empty.
        choice: Number of the answer as shown, from 1, or `TIED` or `NONE`.
        answers: Number of answers shown.
        ties: Whether a tie is allowed.
        labels: Labels of the answers in the prompt. The last line names the label, as the replies of models
            do, if the reader finds the choice in it; else it names the number.

    Raises:
        DataError: The choice is not one of these, or the reader finds another one in the text.
    """
    allowed = [str(number) for number in range(1, answers + 1)]
    allowed += [TIED, NONE] if ties else [NONE]
    if choice not in allowed:
        msg = f"choose one of {', '.join(allowed)}, not {choice!r}"
        raise DataError(msg)
    # The reader finds a refusal at the beginning only.
    texts = [_join(_CANNOT, reason) if choice == NONE else _join(reason, f"Verdict: {choice}")]
    if choice != NONE and len(labels) == answers:
        label = "Tie" if choice == TIED else labels[int(choice) - 1]
        texts.insert(0, _join(reason, f"Choice: {label}"))
    read = [_read_choice(text, answers=answers, ties=ties) for text in texts]
    if choice not in read:
        other = read[-1] or "unreadable"
        msg = f"with this reason your choice {choice!r} is read as {other!r}; reword the reason"
        raise DataError(msg)
    return texts[read.index(choice)]


def _read_choice(text: str, *, answers: int, ties: bool) -> str | None:
    """Return the choice that the reader finds; `None` for an unreadable text."""
    read = read_verdict(text, answers=answers, ties=ties)
    if read.position is not None:
        return str(read.position + 1)
    return {Outcome.TIE: TIED, Outcome.REFUSED: NONE}.get(read.outcome)


def state_rating(reason: str, rating: str, *, low: int, high: int) -> str:
    """Return the reason with a last line that states the rating, from `low` to `high`, or `NONE`.

    Raises:
        DataError: The rating is outside of the scale, or the reader finds another one in the text.
    """
    if rating == NONE:
        text = _join(_CANNOT, reason)
        if not refuses(own_lines(text)) or read_rating(text, low=low, high=high).score is not None:
            msg = "with this reason a rating is read, although you cannot judge; reword the reason"
            raise DataError(msg)
        return text
    if not (rating.isascii() and rating.isdigit() and low <= int(rating) <= high):
        msg = f"rate with a whole number from {low} to {high}, or {NONE}, not {rating!r}"
        raise DataError(msg)
    text = _join(reason, f"Rating: {int(rating)}")
    found = read_rating(text, low=low, high=high).score
    if found != int(rating):
        msg = f"with this reason your rating {rating} is read as {found or 'unreadable'}; reword the reason"
        raise DataError(msg)
    return text


def state_text(text: str) -> str:
    """Return an explanation without a verdict; raises `DataError` for one without words."""
    cleaned = _join(text, "")
    if not cleaned:
        msg = "write an explanation; it has no words yet"
        raise DataError(msg)
    return cleaned


def _join(first: str, last: str) -> str:
    """Return both parts, as the engine keeps them."""
    text = clean_text("\n".join(part for part in (first.strip(), last.strip()) if part))
    if split_thinking(text)[0]:
        msg = (
            "the reason has a tag such as <think>, whose text is not read; write it without the tag"
        )
        raise DataError(msg)
    return text
