"""Facts about single replies: their cost, and the words of the prompt that they repeat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from peerjudge.data import Expects, Message, PromptPack, Transcript, Turn
from peerjudge.prompts import render
from peerjudge.prompts.rendering import fence

RUN = 8
"""Consecutive words that make an echo; shorter phrases repeat by chance."""

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"^ {0,3}> ", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply with its tokens; `seconds` is `None` for a reply from the cache.

    `readable` is `None` where neither a verdict nor a rating was asked for. `cut` replies
    ended at the token limit. `echoes_fence` and `echoes_rules` mark replies that imitate how prompts
    delimit material, or repeat `RUN` consecutive words of the pack.
    """

    condition: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float | None
    readable: bool | None
    cut: bool
    echoes_fence: bool
    echoes_rules: bool


def measure_replies(transcript: Transcript, pack: PromptPack) -> Iterator[Reply]:
    """Yield the facts of every reply of a discussion; its prompts are rendered again from the pack."""
    for turn in transcript.turns:
        said = turn.utterance
        prompt = render(
            pack,
            seats=transcript.seats,
            comparison=transcript.comparison,
            turns=transcript.turns[: turn.index],
            cue=turn.cue,
        )
        yield Reply(
            condition=transcript.condition,
            prompt_tokens=said.usage.prompt_tokens,
            completion_tokens=said.usage.completion_tokens,
            seconds=None if said.cached else said.latency,
            readable=_is_readable(turn),
            cut=said.finish_reason == "length",
            echoes_fence=imitates_quotation(said.text),
            echoes_rules=repeats_words(said.text, list_pack_texts(prompt, pack)),
        )


def imitates_quotation(text: str) -> bool:
    """Return whether a text has a line that begins with `>`, or a line of a fence."""
    return bool(_QUOTED.search(text) or fence_pattern().search(text))


@lru_cache(maxsize=1024)
def fence_pattern(mark: str = "") -> re.Pattern[str]:
    """Return a pattern of the lines between which prompts quote material, with any label.

    It is derived from `fence`, so it follows every change of the lines. Without a `mark` it matches
    any, which is its first or second group.
    """
    opening, closing = fence("LABEL", "\nTEXT\n", mark="MARK").split("\nTEXT\n")
    words = {"LABEL": r"[^\n]{1,80}?", "MARK": re.escape(mark) or r"([^\n]{1,80}?)"}
    lines = (re.escape(line.strip()) for line in (opening, closing))
    return re.compile(
        "|".join(re.sub("LABEL|MARK", lambda word: words[word[0]], line) for line in lines)
    )


def list_pack_texts(prompt: Sequence[Message], pack: PromptPack) -> tuple[str, ...]:
    """Return the texts of a prompt that come from the pack, without quoted material and own replies."""
    texts = [message.text for message in prompt if message.role != "assistant"]
    if pack.fence == "lines":
        return tuple(
            "\n".join(line for line in text.splitlines() if not line.startswith(">"))
            for text in texts
        )
    first = next(filter(None, map(fence_pattern().search, texts)), None)
    if first is None:
        return tuple(texts)
    # Quoted material may imitate the lines, but not their mark: it is chosen to occur nowhere else.
    lines = fence_pattern(first[1] or first[2])
    return tuple(piece for text in texts for piece in _drop_material(text, lines))


def repeats_words(reply: str, texts: Sequence[str], *, run: int = RUN) -> bool:
    """Return whether the reply has `run` consecutive words of one of the texts, in any case."""
    said = _list_runs(reply, run)
    return any(not said.isdisjoint(_list_runs(text, run)) for text in texts)


def _is_readable(turn: Turn) -> bool | None:
    verdict, score = turn.review.verdict, turn.review.score
    match turn.cue.expects:
        case Expects.VERDICT:
            return verdict is not None and verdict.readable
        case Expects.RATING:
            return score is not None
        case Expects.TEXT:
            return None


def _drop_material(text: str, lines: re.Pattern[str]) -> Iterator[str]:
    """Yield what is left of a text between the parts that these lines enclose."""
    found = list(lines.finditer(text))
    start = 0
    for opening, closing in zip(found[::2], found[1::2], strict=False):
        yield text[start : opening.start()]
        start = closing.end()
    yield text[start:]


@lru_cache(maxsize=4096)
def _list_runs(text: str, run: int) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[at : at + run]) for at in range(len(words) - run + 1))
