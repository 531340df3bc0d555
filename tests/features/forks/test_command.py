"""`peerjudge fork`: estimate, JSON document and errors."""

ASKED = ("fork", "study", "--at", "2", "--where", "condition=strong with weak")


def test_a_dry_run_of_forks_counts_their_own_turns_alone(played):
    """Nothing is written, and kept turns are no calls."""
    words = (*ASKED, "--set", "leader=other", "--draws", "1", "--dry-run", "--json")
    document = played(*words).document
    # Six comparisons in two orders under two leaders, with and without the change.
    assert document["discussions"] == 48
    assert document["calls"] == 48 * 4
    assert not (played.folder / "study" / "forks").exists()


def test_forks_print_one_document(played):
    """Table, refusals and summary are one JSON document; without JSON the folder is named."""
    outcome = played(*ASKED, "--draws", "1", "--name", "floor", "--json", "--display", "none")
    assert outcome.code == 0
    document = outcome.document
    assert document["folder"] == "study/forks/floor"
    assert document["rows"][0]["plays"] == document["summary"]["discussions"]["done"] == 24
    assert "forks   study/forks/floor" in played(*ASKED, "--draws", "1", "--name", "floor").out


def test_a_wrong_fork_spends_nothing(played):
    """Usage errors exit with 2 and say what to do."""
    for words, message in (
        (("--set", "turn.2=x"), "--at 2 keeps turn.0 to turn.1"),
        (("--set", "colour=red"), "a fork cannot change 'colour'"),
        (("--name", "a/b", "--draws", "1"), "--name is the name of a folder"),
        (("--draws", "-1"), "--at and --draws are 0 or more, not -1"),
    ):
        outcome = played(*ASKED, *words)
        assert outcome.code == 2
        assert message in outcome.err


def test_forks_without_a_change_are_asked_for(played):
    """A fork that names no change plays nothing, unless the redraws are what is wanted."""
    done = played("fork", "study", "--at", "2")
    assert done.code == 2
    assert "forks need a change" in done.err
    assert not list((played.folder / "study" / "forks").glob("at-2-*"))


def test_the_estimate_comes_before_the_first_call(played):
    """Calls, tokens, cost and the limit are on stderr before the progress."""
    words = (
        *ASKED,
        "--set",
        "leader=other",
        "--draws",
        "1",
        "--name",
        "told",
        "--display",
        "plain",
    )
    done = played(*words, "--token-limit", "9000000")
    assert done.code == 0
    first, *_ = done.err.splitlines()
    assert "48 forks of 24 discussions: at most 192 simulated calls" in first
    assert first.endswith("cost: $0.00; stops at 9,000,000 tokens")
