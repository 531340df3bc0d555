"""The laws of reading: total, local to the end of a reply, and blind to which answer is which."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import Outcome
from peerjudge.verdicts import RULES as READING_RULES, Reading, read_verdict

WORDS = st.sampled_from(
    [
        "1",
        "2",
        "3",
        "\n",
        "Output (a)",
        "Output (b)",
        "Answer (a)",
        "Summary (b)",
        "Answer b",
        "a",
        "is better",
        "I choose",
        "Answer 1",
        ">",
        "```",
        '"',
        "[[A]]",
        "{",
        "}",
        '"choice":',
        "tie",
        "not",
        "if",
        "Therefore,",
        ".",
        "8/10",
        "<think>",
        "while",
        "[The Start of x]",
        "</answer>",
        "I'm sorry, but I can't",
        "both",
        "equal",
        "than",
        "worse",
        "C",
    ]
)
REPLIES = st.one_of(st.text(), st.lists(WORDS, max_size=30).map(" ".join))
NEUTRAL = st.lists(
    st.sampled_from(
        [
            "The question asks how rivers form.",
            "Rain falls on hills and runs to the sea.",
            "A good reply would name erosion and slope.",
            "It rained for 40 days in 1997, so the gauge read 12.5 cm.",
            "Both texts describe the same valley.",
        ]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)
CLOSINGS = st.sampled_from(
    [
        "1",
        "2",
        "3",
        "**2**",
        "[[A]]",
        "[[B]]",
        "Choice: 3",
        "Output: 2",
        "Output (a)",
        "Output (b) is better.",
        "Answer (a)",
        '"Answer (b)"',
        "Choice: Answer (b)",
        "Summary (b)",
        "Response B",
        "Answer a",
        '{"choice": 1}',
        '```json\n{"winner": "B"}\n```',
        "Therefore, I choose 1 as the better answer.",
        "I would choose Assistant 2.",
        "Answer 1 is better.",
        "The two answers are equivalent.",
        "Tie",
    ]
)
SENTENCES = st.sampled_from(
    [
        "{x} is better.",
        "I choose {x}.",
        "I would choose {x} over {y}.",
        "{x} is better than {y}.",
        "Therefore, {x} is the better answer.",
        "{y} is more detailed. However, I prefer {x}.",
        "While {y} is longer, {x} is better.",
        "The better answer is {x}.",
        "The other reviewer says that {y} is better. I choose {x}.",
        "I would give {x} a slight edge over {y}.",
        "I would rate {x} as better than {y}.",
        "Although {y} is shorter, I would recommend that users choose {x}.",
        "Verdict: {x}",
        "{y} is better in style.\n\nOn the facts I disagree.\n\n{x}",
    ]
)
NAMINGS = st.sampled_from(
    [
        ("Assistant 1", "Assistant 2"),
        ("Answer 1", "Answer 2"),
        ("Output (a)", "Output (b)"),
        ("Answer (a)", "Answer (b)"),
        ("Summary (a)", "Summary (b)"),
        ("Text (a)", "Text (b)"),
        ("Response A", "Response B"),
        ("the first answer", "the second answer"),
        ("Assistant 1's answer", "Assistant 2's answer"),
        ("option (1)", "option (2)"),
    ]
)
RULES = {"empty", "nothing of its own", "no verdict"} | {name for name, _ in READING_RULES}


@given(REPLIES, st.integers(2, 4), st.booleans())
def test_every_text_has_exactly_one_reading(text, answers, ties):
    """Reading never fails; it returns one of the shown answers, or none and the rule."""
    reading = read_verdict(text, answers=answers, ties=ties)
    assert reading == read_verdict(text, answers=answers, ties=ties)
    assert (reading.position is not None) == (reading.outcome is Outcome.CHOICE)
    assert reading.position is None or 0 <= reading.position < answers
    assert ties or reading.outcome is not Outcome.TIE
    assert reading.rule.partition(",")[0] in RULES


@given(
    NEUTRAL,
    st.integers(1, 4),
    st.integers(2, 4),
    st.sampled_from(["{}", "**{}**", "{}.", "[[{}]]", "({})"]),
)
def test_a_bare_digit_on_its_own_last_line_is_the_verdict(prose, digit, answers, mark):
    """The requested form is always read, after any prose."""
    reading = read_verdict(f"{prose}\n\n{mark.format(digit)}", answers=answers)
    if digit <= answers:
        assert reading == Reading(Outcome.CHOICE, digit - 1, "last-line number")
    elif digit == answers + 1:
        assert reading == Reading(Outcome.TIE, None, "last-line number")
    else:
        assert reading.outcome is Outcome.UNREADABLE


@given(NEUTRAL, CLOSINGS)
def test_neutral_prose_before_a_verdict_does_not_change_it(prose, closing):
    """Sentences about the task do not affect the verdict."""
    alone, prefixed = read_verdict(closing), read_verdict(f"{prose}\n\n{closing}")
    assert alone.outcome in (Outcome.CHOICE, Outcome.TIE)
    assert (prefixed.outcome, prefixed.position) == (alone.outcome, alone.position)


@given(SENTENCES, NAMINGS)
def test_swapping_the_names_swaps_the_position(sentence, naming):
    """A verdict sentence speaks for the answer it names, the same way for each of them."""
    first, second = naming
    assert read_verdict(sentence.format(x=first, y=second)).position == 0
    assert read_verdict(sentence.format(x=second, y=first)).position == 1


@given(SENTENCES, NAMINGS)
def test_a_verdict_in_quotation_is_not_the_reviewers(sentence, naming):
    """Text in a block quote or a code fence is never the verdict."""
    first, second = naming
    said = sentence.format(x=first, y=second)
    quoted = "\n".join(f"> {line}" for line in said.split("\n"))
    fenced = f"```\n{said}\n```"
    for block in (quoted, fenced):
        told = f"The text holds these lines:\n\n{block}\n"
        assert read_verdict(told).outcome is Outcome.UNREADABLE
        assert read_verdict(f"{told}\n2").position == 1


@given(st.integers(1, 3), st.permutations(["choice", "reasons", "confidence"]))
def test_the_order_of_json_keys_does_not_matter(choice, keys):
    """A JSON verdict is read by its key, before or after any reasons."""
    members = {"choice": choice, "reasons": "Answer 2 is better written.", "confidence": 0.9}
    text = json.dumps({key: members[key] for key in keys})
    assert read_verdict(text).rule == "closing JSON"
    assert read_verdict(text) == read_verdict(json.dumps({"choice": choice}))


@given(st.integers(1, 2), st.data())
def test_json_that_is_cut_off_is_never_a_verdict(choice, data):
    """A JSON object without its end has no verdict."""
    text = json.dumps({"reasons": "Therefore, Answer 2 is better.", "choice": choice})
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert read_verdict(cut).outcome is Outcome.UNREADABLE


LINES = st.sampled_from(
    [
        *("1", "2", "3", "A", "**2**", "Answer 1", "The second response.", "tie", "1.", "", "   "),
        *("Answer (a)", "**Answer (b)**", "> Answer (b)", "# Answer (a)", "Answer b", "a"),
        *("1. Answer 1 is short.", "1. Clear", "Verdict: 1", "I choose Answer 1.", "I choose:"),
        "Answer 1 (because it covers all that was asked, and the other does not)",
        "All in all I prefer Answer 2, which keeps to the instruction.",
        "The other reviewer says:",
        "Answer 2 ends with this line:",
        "Correction: 1",
        "[[A]] or [[B]]",
    ]
)


@settings(max_examples=300)
@given(
    st.lists(LINES, max_size=5),
    st.sampled_from(
        [*"1234", *(f"{lead}Answer ({x})" for x in "abc" for lead in ("", "Choice: "))]
    ),
    st.booleans(),
)
def test_the_fast_path_agrees_with_the_full_reader(lines, last, ties):
    """Trailing white space, which disables the fast path, changes no reading."""
    text = "\n".join([*lines, last])
    assert read_verdict(text, ties=ties) == read_verdict(f"{text} ", ties=ties)


@pytest.mark.parametrize(
    "text",
    [
        "(a) is more detailed, but (b) is easier to read.",
        "Answer 1 is more detailed, but Answer 2 is better organized.",
        "(a) is more detailed, whereas (b) is easier to read.",
        "(a) is more detailed. (b) is easier to read.",
        "(a) is more detailed. However, (b) answers the question.",
    ],
)
def test_one_merit_of_each_answer_is_no_verdict(text):
    """A reviewer that praises both answers has not chosen, and a guess would be wrong as often as right."""
    assert read_verdict(text).outcome is Outcome.UNREADABLE


@pytest.mark.parametrize(
    ("argument", "rule"),
    [
        ("Answer (a) is short. Therefore, Answer (b) is better.", "closing JSON"),
        (
            "Answer (b) is short. Therefore, Answer (a) is better.",
            "closing JSON, against its argument",
        ),
        ("Both name the cause.", "closing JSON"),
    ],
)
def test_a_choice_against_its_argument_is_marked_and_not_repaired(argument, rule):
    """The choice counts; its rule says that the argument concludes with another answer."""
    text = json.dumps({"argument": argument, "choice": "Answer (b)"})
    assert read_verdict(text) == Reading(Outcome.CHOICE, 1, rule)


def test_a_reviewer_that_chooses_none_in_json_has_no_verdict():
    """It states that it chooses no answer, which is neither a tie nor a refusal."""
    reading = read_verdict('{"argument": "Neither.", "choice": "none"}')
    assert reading == Reading(Outcome.UNREADABLE, None, "closing JSON, none chosen")
