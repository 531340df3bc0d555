"""`peerjudge rank --control` on a small run."""

import peerjudge as pj
from peerjudge.results.columns import COLUMNS


def test_ranks_at_equal_style_stand_beside_the_plain_ones(played, monkeypatch):
    """`rank --control` prints both rankings and the coefficients; its JSON extends that of `rank`."""
    words = ("rank", "study", "--control", "position,length,markdown", "--prior", "1")
    shown = played(*words).out
    assert "Rank, controlled" in shown
    assert "Effect of style on being chosen" in shown
    document = played(*words, "--json").document
    assert document["scoring"] == "bradley-terry"
    plain = ("rank", "study", "--scoring", "bradley-terry", "--prior", "1", "--json")
    assert document["contestants"] == played(*plain).document["contestants"]
    held = document["controlled"]
    assert held["contestants"].keys() == document["contestants"].keys()
    assert "position" in [one["feature"] for one in held["coefficients"]]
    monkeypatch.chdir(played.folder)
    found = pj.rank_styles("study", controls=("position", "length", "markdown"), prior=1.0)
    assert found.document() == document
    assert list(found.df.columns) == list(COLUMNS[found.frame])


def test_style_control_is_refused_where_it_means_nothing(played):
    """Another scoring or an unknown style: a usage error with what to do."""
    for words, said in (
        (("--control", "length", "--scoring", "elo"), "use --scoring bradley-terry, not elo"),
        (("--control", "colour"), "choose of position, length, markdown"),
    ):
        outcome = played("rank", "study", *words)
        assert outcome.code == 2
        assert said in outcome.err
