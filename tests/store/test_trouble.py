"""A store that cannot be used fails with a helpful message, and stored turns are not lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys

import pytest
import structlog.testing
from sqlalchemy import delete
from sqlalchemy.exc import OperationalError

from peerjudge.data import StopReason
from peerjudge.errors import StoreError
from peerjudge.store import Archive, Store
from peerjudge.store.database import locate, open_database
from peerjudge.store.schema import turns
from peerjudge.testing import transcript_of


async def filled(place):
    """Write a store with one discussion."""
    transcript = transcript_of("2|1 2 1")
    async with Store.open(place) as store:
        await store.end(transcript)
    return transcript


async def test_a_second_writer_learns_the_owner_of_the_lock(tmp_path):
    """The message names process and host; the lock is released on closing."""
    async with Store.open(tmp_path):
        with pytest.raises(StoreError, match=f"in use by process {os.getpid()} on "):
            async with Store.open(tmp_path):
                pass
    async with Store.open(tmp_path):
        pass


HOLD = """
import asyncio, sys
from peerjudge.store import Store
async def main():
    async with Store.open(sys.argv[1]):
        print("open", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_another_process_holds_the_lock_until_it_is_killed(tmp_path):
    """The operating system releases the lock on any exit; readers are never blocked."""
    transcript = await filled(tmp_path)
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(tmp_path), stdout=subprocess.PIPE
    )
    assert await other.stdout.readline() == b"open\n"
    with pytest.raises(StoreError, match=f"process {other.pid} on "):
        async with Store.open(tmp_path):
            pass
    async with Archive.open(tmp_path) as archive:
        assert await archive.transcript(transcript.id) == transcript
    other.kill()
    await other.wait()
    async with Store.open(tmp_path) as store:
        assert await store.transcript(transcript.id) == transcript


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    """The message names the file, which is not changed."""
    file = tmp_path / "store.db"
    file.write_text("dear diary, " * 500)
    for kind in (Store, Archive):
        with pytest.raises(StoreError, match=r"store\.db: file is not a database; restore it"):
            async with kind.open(tmp_path):
                pass
    assert file.read_text().startswith("dear diary")


async def test_a_damaged_store_is_an_error(tmp_path):
    """Overwritten pages are noticed when they are read."""
    transcript = await filled(tmp_path)
    file = tmp_path / "store.db"
    damaged = bytearray(file.read_bytes())
    damaged[4096:] = b"\xff" * (len(damaged) - 4096)
    file.write_bytes(damaged)
    with pytest.raises(StoreError, match="malformed"):
        async with Archive.open(tmp_path) as archive:
            await archive.transcript(transcript.id)


async def test_an_unreadable_turn_is_named_and_skipped(tmp_path):
    """Foreign content of a row is logged with the store and the discussion."""
    transcript = await filled(tmp_path)
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("UPDATE turns SET body = '{oops' WHERE \"index\" = 1")
    connection.close()
    async with Archive.open(tmp_path) as archive:
        with structlog.testing.capture_logs() as logged:
            assert await archive.transcript(transcript.id) is None
            assert [one async for one in archive.transcripts()] == []
        (line,) = logged
        assert line["store"].endswith("store.db")
        assert line["id"] == transcript.id
        assert archive.unreadable == {transcript.id: line["cause"]}
        assert line["cause"].startswith("not JSON")


async def test_a_damaged_lock_differs_from_a_damaged_store(tmp_path):
    """The lock holds no data, so the message says to delete it."""
    await filled(tmp_path)
    (tmp_path / "store.db.lock").write_text("dear diary, " * 500)
    with pytest.raises(StoreError, match=r"not a database; delete store\.db\.lock"):
        async with Store.open(tmp_path):
            pass


async def test_the_database_of_another_program_is_refused(tmp_path):
    """No store is created in the database of another program."""
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="something else: it has a table 'recipes'"):
        async with Store.open(tmp_path):
            pass


async def test_a_store_that_lacks_a_table_is_refused(tmp_path):
    """A missing table is named, not created."""
    await filled(tmp_path)
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("DROP TABLE turns")
    connection.close()
    for kind in (Store, Archive):
        with pytest.raises(StoreError, match="is not a store: it has no table 'turns'"):
            async with kind.open(tmp_path):
                pass


async def test_an_empty_file_becomes_a_store(tmp_path):
    """A process killed before it created the tables does not block the next one."""
    (tmp_path / "store.db").touch()
    with pytest.raises(StoreError, match="is not a store: it has no table"):
        async with Archive.open(tmp_path):
            pass
    transcript = await filled(tmp_path)
    async with Archive.open(tmp_path) as archive:
        assert await archive.transcript(transcript.id) == transcript


async def test_a_closed_store_leaves_no_extra_files(tmp_path):
    """After writing and after reading, the folder holds the store and its lock."""
    place = tmp_path / "run"
    transcript = await filled(place)
    assert {path.name for path in place.iterdir()} == {"store.db", "store.db.lock"}
    async with Archive.open(place) as archive:
        await archive.transcript(transcript.id)
    assert {path.name for path in place.iterdir()} == {"store.db", "store.db.lock"}


async def test_a_reader_cannot_change_a_store(tmp_path):
    """The database refuses every change on a connection for reading."""
    await filled(tmp_path)
    async with open_database(locate(tmp_path), writable=False) as engine:
        with pytest.raises(OperationalError, match="readonly"):
            async with engine.begin() as connection:
                await connection.execute(delete(turns))


async def test_reading_creates_nothing(tmp_path):
    """Reading a missing store is an error, and creates none."""
    with pytest.raises(StoreError, match="there is no store at"):
        async with Archive.open(tmp_path / "nowhere"):
            pass
    assert list(tmp_path.iterdir()) == []


async def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    """A folder that cannot be created and a store that is a folder are errors."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the folder"):
        async with Store.open(tmp_path / "file" / "run"):
            pass
    (tmp_path / "study.db").mkdir()
    with pytest.raises(StoreError, match="unable to open database file; make it writable"):
        async with Store.open(tmp_path / "study.db"):
            pass


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("mysql://u:hunter2@host/db", "sqlite or postgresql, not 'mysql'"),
        ("postgresql+psycopg://u:hunter2@host/db", "postgresql, not 'postgresql\\+psycopg'"),
        ("sqlite://", "must outlive the process"),
        ("://", "database URL"),
    ],
)
async def test_a_url_of_another_kind_is_refused(place, sentence):
    """Only SQLite and Postgres are accepted, and no password is repeated."""
    with pytest.raises(StoreError, match=sentence) as caught:
        async with Store.open(place):
            pass
    assert "hunter2" not in str(caught.value)


async def test_a_url_names_the_same_store_as_its_file(tmp_path):
    """`sqlite:///FILE` is the store in that file."""
    transcript = await filled(tmp_path / "study.db")
    async with Archive.open(f"sqlite:///{tmp_path / 'study.db'}") as archive:
        assert await archive.transcript(transcript.id) == transcript


FILL_UP = """
import asyncio, resource, sys
from peerjudge.data import replace
from peerjudge.errors import StoreError
from peerjudge.store import Store
from peerjudge.testing import transcript_of
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
async def main():
    transcript = transcript_of("2|1 2 1 1 1")
    kept = 0
    try:
        async with Store.open(sys.argv[1]) as store:
            async def keep(number):
                nonlocal kept
                await store.end(replace(transcript, id=f"d{number:05}"))
                kept += 1
            try:
                for start in range(0, 100_000, 50):
                    await asyncio.gather(*(keep(start + n) for n in range(50)))
            except StoreError as cause:
                print(cause)
                try:
                    await keep(100_000)
                except StoreError as again:
                    print(again)
    finally:
        print(kept)
asyncio.run(main())
"""


async def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path):
    """Waiting and later writes fail with the message, and stored turns can be read."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        FILL_UP,
        str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said, complained = await process.communicate()
    sentence, again, kept = said.decode().splitlines()[-3:]
    assert "make room, then run the same again" in sentence
    assert again == sentence
    assert complained == b""
    async with Archive.open(tmp_path) as archive:
        found = [transcript async for transcript in archive.transcripts()]
    assert len(found) == int(kept) > 0
    assert all(transcript.stop is StopReason.COMPLETE for transcript in found)


async def test_a_closed_store_refuses_writes(tmp_path):
    """Writing after closing is an error and does not wait."""
    async with Store.open(tmp_path) as store:
        pass
    with pytest.raises(StoreError, match="closed"):
        await store.end(transcript_of("1"))
