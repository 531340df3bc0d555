"""Reviewers of a ranking by name, by pattern, and all people together."""


def test_people_rank_together_and_by_pattern(shell, verdicts):
    """MT-Bench names each person: `human` is all of them, and `expert_*` the experts."""
    source = verdicts("mtbench")
    words = ("rank", source, "--bootstrap", "0", "--json", "--reviewers")
    human, experts = shell(*words, "human").document, shell(*words, "expert_*").document
    assert human["reviewers"] == ["human"]
    assert len(human["contestants"]) == 6
    assert human["contestants"]["gpt-4"]["rank"] == 1
    assert all(name.startswith("expert_") for name in experts["reviewers"])
    unknown = shell(*words, "nobody_*")
    assert (unknown.code, "nobody_*" in unknown.err) == (2, True)
