"""How discussions went."""

from peerjudge.analysis.findings import build_findings
from peerjudge.analysis.outcomes import Course
from peerjudge.data import Role, StopReason, Transcript
from tests.analysis import analysis_kit as kit


def told(moves: str, number: int = 1, **changes) -> Transcript:
    """A discussion of two, by default one in which the first answer is gold."""
    return kit.told(moves, f"c{number}", **changes)


def courses(*transcripts: Transcript) -> tuple[Course, ...]:
    """The courses that were found."""
    return build_findings(transcripts).courses


def stands(course: Course) -> list[str]:
    """What each verdict named."""
    return [step.stand for step in course.steps]


def test_the_commonest_course_comes_first() -> None:
    """Courses are counted and are shares of the discussions of their condition."""
    first, second = courses(told("2|1 1 1", 1), told("1|1 1 1", 2), told("2|1 1 1", 3))
    assert (first.discussions, second.discussions) == (2, 1)
    assert stands(first) == ["other", "gold", "gold", "gold"]
    assert first.share.n == 3
    assert first.share.low <= first.share.value <= first.share.high


def test_the_shown_order_does_not_matter_to_a_course() -> None:
    """A verdict stands for gold or not, wherever gold was shown."""
    (course,) = courses(told("2|1 1 1", 1), told("1|2 2 2", 2, swap=True))
    assert course.discussions == 2


def test_steps_say_whose_they_are_and_which_were_private() -> None:
    """Leader and follower take turns after their private reviews; what cannot be read is kept."""
    (course,) = courses(told("?|= 1 2"))
    assert stands(course) == ["unreadable", "tie", "gold", "other"]
    assert [step.private for step in course.steps] == [True, True, False, False]
    assert [step.role for step in course.steps] == [Role.LEADER, Role.FOLLOWER] * 2


def test_only_ended_discussions_with_a_gold_answer_have_a_course() -> None:
    """A vote, an unfinished discussion and one without gold are left out, and at most six are kept."""
    assert courses(told("1|2", 1)) == ()
    assert courses(told("1|1 1", 1, stop=None)) == ()
    assert courses(told("1|1", 1, stop=StopReason.FAILED)) == ()
    assert courses(told("1|1 1 1", 1, gold=None)) == ()
    ways = ["1|1 1 1", "2|1 1 1", "1|2 1 1", "1|1 2 1", "1|1 1 2", "2|2 1 1", "2|2 2 2", "1|2 2 2"]
    assert len(courses(*(told(way, number) for number, way in enumerate(ways)))) == 6
