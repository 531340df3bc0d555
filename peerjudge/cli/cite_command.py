"""`peerjudge cite`: the works that a run, a search or a dataset rests on."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from peerjudge.cli.tables import print_result


def cite_command(
    source: str,
    /,
    *,
    form: Annotated[Literal["text", "bibtex"], Parameter(name="--format")] = "text",
    json: bool = False,
) -> int:
    """List the works to cite: of the data, of the protocols' sources, of a search, and PeerJudge.

    A protocol names its source in the docstring of its file (`Source: ...`), your own protocols too.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), a folder of a
        search, or a dataset NAME:PATH.
    form
        text, or bibtex for a bibliography.
    json
        Print the works as one JSON document.
    """
    from peerjudge.results.citing import cite

    found = cite(source)
    if form == "bibtex" and not json:
        print(found.bibtex(), end="")
    else:
        print_result(found, json=json)
    return 0
