"""Check of a bundle against itself: its files, and its discussions played again from their replies."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from peerjudge.data import (
    Card,
    Condition,
    Experiment,
    Seat,
    Transcript,
    content_hash,
    from_plain,
    to_plain,
)
from peerjudge.datasets.sources.discussions import GIVEN, IMPORTED
from peerjudge.engine import identify_played
from peerjudge.engine.replaying import replay
from peerjudge.errors import PeerJudgeError
from peerjudge.prompts import pack_identity
from peerjudge.protocol import DiscussionProtocol
from peerjudge.reporting.formats import counted
from peerjudge.runs.imported import RECORDED
from peerjudge.runs.manifest import MANIFEST, MERGED
from peerjudge.runs.resolve import load_cards
from peerjudge.runs.transcript_files import TRANSCRIPTS, read_transcript_file
from peerjudge.shelf import Kind, Shelf
from peerjudge.shelf.cards import card_identity
from peerjudge.shelf.folders import PLACES, strip_words
from peerjudge.shelf.loading import load_protocol

_SHOWN = 3
"""The most discussions that a problem names."""
_MOST_ABSENT = 100
"""Most files that are named as absent."""
_ELSEWHERE = frozenset({IMPORTED, RECORDED})
"""Tasks of discussions that no protocol of a shelf played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraced:
    """Counts of what was checked, the problems by member, and a sentence for each thing unchecked."""

    replies: int = 0
    discussions: int = 0
    played: int = 0
    identified: int = 0
    problems: Mapping[str, str] = field(default_factory=dict[str, str])
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledRun:
    """The members and the manifest of a bundle, with `folder` for copies of its cards and packs.

    Nothing of it is executed: a discussion is played by the built-in protocol, or by a file among
    `named`, where that is the code which the manifest records.
    """

    contents: Mapping[str, bytes]
    manifest: Mapping[str, object]
    folder: Path
    named: Sequence[Path] = ()

    @property
    def digests(self) -> Mapping[str, str]:
        """The SHA-256 of each file of the run, by shelf and name (`agents/strict`)."""
        return {label: str(digest) for label, digest in _table(self.manifest, "files").items()}

    @property
    def cards(self) -> Mapping[str, Card]:
        """The cards of the manifest."""
        return {name: from_plain(Card, one) for name, one in _table(self.manifest, "cards").items()}

    @property
    def seeds(self) -> frozenset[int]:
        """The seeds of the run, or of the runs that were merged into it."""
        merged = self.manifest.get(MERGED)
        runs = cast("Sequence[object]", merged) if isinstance(merged, list) else ()
        sources = [self.manifest, *(_table(run, "manifest") for run in runs)]
        seeds = [_table(source, "experiment").get("seed") for source in sources]
        return frozenset(seed for seed in seeds if isinstance(seed, int))

    @property
    def shelf(self) -> Shelf:
        """The shelf of the copies, with the built-in files behind them."""
        return Shelf(project=self.folder)

    def list_files(self) -> Iterator[tuple[Kind, str, str]]:
        """Yield shelf, name and member of each file of a shelf in the bundle."""
        for member in self.contents:
            place, _, file = member.rpartition("/")
            for kind, (folder, suffixes) in PLACES.items():
                if place == folder and Path(file).suffix in suffixes:
                    yield kind, Path(file).stem, member

    def find_code(self, kind: Kind, name: str) -> frozenset[str]:
        """Return the digests that the code of a file may add to an identity: none if it was built in."""
        content = self.contents.get(f"{PLACES[kind][0]}/{name}.py")
        return frozenset({"", *([] if content is None else [_digest_code(content)])})

    def choose_protocol(self, name: str) -> Path | str:
        """Return the file that plays a protocol of the run, or why none may."""
        wanted = self.digests.get(f"protocols/{name}")
        held = self.contents.get(f"protocols/{name}.py")
        built_in = {one.name: one.path for one in Shelf(project=self.folder).entries("protocols")}
        for path in (*(one for one in self.named if one.stem == name), built_in.get(name)):
            if path is None:
                continue
            content = path.read_bytes()
            same = wanted in {None, hashlib.sha256(content).hexdigest()}
            if same or (held is not None and _digest_code(held) == _digest_code(content)):
                return path
        return (
            f"protocol {name!r} is not the built-in one, and a bundle is not executed; name your "
            "copy of its file with --protocol"
        )


def _table(of: object, key: str) -> Mapping[str, object]:
    """Return a table of the manifest; empty where it is something else, as in an edited one."""
    found = cast("Mapping[str, object]", of).get(key) if isinstance(of, dict) else None
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else {}


def retrace(run: BundledRun, *, unidentified: str) -> Retraced:
    """Compare files of a bundle with its manifest, and play its discussions again from their replies.

    Args:
        run: The bundle.
        unidentified: Why identities of discussions cannot be computed; empty where they can.

    Raises:
        DataError: The transcripts or the manifest cannot be read.
    """
    problems = _check_files(run)
    file = run.folder / TRANSCRIPTS
    file.write_bytes(run.contents[TRANSCRIPTS])
    replayer = _Replayer(run, unidentified)
    failed = [
        f"{transcript.id[:8]}: {differences[0]}"
        for transcript in read_transcript_file(file)
        if (differences := replayer.check(transcript))
    ]
    counts = replayer.counts
    if failed:
        more = f"; and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
        problems[TRANSCRIPTS] = (
            f"{len(failed)} of {counted(counts['discussion'], 'discussion')} differ when read and played "
            f"again: {'; '.join(failed[:_SHOWN])}{more}"
        )
    held = {f"{kind}/{name}" for kind, name, _ in run.list_files()}
    return Retraced(
        replies=counts["reply"],
        discussions=counts["discussion"],
        played=counts["conclusion"],
        identified=counts["discussion id"],
        problems=problems,
        unchecked=(
            *_list_absent(sorted(run.digests.keys() - held)),
            *(
                f"{counted(count, noun)} not checked: {reason}."
                for (noun, reason), count in replayer.unchecked.items()
            ),
        ),
    )


def _list_absent(labels: Sequence[str]) -> Iterator[str]:
    yield from (f"{label} not checked: not in the bundle." for label in labels[:_MOST_ABSENT])
    if len(labels) > _MOST_ABSENT:
        yield f"{len(labels) - _MOST_ABSENT:,} more files not checked: not in the bundle."


def _check_files(run: BundledRun) -> dict[str, str]:
    """Copy the cards and packs that the manifest records, and return the problems of the others."""
    problems: dict[str, str] = {}
    for kind, name, member in run.list_files():
        content = run.contents[member]
        if run.digests.get(f"{kind}/{name}") != hashlib.sha256(content).hexdigest():
            problems[member] = f"is not the file whose SHA-256 {MANIFEST} records"
        elif member.endswith(".toml"):
            copy = run.folder / member
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    for kind, name, member in run.list_files():
        if kind == "agents" and member not in problems and member.endswith(".toml"):
            settings = _table(_table(run.manifest, "experiment"), "reviewer_settings")
            alone = Condition(name=name, protocol="", seats=(name,))
            plain = {"data": "", "conditions": [to_plain(alone)], "reviewer_settings": settings}
            read = load_cards(from_plain(Experiment, plain), run.shelf)
            if run.cards.get(name) != read[name]:
                problems[member] = f"is another card than {MANIFEST} holds"
    return problems


def _digest_code(content: bytes) -> str:
    """Return the digest of Python code without its comments; of the content if it is no code."""
    try:
        return hashlib.sha256(strip_words(content.decode()).encode()).hexdigest()
    except (SyntaxError, ValueError, RecursionError):
        return hashlib.sha256(content).hexdigest()


class _Replayer:
    """Plays discussions of a bundle again, and counts what was checked and what was not."""

    def __init__(self, run: BundledRun, unidentified: str) -> None:
        self.counts = Counter[str]()
        self.unchecked = Counter[tuple[str, str]]()
        self._run = run
        self._unidentified = unidentified
        self._cards = run.cards
        self._seeds = run.seeds
        self._paths: dict[str, Path | str] = {}
        self._protocols: dict[tuple[object, ...], DiscussionProtocol] = {}
        self._packs: dict[str, str] = {}

    def check(self, transcript: Transcript) -> list[str]:
        """Return what differs when the discussion is read, played and identified again."""
        self.counts["discussion"] += 1
        try:
            protocol = self._load_protocol(transcript)
            again = replay(
                transcript,
                protocol,
                is_recorded=lambda turn: (
                    turn.cue.task in _ELSEWHERE and turn.review.rule in {GIVEN, RECORDED}
                ),
            )
            differences = [*again.differences, *self._check_identity(transcript)]
        except PeerJudgeError as cause:
            return [str(cause)]
        self.counts["reply"] += again.read
        self.counts["conclusion"] += protocol is not None
        if again.recorded:
            self.unchecked["verdict", "recorded with the discussions, not read"] += again.recorded
        return differences

    def _load_protocol(self, transcript: Transcript) -> DiscussionProtocol | None:
        name = transcript.protocol
        if {turn.cue.task for turn in transcript.turns} & _ELSEWHERE or name in _ELSEWHERE:
            self.unchecked[
                "conclusion", "played or recorded elsewhere, without a protocol of PeerJudge"
            ] += 1
            return None
        if name not in self._paths:
            self._paths[name] = self._run.choose_protocol(name)
        path = self._paths[name]
        if isinstance(path, str):
            self.unchecked["conclusion", path] += 1
            return None
        options = transcript.options or {}
        key = (name, *sorted(options.items()))
        if key not in self._protocols:
            self._protocols[key] = load_protocol(name, path, options)
        return self._protocols[key]

    def _check_identity(self, transcript: Transcript) -> Iterator[str]:
        """Yield a sentence if the id is not that of the content, its cards, pack and protocol."""
        pack = transcript.prompts
        if reason := self._explain_unidentified(transcript):
            self.unchecked["discussion id", reason] += 1
            return
        for seat in (*transcript.seats, *([transcript.reread] if transcript.reread else [])):
            if not self._is_of_card(seat):
                yield f"its card {seat.reviewer!r} is not the one of {MANIFEST}"
                return
        if pack not in self._packs:
            self._packs[pack] = pack_identity(self._run.shelf.prompts(pack))
        ids = {
            identify_played(transcript, prompts=self._packs[pack], seed=seed, code=code)
            for seed in self._seeds
            for code in self._run.find_code("protocols", transcript.protocol)
        }
        self.counts["discussion id"] += 1
        if transcript.id not in ids:
            yield "its id is not that of its comparison, seats, options and prompts"

    def _explain_unidentified(self, transcript: Transcript) -> str:
        """Return why the id of a discussion cannot be computed; empty if it can."""
        if any(answer.text and not answer.known_text for answer in transcript.comparison.answers):
            return "the texts that an id is computed from are withheld"
        held = (self._run.folder / PLACES["prompts"][0] / f"{transcript.prompts}.toml").is_file()
        played = transcript.protocol not in _ELSEWHERE
        if not self._unidentified and not (held and self._seeds and played):
            return "the bundle does not hold all that an id is computed from"
        return self._unidentified

    def _is_of_card(self, seat: Seat) -> bool:
        card = self._cards.get(seat.reviewer)
        if card is None:
            return False
        identity = card_identity(card)
        codes = self._run.find_code("agents", card.name)
        return seat.identity in {content_hash(identity, one) if one else identity for one in codes}
