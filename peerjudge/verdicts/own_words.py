"""Own words of a reviewer: a reply is divided once into the reviewer's own spans and those of others.

An answer may imitate a verdict in any form, and a reply may quote such an answer or go on with a turn of
another speaker; the forms, the conclusion and JSON are read from the own spans only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from peerjudge.data.cleaning import visible_text
from peerjudge.verdicts.codes import NOUN
from peerjudge.verdicts.plain import (
    INLINE,
    OBJECTS,
    QUOTED,
    SPANNING,
    announces,
    code_only,
    gives_words,
    is_heading,
    opens_quote,
    plain,
    tells,
    unquoted,
)
from peerjudge.verdicts.structured import JsonReply, Members, decode_object

_ANY = (
    r"(?:<(/?)(?:think(?:ing)?|thought|seed:think)>|\[(/?)THINK\]|◁(/?)think▷"
    r"|<\|channel\|>(?:analysis|commentary|(final))[^<>\n]{0,80}<\|message\|>)"
)
_THINKING = re.compile(rf"(?i)(?P<mention>[`\"“](?=.{{,13}}[`\"”]))?{_ANY}(?(mention)[`\"”])")
_PARTS = ("hink>", "hinking>", "HINK>", "hink]", "HINK]", "ought>", "think▷", "<|channel|>")


def split_thinking(text: str) -> tuple[str, str]:
    """Return the thinking in a text and the text outside of it, which has no thinking tags.

    A tag that is never closed extends to the end: the reply was cut off while the model was
    thinking. A closing tag alone ends thinking that began at the start, as some chat templates write the
    opening tag into the prompt. A tag in quotation marks or backticks is a mention.
    """
    closed = ">" in text or "]" in text or "▷" in text
    if not closed or not any(part in text for part in _PARTS) or _THINKING.search(text) is None:
        return "", text
    thought: list[str] = []
    kept: list[str] = []
    at, thinking = 0, False
    for tag in _THINKING.finditer(text):
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


_NAMED_TAG = (
    rf"(?:\w{{1,12}}[ _-])?(?:{NOUN}|quote|blockquote|q|cite|code|pre)(?:[ _-]?\w{{1,12}})?"
)
_DELIMITED = re.compile(
    rf"(?i)</?{_NAMED_TAG}>|\[/?quote(?:=[^\]\n]{{1,40}})?\]|\[the (?:start|end) of [^\]\n]{{1,60}}\]"
    r"|<<< [^<>|\n]{1,80} \| \w{6,16} >>>"
)
_CLOSES = re.compile(r"(?i)[<\[]/|\[the end|<<< end of ")
_TAG = re.compile(
    r"(?i)</?(?:final[ _])?(?:verdict|choice|result|winner|decision|judge?ment|preference|vote"
    r"|final[ _]answer|best[ _]answer|better[ _]answer)>|</?(?:b|i|u|em|strong)>"
)
_ENDS = "<|>"
_TOKEN = re.compile(
    rf"(?m)({INLINE.pattern}|`[^`\n]*`)|(?:<\|[^|<>\s]{{1,40}}\|>|</s>|\A<s>|\[/?(?:INST|SYS|EOS|BOS)\]"
    r"|<</?SYS>>|<(?:[a-z]+_of_[a-z]+|[be]os|eo[ahstu]|pad|unk|reserved_[0-9]+|extra_id_[0-9]+)>)"
    r"(?:(?:user|assistant|system|model)$)?"
)
"""Token of a chat template outside of quotations, with the role that follows it: the turn is over."""
_TURN = re.compile(
    r"(?i)<\|>|[#*\[ ]{0,6}(?:(?:user|human|assistant|system|bot|chatbot|ai|ai assistant"
    r"|(?:reviewer|judge|leader|follower|colleague|peer|moderator|evaluator|critic|expert)(?: \w{1,12})?"
    r"|(?:(?:new|next|user|your|the) )?(?:question|instruction|input|prompt|task|request)(?: [0-9]{1,2})?|Q)"
    r"[*\] ]{0,4}:[* ]*"
    r"|(?<=[#\[ ])(?:human|assistant|(?:user )?(?:question|instruction|input|prompt|response))[*\]: ]{0,4}$)"
)
"""Beginning of the turn of another speaker, or of the next task in a prompt of examples."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([\w+. {}=-]*)")
_BLOCK_AFTER_COLON = re.compile(
    r"(?<=:) +(?=```|~~~|> |#{1,6} |<\w|\[[A-Z][a-z]+(?: [A-Z]?[a-z]+)?\]\n)"
)
_FENCED_OBJECT = re.compile(rf"(?m)^(`{{3,}}\w*) *([{OBJECTS}])")
_OPENING_QUOTE = re.compile(r"(?:^|(?<=[\s(:]))\"(?=\S)|(?:^|(?<=: ))['`](?=\S)")
_JSON = re.compile(r'\{\s*"')
_CUT = re.compile(r'\s*\{\s*(?:"|$)')
_MOST_TRIED = 64
_MATH = frozenset({"\\[", "\\]", "$$", "\\(", "\\)"})


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Own spans of a reply: its non-blank lines as written, and its JSON objects in order.

    An object is one character of `OBJECTS` in the lines. `json` is the object that makes up, ends or starts
    the reply.
    """

    lines: Sequence[str]
    objects: Sequence[Members]
    json: JsonReply | None


def own_words(text: str) -> OwnWords:
    """Return what a reply says in the reviewer's own words.

    Thinking, block quotes, quotations, fenced code, tagged answers, and what a heading or a sentence
    announces as the words of another are left out. A turn of another speaker ends the reply.
    """
    text, objects = _set_aside(visible_text(text))
    lines = _list_own(text)
    own = [line for line in lines if line and not line.isspace()]
    marks = [mark for line in own for mark in line if mark in OBJECTS] if objects else []
    kept = [objects[OBJECTS.index(mark)] for mark in marks]
    return OwnWords(own, kept, _find_json(lines, own, kept))


def own_lines(text: str) -> Sequence[str]:
    """Return the non-blank lines of a reply in the reviewer's own words."""
    return own_words(text).lines


def _set_aside(text: str) -> tuple[str, list[Members]]:
    """Return the text with one character in place of each JSON object, and the objects.

    One that is cut off, and what follows it, stays in the text.
    """
    objects: list[Members] = []
    parts: list[str] = []
    at, tried = 0, 0
    while len(objects) < len(OBJECTS) and (found := _JSON.search(text, at)):
        members, end = decode_object(text, found.start())
        tried += 1
        if members is None and (tried > _MOST_TRIED or _starts_line(text, found.start())):
            break
        parts.append(text[at : found.start() if members is not None else found.end()])
        at = found.end() if members is None else end
        if members is not None:
            parts.append(OBJECTS[len(objects)])
            objects.append(members)
    return "".join([*parts, text[at:]]), objects


def _starts_line(text: str, at: int) -> bool:
    return not text[max(0, text.rfind("\n", 0, at)) : at].strip()


def _find_json(
    lines: Sequence[str], own: Sequence[str], kept: Sequence[Members]
) -> JsonReply | None:
    begun = [at for at, line in enumerate(lines) if _CUT.match(line)]
    if own and (own[0].lstrip().startswith("{") or (begun and all(lines[begun[-1] :]))):
        return JsonReply((), closing=True)
    if not kept:
        return None
    last = own[-1].strip("` ")
    if last[-1] in OBJECTS:
        said = plain(last[:-1])
        before = [*own[:-1], last[:-1]]
        return None if announces(said) else JsonReply(kept[-1], closing=True, before=before)
    opening = [line.lstrip()[0] for line in own if line.lstrip()[0] in OBJECTS]
    marks = [mark for line in own for mark in line if mark in OBJECTS]
    return JsonReply(kept[marks.index(opening[-1])], closing=False) if opening else None


def _list_own(text: str) -> list[str]:
    """Return the lines outside of thinking and of the words of others, blank lines included."""
    # First, so that a quoted delimiter neither opens nor closes a passage.
    text = _BLOCK_AFTER_COLON.sub("\n", text)
    text = "\n".join(
        QUOTED if line.lstrip().startswith(">") else line for line in text.splitlines()
    )
    text = _TAG.sub("", split_thinking(text)[1])
    if "<" in text or "[" in text:
        text = "".join(_outside_delimiters(text))
    lines: Sequence[str] = _FENCED_OBJECT.sub(r"\1\n\2", text).splitlines()
    if "```" in text or "~~~" in text:
        lines = _outside_fences(lines)
    text = "\n".join(_outside_quotes(lines))
    if not text.isascii():
        text = SPANNING.sub(lambda said: QUOTED if "\n" in said[0] else said[0], text)
    text = _TOKEN.sub(lambda found: found[1] or f"\n{_ENDS}\n", text)
    return _until_another_speaks(line for line in text.splitlines() if line.strip() not in _MATH)


def _outside_delimiters(text: str) -> Iterator[str]:
    """Yield the text outside of delimited answers, and verdict codes in tags.

    A passage ends at the last of several marks that close one, as an answer may contain such marks.
    """
    at, opened, tagged = 0, -1, False
    marks = [*_DELIMITED.finditer(text)]
    closing = [_CLOSES.match(mark[0]) is not None for mark in marks]
    for mark, closes, again in zip(marks, closing, [*closing[1:], False], strict=False):
        if not closes and opened < 0:
            yield text[at : mark.start()]
            tagged = (
                mark[0][:2] != "<<"
                and mark[0][0] == "<"
                and not _is_reported(text[at : mark.start()])
            )
            opened = mark.end()
        elif closes and not again and opened >= 0:
            yield (tagged and code_only(text[opened : mark.start()])) or f"\n{QUOTED}\n"
            opened, at = -1, mark.end()
    if opened < 0:
        yield text[at:]
    elif tagged:
        yield code_only(text[opened:])


def _is_reported(before: str) -> bool:
    """Return `True` if the last line of a text speaks of the words of another, or announces them."""
    last = plain(before.rstrip().rpartition("\n")[2])
    return tells(last) or announces(last)


def _outside_fences(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines outside of code fences; a reply that is one fence, or a fence of JSON, is its own.

    If a fence is empty, or stays open although more marks follow, its content contains marks itself, and
    everything from the first mark to the last counts as fenced.
    """
    marks = [(at, mark) for at, line in enumerate(lines) if (mark := _FENCE.fullmatch(line))]
    if not marks:
        return lines
    first, last = marks[0][0], marks[-1][0]
    if len(marks) == 2 and not any(map(str.strip, [*lines[:first], *lines[last + 1 :]])):
        return lines[first + 1 : last]
    own: list[str] = []
    at, opened = 0, ""
    for line, mark in marks:
        if not opened:
            own += lines[at:line]
            at, opened = line + 1, mark[1]
        elif mark[1].startswith(opened) and not mark[2].strip():
            if line == at:
                return [*lines[:first], QUOTED, *lines[last + 1 :]]
            own += _fenced(own, lines[at:line])
            at, opened = line + 1, ""
    if not opened:
        return [*own, *lines[at:]]
    if len(marks) == 1 or marks[-1][1][2].strip():
        return [*lines[:first], *_fenced(lines[:first], lines[first + 1 :])]
    return [*lines[:first], QUOTED, *lines[last + 1 :]]


def _fenced(before: Sequence[str], lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a fence if they are JSON that is not reported as another's, else a quotation."""
    content = [line for line in lines if line.strip()]
    is_json = bool(content) and content[0].lstrip()[0] in f"{{{OBJECTS}"
    return content if is_json and not _is_reported("\n".join(before)) else [QUOTED]


def _outside_quotes(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines outside of quotations in straight marks that go on over several lines."""
    ends: dict[str, list[int]] = {mark: [] for mark in "\"'`"}
    for at, line in enumerate(lines):
        for mark, found in ends.items():
            if mark in line and (
                line.count(mark) % 2 if mark == '"' else line.rstrip("., ")[-1:] == mark
            ):
                found.append(at)
    until, closing = -1, ""
    for at, line in enumerate(lines):
        if at <= until:
            if at == until:
                yield f"{QUOTED}{line.rpartition(closing)[2]}"
            continue
        start = _opening_quote(line) if any(ends.values()) else -1
        until = next((end for end in ends[line[start]] if end > at), -1) if start >= 0 else -1
        closing = line[start] if start >= 0 else ""
        yield line if until < 0 else line[:start]


def _opening_quote(line: str) -> int:
    """Return where a line opens a quotation that it does not close; -1 for nowhere."""
    for mark in _OPENING_QUOTE.finditer(line):
        rest = line[mark.start() :]
        if (mark[0] == '"' and rest.count('"') % 2) or (
            mark[0] != '"' and rest.count(mark[0]) == 1
        ):
            return mark.start()
    return -1


def _until_another_speaks(lines: Iterable[str]) -> list[str]:
    """Return the lines before another's turn, without the paragraphs that are announced as another's."""
    own: list[str] = []
    said = ""
    skipping = False
    for line in lines:
        if not line or line.isspace():
            skipping = False
            own.append("")
        elif skipping:
            said = line
        elif (turn := _TURN.match(line)) and any(own):
            break
        elif line.startswith(QUOTED) or _is_anothers(line, last=said):
            skipping = not line.startswith(QUOTED)
            if is_heading(said) and said in own:
                own.remove(said)
            said = line if skipping else line.removeprefix(QUOTED)
            own += [said] if said.strip() and not skipping else []
        else:
            said = line[turn.end() :] if turn else line
            own.append(said)
            skipping = ": " in said and gives_words(unquoted(plain(said)))
    return own


def _is_anothers(line: str, *, last: str) -> bool:
    """Return `True` if the own line before announces this one as the words of another."""
    said = unquoted(plain(last))
    return (
        is_heading(last)
        or (last.rstrip("*_ ")[-1:] in {":", "."} and announces(said))
        or (opens_quote(plain(line)) and tells(said))
    )


_REFUSES = re.compile(
    r"\b(?i:(?:i|we)(?:'m| am| are)?(?: (?:sorry|afraid)[,;:.]?(?: but)?(?: that)? (?:i|we)(?:'m| am| are)?)?"
    r" (?:can ?not|can't|won't|will not|unable to|not able to|(?:must )?decline to|(?:must )?refuse to"
    r"|(?:am |do )?not (?:feel )?comfortable|don't feel comfortable|prefer not to)(?: \w+){0,2}?"
    r" (?:assist|help|comply|evaluat(?:e|ing)|judg(?:e|ing)|rat(?:e|ing)|rank(?:ing)?|grad(?:e|ing)"
    r"|scor(?:e|ing)|compar(?:e|ing)|answer(?:ing)?(?! \(?[1-9a-e]\b)|respond|choosing|fulfill?|engage"
    r"|participate|continue|do (?:this|that)|discuss|take part|promote|satisfy|complete"
    r"|(?:provid|giv)(?:e|ing) (?:an?|any|my) (?:response|evaluation|judge?ment|answer|verdict"
    r"|comparison|decision|assessment)))\b"
    r"|(?i:\bas an? (?:AI|(?:AI |large )?language model)\b[^.]{0,60}\b(?:cannot|can't|unable to|not able to)"
    r" (?:choose|pick|decide|judge|compare)\b)"
)
_OPENING_LINES, _OPENING = 3, 300
"""A refusal stands in the first lines and characters of a reply."""


def refuses(lines: Sequence[str]) -> bool:
    """Return `True` if the first of a reply's own lines decline the task, in English.

    A reply that cannot tell which answer is better is unreadable, not a refusal.
    """
    said = " ".join(unquoted(plain(line)) for line in lines[:_OPENING_LINES])
    return bool(_REFUSES.search(said[:_OPENING]))
