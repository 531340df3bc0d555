r"""Tables as LaTeX for a paper: one `table` with a caption and booktabs rules each.

The preamble needs `\usepackage{booktabs}`, and `longtable` where a table is longer than a page.
pdfLaTeX has no letters for Chinese or emoji: such names need LuaLaTeX and a font that has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from peerjudge.marks import mark_controls
from peerjudge.reporting.formats import MISSING
from peerjudge.reporting.layout import Table

__all__ = ["escape_latex", "render_latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"\textasciigrave{}",
    "\u2212": "$-$",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\dots{}",
    "\u2192": r"$\rightarrow$",
    "\u2190": r"$\leftarrow$",
    "\u00d7": r"$\times$",
    "\u00b1": r"$\pm$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u2248": r"$\approx$",
    "\u03b1": r"$\alpha$",
    "\u03ba": r"$\kappa$",
    "\u03c1": r"$\rho$",
    "\u03c4": r"$\tau$",
    "\u00a0": "~",
}
"""How pdfLaTeX sets characters that it reads as commands, or has no letter for."""
_PICTURES = {chr(0x2400 + code): rf"\texttt{{<{code:02X}>}}" for code in range(0x20)}
_PICTURES["\u2421"] = r"\texttt{<7F>}"
"""Marks of control characters."""
_TRANSLATED = str.maketrans(_SPECIAL | _PICTURES)
_NEGATIVE = re.compile(r"(?<![\w.)\]}])-(?=\.?\d)")
_LONG = 45
"""A table with more rows than this gets more than a page."""
_UNSAFE = re.compile(r"[^a-z0-9]+")
_TITLE = re.compile(r"[:(\[]| in %")


def escape_latex(text: str) -> str:
    """Return text as LaTeX sets it; control characters are marked first."""
    return mark_controls(text).translate(_TRANSLATED)


def render_latex(parts: Iterable[str | Table]) -> str:
    """Return tables as LaTeX, with the sentences between them as comments.

    Cells are escaped, negative numbers get a minus sign, and a missing value a dash. Labels are
    `tab:` and the words of the title, with a number where a title occurs twice.
    """
    written: list[str] = []
    labels: dict[str, int] = {}
    for part in parts:
        if isinstance(part, Table):
            if part.rows:
                written.append(_render_table(part, _label(part.title, labels)))
        else:
            # A comment ends with its line; marks would be shown in it as they are.
            written += [f"% {mark_controls(line)}" for line in part.splitlines() if line.strip()]
    return "\n".join([*written, ""]) if written else ""


def _label(title: str, labels: dict[str, int]) -> str:
    name = _UNSAFE.sub("-", _TITLE.split(title, maxsplit=1)[0].lower()).strip("-") or "table"
    labels[name] = labels.get(name, 0) + 1
    return f"tab:{name}" if labels[name] == 1 else f"tab:{name}-{labels[name]}"


def _render_table(table: Table, label: str) -> str:
    columns = "l" * table.names + "r" * (len(table.headings) - table.names)
    head = [*_group_rows(table), _row(map(_heading, table.headings))]
    body = [_row(_cells(table, row)) for row in table.rows]
    if table.total and len(body) > 1:
        body.insert(-1, r"\midrule")
    caption = f"\\caption{{{escape_latex(table.title)}}}"
    note = f"\\par\\smallskip\n\\parbox{{\\linewidth}}{{\\footnotesize {escape_latex(table.note)}}}"
    size = [r"\footnotesize"] if table.is_wide else []
    if len(table.rows) > _LONG:
        lines = [
            *(["{\\footnotesize"] if size else []),
            f"\\begin{{longtable}}{{{columns}}}",
            f"{caption}\\label{{{label}}}\\\\",
            *(r"\toprule", *head, r"\midrule", r"\endfirsthead"),
            *(r"\toprule", *head, r"\midrule", r"\endhead"),
            *(r"\bottomrule", r"\endlastfoot"),
            *body,
            r"\end{longtable}",
            *(["}"] if size else []),
            *([note.removeprefix("\\par\\smallskip\n")] if table.note else []),
        ]
        return "\n".join(lines)
    lines = [
        r"\begin{table}",
        r"\centering",
        caption,
        f"\\label{{{label}}}",
        *size,
        f"\\begin{{tabular}}{{{columns}}}",
        *(r"\toprule", *head, r"\midrule", *body, r"\bottomrule"),
        r"\end{tabular}",
        *([note] if table.note else []),
        r"\end{table}",
    ]
    return "\n".join(lines)


def _group_rows(table: Table) -> list[str]:
    """Return the headings above the columns of numbers, and the rules below them."""
    if not table.groups:
        return []
    cells = [""] * table.names
    rules: list[str] = []
    first = table.names + 1
    for name, size in table.groups:
        cells.append(f"\\multicolumn{{{size}}}{{c}}{{{escape_latex(name)}}}" if name else "")
        if name:
            rules.append(f"\\cmidrule(lr){{{first}-{first + size - 1}}}")
        elif size > 1:
            cells += [""] * (size - 1)
        first += size
    return [_row(cells), " ".join(rules)]


def _heading(text: str) -> str:
    return _guard(escape_latex(text))


def _cells(table: Table, row: Sequence[str]) -> list[str]:
    names = [_guard(escape_latex(cell)) for cell in row[: table.names]]
    return names + [_number(cell) for cell in row[table.names :]]


def _number(cell: str) -> str:
    if cell in {MISSING, "nan", ""}:
        return "--" if cell else ""
    return _guard(_NEGATIVE.sub("$-$", escape_latex(cell)))


def _guard(cell: str) -> str:
    r"""Return a cell that `\\` before it does not take for its argument."""
    return f"{{{cell[0]}}}{cell[1:]}" if cell[:1] in {"[", "*"} else cell


def _row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
