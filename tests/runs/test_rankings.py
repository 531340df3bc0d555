"""Rankings from the sources that the data frames read."""

import pytest
import structlog

import peerjudge as pj
from peerjudge.analysis import build_tournament, collect_transcripts
from peerjudge.errors import DataError
from peerjudge.runs.manifest import read_manifest, record_manifest
from peerjudge.store import Store


async def test_a_ranking_takes_a_path_discussions_or_a_tournament(small, tmp_path):
    """`pj.rank` and `pj.peer_rank` read the same sources as the data frames, also in a notebook."""
    folder = str(tmp_path / "study")
    await pj.run(small, out=folder, limit=4)
    transcripts = await pj.load(folder)
    tournament = build_tournament(collect_transcripts(transcripts).of_stance("private"))
    expected = pj.rank(tournament, bootstrap=0).ranking
    assert pj.rank(folder, bootstrap=0).ranking == expected
    assert pj.rank(transcripts, bootstrap=0).ranking == expected
    assert pj.peer_rank(folder).weights == pj.peer_rank(tournament).weights
    with pytest.raises(DataError, match="elsewhere"):
        pj.rank(str(tmp_path / "elsewhere"))


async def test_a_run_whose_results_chose_its_comparisons_is_read_with_a_sentence(small, tmp_path):
    """A stored manifest may say that results chose what was played, which no option does any more."""
    folder = tmp_path / "study"
    await pj.run(small, out=folder, limit=4)
    async with Store.open(folder) as store:
        await record_manifest(store, folder, {**read_manifest(folder), "next": "open"})
    with structlog.testing.capture_logs() as logged:
        await pj.load(folder)
    (event,) = logged
    assert "was played with --next open, which no longer exists" in event["event"]
    assert "rank a run in plain order" in event["event"]
