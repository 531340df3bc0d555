"""Rankings from the sources that the data frames read."""

import pytest

import peerjudge as pj
from peerjudge.analysis import build_tournament, collect_transcripts
from peerjudge.errors import DataError


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
