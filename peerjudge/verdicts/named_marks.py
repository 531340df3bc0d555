"""Marks that a reply gives to the answers by name: "Assistant 1: 8/10, Assistant 2: 9/10"."""

from __future__ import annotations

import re

from peerjudge.verdicts.line_forms import highest
from peerjudge.verdicts.names import NAME, code_of
from peerjudge.verdicts.readings import Form

__all__ = ["named_marks"]

_GIVEN = re.compile(
    rf"({NAME})(?: submission| score| rating| mark| overall)*(?: (?:as|is|gets|receives|earns|deserves)|:)?"
    r"(?: an?)?(?: (?:score|rating|mark) of)? ([0-9]{1,3}(?:\.[0-9])?)(?:/([0-9]{1,3})| out of ([0-9]{1,3}))?"
    r"(?=$|[.;)]| and\b|, (?:and\b|[A-Z])|,$| -)"
)


def named_marks(lines: list[str], form: Form) -> int | None:
    """The best marked answer, where every answer gets one mark, on one scale; else `None`."""
    given: dict[int, set[tuple[float, str]]] = {}
    for line in lines:
        if any(map(str.isdigit, line)):
            for name, mark, of, out_of in _GIVEN.findall(line):
                code = code_of(name)
                if code is not None:
                    given.setdefault(code, set()).add((float(mark), of or out_of))
    wanted = range(1, form.answers + 1)
    if set(given) != set(wanted) or any(len(marks) > 1 for marks in given.values()):
        return None
    marks = [next(iter(given[code])) for code in wanted]
    return highest([mark for mark, _ in marks]) if len({scale for _, scale in marks}) == 1 else None
