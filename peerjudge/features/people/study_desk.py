"""Desk of a study: items that several people judge, the claims on them, and attention checks.

It is a desk whose tasks are made when a person claims an item. Times are those of the database's
clock. A claim and an answer are each one transaction, so an item is never judged by more people than the
study declares, also with several servers.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self

from peerjudge.data import Comparison, content_hash, from_plain, replace, to_plain
from peerjudge.data.nouns import Noun
from peerjudge.errors import StoreError
from peerjudge.features.people.assigning import choose_item, count_left, find_begun, find_due_check
from peerjudge.features.people.desk import DESK_FILE, Desk, DeskAnswer, DeskTask, Draft, ListedTask
from peerjudge.features.people.desk_file import connect_desk
from peerjudge.features.people.nouns import CheckKind, Claim, Study
from peerjudge.features.people.study_checks import make_check

LAPSE = 1800.0
"""Time after which a claim without a draft or answer lapses. [s]"""

_ITEMS = (
    "CREATE TABLE IF NOT EXISTS items (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, "
    "orders INTEGER NOT NULL, body TEXT NOT NULL)"
)
_CLAIMS = (
    "CREATE TABLE IF NOT EXISTS claims (number INTEGER PRIMARY KEY, task TEXT UNIQUE NOT NULL "
    "REFERENCES tasks (id), item TEXT NOT NULL, annotator TEXT NOT NULL, place INTEGER NOT NULL, "
    "kind TEXT, expected TEXT NOT NULL, until REAL NOT NULL, freed INTEGER NOT NULL DEFAULT 0)"
)
_TABLES = ("CREATE TABLE IF NOT EXISTS studies (body TEXT NOT NULL)", _ITEMS, _CLAIMS)
_NOW = "SELECT (julianday('now') - 2440587.5) * 86400.0"
_LIST_CLAIMS = (
    "SELECT task, item, annotator, place, kind, expected, "
    "EXISTS (SELECT 1 FROM answers WHERE answers.task = claims.task), "
    "until > ?, freed FROM claims ORDER BY number"
)
_ADD_CLAIM = (
    "INSERT INTO claims (task, item, annotator, place, kind, expected, until) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_LEAVE = (
    "UPDATE claims SET until = ?, freed = 1 WHERE task = ? AND annotator = ? "
    "AND NOT EXISTS (SELECT 1 FROM answers WHERE answers.task = claims.task)"
)
_PROLONG = "UPDATE claims SET until = ? WHERE task = ? AND until > ?"
_TAKE_UP = "UPDATE claims SET until = ?, freed = 0 WHERE task = ?"
_ADD_TASK = "INSERT INTO tasks (id, card, body, posted) VALUES (?, ?, ?, ?)"


class StudyItem(Noun, frozen=True, kw_only=True):
    """A comparison of a study, with a task for each order in which its answers are shown.

    The tasks are without person and id; `orders` holds the ids of the answers as each task shows them.
    """

    comparison: Comparison
    orders: tuple[tuple[str, ...], ...]
    tasks: tuple[DeskTask, ...]


class ClaimLapsedError(StoreError):
    """An answer to a task whose claim has lapsed while enough other people judged the item."""


class StudyDesk(Desk):
    """Items, claims, drafts and answers of one study folder."""

    _lapse = LAPSE

    @classmethod
    @contextmanager
    def open(cls, folder: Path, *, create: bool = True, lapse: float = LAPSE) -> Generator[Self]:
        """Open the desk of a study.

        Args:
            folder: The folder of the study.
            create: Make the desk if there is none.
            lapse: Time after which a claim lapses. [s]

        Raises:
            StoreError: There is no study and `create` is `False`, or the desk cannot be used.
        """
        file = folder / DESK_FILE
        if not create and not holds_study(folder):
            msg = f"{folder} holds no study; name the study and this folder: annotate STUDY --out {folder}"
            raise StoreError(msg)
        connection = connect_desk(file)
        try:
            desk = cls(connection, file)
            desk._lapse = lapse
            if create:
                with desk._writing():
                    for statement in _TABLES:
                        connection.execute(statement)
            yield desk
        finally:
            connection.close()

    def read_study(self) -> Study | None:
        """Return the declaration of the study; `None` for a desk without one."""
        rows = self._fetch("SELECT body FROM studies")
        return from_plain(Study, json.loads(rows[0][0])) if rows else None

    def declare(self, study: Study, items: Iterable[StudyItem] = ()) -> None:
        """Save the declaration and add the items that are new; the items there stay."""
        add = "INSERT OR IGNORE INTO items (id, orders, body) VALUES (?, ?, ?)"
        with self._writing():
            self._connection.execute("DELETE FROM studies")
            self._connection.execute(
                "INSERT INTO studies VALUES (?)", (json.dumps(to_plain(study)),)
            )
            for item in items:
                row = (item.comparison.id, len(item.orders), json.dumps(to_plain(item)))
                self._connection.execute(add, row)

    def claim(self, annotator: str) -> DeskTask | None:
        """Return the next task of a person, `None` if nothing is left for them.

        A task that was begun comes first, one that the person left for later comes last.
        """
        with self._writing():
            study = self._require_study()
            task = self._claim(annotator, study, self.list_claims())
        return None if task is None else self.find_task(task, card=annotator)

    def leave(self, task: str, *, annotator: str) -> None:
        """Free the claim of a person on a task without an answer; its draft stays."""
        with self._writing():
            self._connection.execute(_LEAVE, (self._read_clock(), task, annotator))

    def list_claims(self) -> list[Claim]:
        """Return all claims in the order in which they were made."""
        rows = self._fetch(_LIST_CLAIMS, self._read_clock())
        return [
            Claim(
                task=task,
                item=item,
                annotator=annotator,
                order=order,
                check=None if check is None else CheckKind(check),
                expected=expected,
                answered=bool(answered),
                live=bool(answered or live),
                left=bool(left),
            )
            for task, item, annotator, order, check, expected, answered, live, left in rows
        ]

    def list_items(self) -> list[StudyItem]:
        """Return the items in the order of the data."""
        rows = self._fetch("SELECT body FROM items ORDER BY number")
        return [from_plain(StudyItem, json.loads(body)) for (body,) in rows]

    def save_draft(self, task: str, draft: Draft, *, version: int, seconds: float = 0.0) -> int:
        """Save a draft as at any desk, and prolong the claim if it holds."""
        saved = super().save_draft(task, draft, version=version, seconds=seconds)
        with self._writing():
            now = self._read_clock()
            self._connection.execute(_PROLONG, (now + self._lapse, task, now))
        return saved

    def list_tasks(self, card: str) -> list[ListedTask]:
        """Return the tasks that a person has answered or holds."""
        held = {
            claim.task for claim in self.list_claims() if claim.live and claim.annotator == card
        }
        return [task for task in super().list_tasks(card) if task.id in held]

    def next_task(self, *, card: str | None = None, skip: Collection[str] = ()) -> DeskTask | None:
        """Return the next task of a person; tasks in `skip` are left for later."""
        if card is None:
            msg = "name the person whose next task it is"
            raise StoreError(msg)
        for skipped in skip:
            self.leave(skipped, annotator=card)
        task = self.claim(card)
        return None if task is None or task.id in skip else task

    def count_open(self) -> dict[str, int]:
        """Return the number of items that each person can still judge."""
        study = self._require_study()
        claims = self.list_claims()
        items = list(self._count_orders())
        return {
            annotator: count_left(items, claims, annotator=annotator, judgments=study.judgments)
            for annotator in study.annotators
        }

    def has_checks(self) -> bool:
        """Return whether some tasks of the study are attention checks."""
        study = self.read_study()
        return study is not None and study.checks > 0

    def expect_tasks(self, annotator: str) -> int:
        """Return the number of all tasks of a person, with as many checks as are to be expected.

        A number with those met so far would tell the person which task was a check.
        """
        judged = sum(
            claim.annotator == annotator and claim.answered and claim.check is None
            for claim in self.list_claims()
        )
        items = judged + self.count_open().get(annotator, 0)
        return round(items / (1 - self._require_study().checks))

    def expect_left(self, annotator: str) -> int:
        """Return the number of tasks that a person has left, of `expect_tasks`; 0 only where none is."""
        items = self.count_open().get(annotator, 0)
        if not items or not self.has_checks():
            return items
        answered = sum(
            claim.annotator == annotator and claim.answered for claim in self.list_claims()
        )
        return max(self.expect_tasks(annotator) - answered, 1)

    def _require_admission(self, answer: DeskAnswer) -> None:
        """Raise `ClaimLapsedError` where enough other people judge the item."""
        claims = self.list_claims()
        mine = next((claim for claim in claims if claim.task == answer.task), None)
        if mine is None or mine.answered:
            return
        begun = find_begun(
            [claim for claim in claims if claim.annotator != mine.annotator or claim is mine],
            annotator=mine.annotator,
            judgments=self._require_study().judgments,
            left=mine.left,
        )
        if begun is None:
            msg = (
                "other people have judged this meanwhile, as you left it for more than half an hour; "
                "nothing is missing, go on with the next one"
            )
            raise ClaimLapsedError(msg)

    def _claim(self, annotator: str, study: Study, claims: Sequence[Claim]) -> str | None:
        """Return the id of the task that a person gets now, with a claim on it."""
        judgments = study.judgments
        begun = find_begun(claims, annotator=annotator, judgments=judgments, left=False)
        if begun is None:
            check = self._claim_check(annotator, study, claims)
            if check is not None:
                return check
            chosen = choose_item(
                self._count_orders(),
                claims,
                annotator=annotator,
                judgments=judgments,
                seed=study.seed,
            )
            if chosen is not None:
                item, order = chosen
                task = content_hash("study", annotator, item, order)
                claim = Claim(task=task, item=item, annotator=annotator, order=order)
                return self._add(claim, self._read_tasks(item)[order])
            begun = find_begun(claims, annotator=annotator, judgments=judgments, left=True)
        if begun is None:
            return None
        self._connection.execute(_TAKE_UP, (self._read_clock() + self._lapse, begun.task))
        return begun.task

    def _claim_check(self, annotator: str, study: Study, claims: Sequence[Claim]) -> str | None:
        kind = find_due_check(claims, annotator=annotator, share=study.checks, seed=study.seed)
        if kind is None:
            return None
        mine = [claim for claim in claims if claim.annotator == annotator]
        judged = [claim for claim in mine if claim.answered and claim.check is None]
        check, shown = make_check(
            kind,
            judged,
            {claim.task: self._read_entry(claim.task).draft.choice for claim in judged},
            used={claim.item for claim in mine if claim.check is CheckKind.REVERSED},
            read=self._read_tasks,
            draw=content_hash(study.seed, "check", annotator, len(mine)),
        )
        task = content_hash("check", annotator, len(mine), check.item)
        return self._add(replace(check, task=task), shown)

    def _add(self, claim: Claim, shown: DeskTask) -> str:
        """Post the task of a claim, and make the claim; return the id of the task."""
        now = self._read_clock()
        body = json.dumps(to_plain(replace(shown, id=claim.task, card=claim.annotator)))
        self._connection.execute(_ADD_TASK, (claim.task, claim.annotator, body, now))
        row = (claim.task, claim.item, claim.annotator, claim.order, claim.check, claim.expected)
        self._connection.execute(_ADD_CLAIM, (*row, now + self._lapse))
        return claim.task

    def _read_clock(self) -> float:
        """Return the time of the database, in seconds since 1970."""
        return float(self._fetch(_NOW)[0][0])

    def _read_tasks(self, item: str) -> tuple[DeskTask, ...]:
        ((body,),) = self._fetch("SELECT body FROM items WHERE id = ?", item)
        return from_plain(StudyItem, json.loads(body)).tasks

    def _count_orders(self) -> dict[str, int]:
        return dict(self._fetch("SELECT id, orders FROM items ORDER BY number"))

    def _require_study(self) -> Study:
        study = self.read_study()
        if study is None:
            msg = f"{self._file} holds no study"
            raise StoreError(msg)
        return study


def stamp_study(folder: Path) -> str:
    """Return a text that changes when something is written at the desk of a study."""
    files = [folder / f"{DESK_FILE}{ending}" for ending in ("", "-wal")]
    stats = [file.stat() for file in files if file.exists()]
    return "-".join(f"{stat.st_mtime_ns}.{stat.st_size}" for stat in stats)


def holds_study(folder: Path) -> bool:
    """Return whether a folder has the desk of a study."""
    file = folder / DESK_FILE
    if not file.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            return opened.execute("SELECT 1 FROM studies").fetchone() is not None
    except sqlite3.Error:
        return False
