"""Sentences at the head of a report."""

from peerjudge.analysis.findings import FindingsCollector, build_findings
from peerjudge.analysis.stopping import Decision
from peerjudge.data import Measurement, Primary, Transcript, replace
from peerjudge.results.contrasts import describe_decision
from peerjudge.results.sentences import summarize_findings
from peerjudge.testing import comparison_of, seats_of, transcript_of

ANN, BOB = (
    replace(seat, reviewer=name) for seat, name in zip(seats_of(2), ("ann", "bob"), strict=True)
)


def told(moves: str, number: int, condition: str, seats=(ANN, BOB)) -> Transcript:
    """Return a discussion whose gold is the first answer."""
    comparison = comparison_of(2, gold=1, name=f"c{number}")
    return transcript_of(moves, comparison=comparison, seats=seats, condition=condition)


def test_every_sentence_has_its_interval_and_losses_are_counted(findings):
    """The first lines state their uncertainty, and how many discussions are missing."""
    seat, vote, recommended, moved, first, lost = summarize_findings(findings)
    assert seat.startswith(
        "No discussion is shown to differ from its better seat alone, asked once ("
        "\u201c\u2068ann with bob\u2069\u201d"
    )
    assert "a vote of its reviewers with as many calls" in vote
    for said in (seat, vote, moved):
        assert said.count("[") == said.count("]") > 0
    assert (
        recommended == f"{findings.ways.questions} questions are too few to tell these ways apart."
    )
    assert first.startswith("Ranked first of 2: ")
    assert lost == "Of 11 discussions, 1 failed and 1 have not ended."


def test_the_headline_covers_all_conditions_and_says_harm_as_loudly_as_help():
    """No best condition is picked; a better and a worse one stand in one sentence with their bounds."""
    better = [told("2|2 1 1", n, "good talk") for n in range(12)]
    worse = [told("1|1 2 2", n, "bad talk") for n in range(12)]
    same = [told("1|1 1 1", n, "idle talk") for n in range(12)]
    (said, *_) = summarize_findings(build_findings([*better, *worse, *same]))
    assert said.startswith(
        "Discussing in 1 of 3 conditions is shown to be more often right than its better seat alone, "
        "asked once (\u201c\u2068good talk\u2069\u201d +100"
    )
    assert "1 of 3 conditions is shown to be less often right than" in said
    assert "(\u201c\u2068bad talk\u2069\u201d \u2212100" in said
    assert "; not shown for 1 more (\u201c\u2068idle talk\u2069\u201d 0" in said


def test_a_difference_between_leading_and_following_is_claimed_only_where_it_is_shown():
    """Leaders hold and followers alter in every discussion: shown by 20 questions, and not by two."""

    def said(questions: int) -> str:
        bob_leads = (replace(ANN, reviewer="bob"), replace(BOB, reviewer="ann"))
        played = [
            told("1|2 1 1", n, "talk", seats)
            for n in range(questions)
            for seats in ((ANN, BOB), bob_leads)
        ]
        sentences = summarize_findings(build_findings(played))
        (leading,) = (one for one in sentences if one.startswith("Leading"))
        return leading

    assert said(2).startswith("Leading rather than following is not shown to change")
    assert said(20).startswith("Leading rather than following changed how often")


def test_a_declared_contrast_comes_first(run):
    """The first sentence is that of the primary contrast, with its own p-value."""
    primary = Primary(condition="ann with bob", alternative="vote")
    (said, *_) = summarize_findings(build_findings(run, primary=primary))
    assert said.startswith(
        "The declared contrast, \u201c\u2068ann with bob\u2069\u201d over a vote"
    )
    assert "(interval of this contrast alone, p\u00a0=\u00a0" in said
    missing = Primary(condition="ann with bob", alternative="self-consistency")
    (said, *_) = summarize_findings(build_findings(run, primary=missing))
    assert "cannot be measured: no vote of" in said


def test_a_run_without_discussions_has_no_sentences():
    """No sentence is made of missing numbers."""
    assert summarize_findings(build_findings(())) == []


def test_a_stopped_run_states_the_interval_of_its_last_look(run):
    """The last look comes first, instead of the test for a fixed number of questions."""
    bounds = {"value": 0.12, "n": 35, "level": 0.95}
    decision = Decision(
        rule="decided",
        contrast="talk over better seat",
        outcome="better",
        look=6,
        questions=35,
        available=90,
        anytime=Measurement(**bounds, low=0.03, high=0.2),
        usual=Measurement(**bounds, low=0.06, high=0.18),
    )
    primary = Primary(condition="talk", alternative="better seat")
    collector = FindingsCollector()
    for transcript in run:
        collector.add(transcript)
    (said, *rest) = summarize_findings(collector.findings(primary=primary, decision=decision))
    assert "Stopped at look 6, after 35 of 90 questions in random order" in said
    assert "is above 0, +12 [+3, +20] points (95% at all looks together)" in said
    assert not any("declared contrast" in one for one in rest)
    undecided = replace(decision, outcome="undecided", continued=True)
    assert "Not stopped at look 6" in describe_decision(undecided)
    assert describe_decision(undecided).endswith("continued after this look without the rule.")
    precise = replace(decision, outcome="precise", rule="ci<0.1")
    assert "+12 [+6, +18]" in describe_decision(precise)
