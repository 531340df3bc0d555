"""Verdicts as judges fine-tuned in the manner of Prometheus end: "Feedback: ... [RESULT] A"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from peerjudge.verdicts.names import CODE, NAME, TIE_WORDS, code_of
from peerjudge.verdicts.quoting import plain, unquoted
from peerjudge.verdicts.readings import CONTRADICTION

__all__ = ["closing_result"]

_RESULT = re.compile(
    rf"(?i:\[result\]) ?:? ?[\"'(\[<]*({NAME}|{CODE}|(?i:{TIE_WORDS}))[\"')\]>.!]*(?P<end>$)?(?!\w)"
)
_LONGEST = 2000


def closing_result(lines: Sequence[str]) -> int | None:
    """The code in the result that ends a reply, given its own lines; `None` if none does.

    Where a reply states several results, all must be the same: a judge that goes on after its
    result writes the feedback on some other pair.
    """
    if not lines or "[result]" not in lines[-1].lower():
        return None
    tails = [unquoted(plain(line))[-_LONGEST:] for line in lines if "[result]" in line.lower()]
    results = [found for tail in tails for found in _RESULT.finditer(tail)]
    if not results or results[-1]["end"] is None:
        return None
    codes = {code_of(found[1]) for found in results}
    return codes.pop() if len(codes) == 1 else CONTRADICTION
