"""Cleaning of values from outside, so that every stored value can be read again."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from math import isfinite
from typing import cast, get_args

from peerjudge.data.discussion import InnerKind, InnerMessage, TokenLogprob, Usage, Utterance
from peerjudge.data.nouns import replace
from peerjudge.errors import DataError

MOST_TOKENS = 10_000_000
"""Largest number of tokens of a prompt or reply that is believed."""

LEAST_LOGPROB = -9999.0
"""Log-probability of a token with probability 0, as OpenAI's servers write it."""

_BYTES_PER_TOKEN = 4
_INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"})
"""Categories of characters that show nothing by themselves, such as the zero-width space."""
_UNSEEN = frozenset({"Cc", "Cf", "Co"})
"""Categories of characters that are no part of a word: controls, formats, private ones."""
_REORDERS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Directions of characters that show a text in another order, which are no part of a verdict."""
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing: fillers of Hangul, and the blank of Braille."""
_INNER_KINDS = frozenset[str](get_args(InnerKind))


def clean_text(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no file and no request can hold.

    Two halves that belong together become their character; any other half becomes U+FFFD.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class _Visible(dict[int, int | str]):
    """Table of what each character shows: nothing, or the plain letter of a wide or styled one."""

    def __missing__(self, code: int) -> int | str:
        char, kind = chr(code), unicodedata.category(chr(code))
        shown: int | str = code
        if unicodedata.bidirectional(char) in _REORDERS or char.isspace():
            pass
        elif kind in _UNSEEN or char in _FILLERS:
            shown = ""
        elif kind != "Nd" and unicodedata.decomposition(char).startswith(("<wide>", "<font>")):
            shown = unicodedata.normalize("NFKC", char)
        self[code] = shown
        return shown


_VISIBLE = _Visible()


def visible_text(text: str) -> str:
    """Return the text without invisible characters, and with plain letters for full-width and styled ones."""
    return text.translate(_VISIBLE)


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing: it has only spaces, controls, marks and invisible characters."""
    return not text or all(
        unicodedata.category(each) in _INVISIBLE or each in _FILLERS for each in text
    )


def clean_count(value: object) -> int | None:
    """Return a number of tokens; `None` where it is no whole number from 0 to `MOST_TOKENS`."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return int(value) if 0 <= value <= MOST_TOKENS else None


def clean_logprob(value: object) -> float | None:
    """Return a log-probability, at least `LEAST_LOGPROB`; `None` where it is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if value == float("-inf"):
        return LEAST_LOGPROB
    try:
        number = float(value)
    except OverflowError:
        return None
    return max(LEAST_LOGPROB, number) if isfinite(number) else None


def clean_utterance(said: Utterance) -> tuple[Utterance, tuple[str, ...]]:
    """Return the utterance with values that can be stored, and the names of those that were replaced.

    Code written by users constructs utterances without checks. An invalid token count
    is replaced by an estimate from the text, invalid log-probabilities by `None`.

    Raises `DataError` where there is no text.
    """
    if not isinstance(said, Utterance) or not isinstance(said.text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        msg = f"a reviewer returns an Utterance with a text, not {said!r:.80}"
        raise DataError(msg)
    text = clean_text(said.text)
    cleaned = Utterance(
        text=text,
        usage=_clean_usage(said.usage, text),
        model=_clean_name(said.model, ""),
        finish_reason=_clean_name(said.finish_reason, "unknown"),
        latency=_clean_seconds(said.latency),
        attempts=clean_count(said.attempts) or 0,
        cached=said.cached is True,
        simulated=said.simulated is True,
        logprobs=_clean_logprobs(said.logprobs),
        thinking=_clean_name(said.thinking, ""),
        unset=tuple(_clean_name(name, "") for name in said.unset)
        if isinstance(said.unset, tuple)  # pyright: ignore[reportUnnecessaryIsInstance]
        else (),
        inner=_clean_inner(said.inner),
        confidence=_clean_confidence(said.confidence),
    )
    if cleaned == said:
        return said, ()
    fields = Utterance.__struct_fields__
    return cleaned, tuple(name for name in fields if getattr(cleaned, name) != getattr(said, name))


def _clean_confidence(given: object) -> int | None:
    count = clean_count(given)
    return count if count is not None and count <= 100 else None


def _clean_inner(given: object) -> tuple[InnerMessage, ...]:
    if not isinstance(given, tuple):
        return ()
    return tuple(
        InnerMessage(
            source=_clean_name(one.source, ""),
            kind=one.kind if one.kind in _INNER_KINDS else "message",
            text=_clean_name(one.text, ""),
        )
        for one in cast("tuple[object, ...]", given)
        if isinstance(one, InnerMessage)
    )


def _clean_usage(usage: object, text: str) -> Usage:
    if isinstance(usage, Usage):
        prompt, reply = clean_count(usage.prompt_tokens), clean_count(usage.completion_tokens)
        if prompt is not None and reply is not None:
            estimated = usage.estimated is True
            return Usage(
                prompt_tokens=prompt,
                completion_tokens=reply,
                estimated=estimated,
                thinking_tokens=min(clean_count(usage.thinking_tokens) or 0, reply),
            )
    else:
        prompt = None
    guess = len(text.encode()) // _BYTES_PER_TOKEN
    return Usage(prompt_tokens=prompt or 0, completion_tokens=guess, estimated=True)


def _clean_name(value: object, otherwise: str) -> str:
    return clean_text(value) if isinstance(value, str) else otherwise


def _clean_seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if isfinite(value) and value >= 0 else 0.0


def _clean_logprobs(given: object) -> tuple[TokenLogprob, ...] | None:
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        return None
    cleaned: list[TokenLogprob] = []
    try:
        for each in cast("Iterable[TokenLogprob]", given):
            logprob = clean_logprob(each.logprob)
            top = [(clean_text(token), clean_logprob(value)) for token, value in each.top]
            known = tuple((token, value) for token, value in top if value is not None)
            if logprob is None or len(known) < len(top):
                return None
            cleaned.append(replace(each, token=clean_text(each.token), logprob=logprob, top=known))
    except (AttributeError, TypeError, ValueError):
        return None
    return tuple(cleaned)
