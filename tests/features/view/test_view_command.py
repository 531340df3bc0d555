"""`peerjudge view` as a user starts it: an address on stdout, pages, and a clean end."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.web.conftest import RUN, keep, list_discussions

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")


def start(folder, *words):
    """Start the viewer on a free port, and return it with the address of its first link."""
    env = {**os.environ, "PEERJUDGE_CACHE_DIR": str(folder / "cache")}
    viewer = subprocess.Popen(
        [PEERJUDGE, "view", *words, "--port", "0"],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return viewer, viewer.stdout.readline().strip()


async def test_the_printed_link_opens_the_runs_of_a_folder(tmp_path):
    """A folder of run folders is one library; the link signs in, and Ctrl-C ends with 0."""
    await keep(tmp_path / "runs" / "one", list_discussions())
    await keep(tmp_path / "runs" / "same", list_discussions()[:2])
    await keep(tmp_path / "runs" / "two", list_discussions(), run="fedcba9876543210")
    viewer, link = start(tmp_path, "runs")
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/open\?key=\S{20,}", link)
        try:
            async with httpx.AsyncClient(follow_redirects=True) as client:
                page = (await client.get(link)).text
        except httpx.TransportError as cause:
            viewer.terminate()
            said = viewer.communicate(timeout=20)
            pytest.fail(f"{cause!r}; the viewer ended with {viewer.returncode} and said {said}")
        assert f"/r/{RUN[:12]}" in page
        assert f"/r/{RUN[:12]}-2" in page, (
            "the same experiment in another folder is a run of its own"
        )
        assert "/r/fedcba987654" in page
    finally:
        viewer.send_signal(signal.SIGINT)
        out, err = viewer.communicate(timeout=20)
    assert viewer.returncode == 0, err
    assert "/open?key=" in out, "the next link follows"
    assert "Viewing 3 runs, read-only" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name what to show"),
        (("nowhere",), "there is no run folder nowhere"),
        (("empty",), "holds no run"),
    ],
)
def test_a_source_that_is_no_run_is_a_usage_error(tmp_path, commands, words, sentence):
    """Without a run there is no server, and the sentence says what is missing."""
    (tmp_path / "empty").mkdir()
    told = commands.run(tmp_path, "view", *words)
    assert (told.code, told.out) == (2, "")
    assert sentence in told.err
