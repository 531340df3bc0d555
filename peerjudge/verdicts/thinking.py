"""Thinking of reasoning models in the text of a reply: found by its tags and kept apart."""

from __future__ import annotations

import re

_ANY = r"(?:<(/?)(?:think(?:ing)?|thought|seed:think)>|\[(/?)THINK\]|◁(/?)think▷)"
_TAG = re.compile(rf"(?i)(?P<mention>[`\"“](?=.{{,13}}[`\"”]))?{_ANY}(?(mention)[`\"”])")
_PARTS = ("hink>", "hinking>", "HINK>", "hink]", "HINK]", "ought>", "think▷")


def split_thinking(text: str) -> tuple[str, str]:
    """Return the thinking in a text and the text outside of it, which has no thinking tags.

    A tag that is never closed extends to the end: the reply was cut off while the model was
    thinking. A closing tag alone ends thinking that began at the start, as some chat templates write the
    opening tag into the prompt. A tag in quotation marks or backticks is a mention.
    """
    closed = ">" in text or "]" in text or "▷" in text
    if not closed or not any(part in text for part in _PARTS) or _TAG.search(text) is None:
        return "", text
    thought: list[str] = []
    kept: list[str] = []
    at, thinking = 0, False
    for tag in _TAG.finditer(text):
        if tag["mention"]:
            continue
        if any(tag.groups()):
            thought += [text[at : tag.start()]] if thinking else [*kept, text[at : tag.start()]]
            kept = kept if thinking else []
            at, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[at : tag.start()])
            at, thinking = tag.end(), True
    (thought if thinking else kept).append(text[at:])
    return "\n".join(filter(None, map(str.strip, thought))), "".join(kept).strip()
