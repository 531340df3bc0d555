"""`peerjudge model` and `peerjudge rank --control` on a small run."""


def test_a_run_has_a_model_of_its_verdicts(played):
    """`model` has abilities, position and the discussions of a run, with intervals by question."""
    document = played("model", "study", "--json").document
    terms = {(one["term"], one["name"]) for one in document["effects"]}
    assert {("ability", "sim_strong"), ("position", "sim_weak"), ("turn", "")} <= terms
    assert any(term == "discussion" for term, _ in terms)
    assert all(one["value"]["low"] < one["value"]["high"] for one in document["effects"])
    assert document["simulated"]
    shown = played("model", "study", "--pooled").out
    assert "Effects on a verdict, all else equal, in log-odds" in shown
    assert "Simulated reviewers" in shown
    assert "Left out: " in shown
    assert "Conditions are compared with 'plain with itself'." in shown
    assert "<U+" not in shown


def test_ranks_at_equal_style_stand_beside_the_plain_ones(played):
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


def test_style_control_is_refused_where_it_means_nothing(played):
    """Another scoring or an unknown style: a usage error with what to do."""
    for words, said in (
        (("--control", "length", "--scoring", "elo"), "use --scoring bradley-terry, not elo"),
        (("--control", "colour"), "choose of position, length, markdown"),
    ):
        outcome = played("rank", "study", *words)
        assert outcome.code == 2
        assert said in outcome.err
