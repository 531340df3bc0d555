"""`talk` as a user runs it."""

import json

import peerjudge as pj


def test_a_run_and_its_frame_have_the_same_talk(played):
    """JSON of the command is the document of the function, from the run and from the frame of its ballots."""
    printed = played("talk", "study", "--json").document
    study = played.folder / "study"
    assert printed == pj.talk(study).document() == pj.talk(pj.ballots_df(study)).document()
    assert {row["condition"] for row in printed["rows"]} <= set(
        pj.discussions_df(study)["condition"]
    )
    shown = played("talk", "study").out
    assert "Does talking help?" in shown
    assert "simulated" in shown.splitlines()[0].lower()


def test_the_report_has_the_table_below_the_ways_to_judge(played):
    """The page has the section and the figure of drift, and report.json the same numbers."""
    study = played.folder / "study"
    found = pj.report(study)
    added = found.document()["added"]["talk"]
    assert added == json.loads(json.dumps(pj.talk(study).document()))
    page = found.save(played.folder / "talk.html").read_text("utf-8")
    assert page.index('<h2 id="ways">') < page.index('<h2 id="talk">')
    assert "figure-drift" in page


def test_the_shipped_experiment_has_a_placebo_and_a_vote(shell):
    """`does_talking_help` answers over nobody and over the vote with its own conditions."""
    words = ("run", "does_talking_help", "--limit", "8", "--out", "helps", "--display", "none")
    assert shell(*words).code == 0
    (row,) = shell("talk", "helps", "--json").document["rows"]
    assert row["nobody"] == "hears nothing"
    assert row["over_nobody"]["difference"]["n"] > 0
    assert row["over_vote"]["difference"]["n"] == 8
    assert row["so"].startswith("Talking ")
