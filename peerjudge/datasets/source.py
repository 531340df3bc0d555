"""The contract of a dataset module, and gold verdicts from votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from peerjudge.data import TIE, Dataset, GoldRule, Verdict, settle_votes


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options for reading files of other tools.

    `names` maps the names that a format expects to those in the file (`question` to `prompt`). `humans`
    names judges that are people, beside those that the format knows. `encoding` and `delimiter` are
    those of a text file and of a table; an empty delimiter is found out. Up to `skip_bad` rows that
    cannot be read are left out. `files` are read after the first file. `pairs` says which single outputs
    are compared: `all` (the default), `baseline=NAME`, or `single` to leave each alone, for ratings. `codes`
    names the meaning of codes of verdicts (`{"0": "a", "1": "b", "2": "tie"}`).
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    humans: tuple[str, ...] = ()
    encoding: str = "utf-8"
    delimiter: str = ""
    skip_bad: int = 0
    files: tuple[Path, ...] = ()
    pairs: str = ""
    codes: Mapping[str, str] = field(default_factory=dict[str, str])


FILE_OPTIONS = frozenset(("names", "encoding", "delimiter", "skip_bad", "files"))
"""The options of a reader of rows in any form."""

JUDGED_OPTIONS = FILE_OPTIONS | {"humans", "codes"}
"""The options of a reader of judgements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request to read a dataset.

    `path` is the place of the data. `reviews` is false where recorded reviews are not needed. `gold`
    settles votes that disagree; `None` is the dataset's own rule. `options` are for files of other tools.
    """

    path: Path
    reviews: bool = True
    gold: GoldRule | None = None
    options: Options = field(default_factory=Options)

    @property
    def unmapped(self) -> Request:
        """The request without a map of names, for a format whose rows hold the named fields inside."""
        return replace(self, options=replace(self.options, names={}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Declaration of a dataset: the constant `SOURCE` of its module or file.

    `description` is one line. `licence` is that which the publisher states, empty where it is not known.
    `read` turns a place on disk into a dataset. `place` is that place where the caller need not name one.
    `upstream` is the address of the published files that are listed in `registry/NAME.txt`. `votes` is true
    where gold comes from several people's votes, so that a `GoldRule` applies. `options` names the fields of
    `Options` that it uses; another one that is given is an error.
    `keys` are sets of fields by which `import` recognizes the rows of a format: a row is of the format if it
    has all fields of one set.
    """

    description: str
    read: Callable[[Request], Dataset]
    licence: str = ""
    place: Path | None = None
    upstream: str = ""
    votes: bool = False
    keys: tuple[frozenset[str], ...] = ()
    options: frozenset[str] = frozenset()


def score_vote(vote: Verdict, pair: Sequence[str]) -> int:
    """Return a readable vote on a pair of answer ids: -1 (first), 0 (tie) or +1 (second)."""
    return 0 if vote.choice is None else 2 * pair.index(vote.choice) - 1


def settle_gold(votes: Sequence[int], rule: GoldRule, pair: tuple[str, str]) -> Verdict | None:
    """Return the gold verdict on this pair of answer ids, or `None` without votes."""
    if not votes:
        return None
    score = settle_votes(votes, rule)
    return TIE if score == 0 else Verdict.of(pair[score > 0])
