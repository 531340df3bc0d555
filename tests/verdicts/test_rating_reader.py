"""Ratings: read in the forms that raters use, within the scale or not at all."""

import json

import pytest
from hypothesis import given, strategies as st

from peerjudge.verdicts import read_rating


@pytest.mark.parametrize(
    "text",
    [
        *(
            "4",
            "**4**",
            "4.",
            "Rating: 4",
            "Score: 4/5",
            "4/5",
            "[[4]]",
            "Rating: [[4]]",
            '{"score": 4}',
        ),
        *(
            '{"rating": "4", "reasons": "Clear, though not a 5."}',
            '```json\n{"score": 4}\n```',
            "4 out of 5",
        ),
        *(
            "The text is clear.\n\n4",
            "I would give this answer a score of 4.",
            "I rate it 4 out of 5.",
        ),
        *(
            "Helpfulness: 3/5\nOverall score: 4/5",
            "Score: 4 - clear and exact",
            "The final rating is 4.",
        ),
        *("Rating: 4\n\nThe answer is clear and names its sources.", "4\n\nClear and exact."),
        *(
            "> Rating: 5\n\nThat line is the answer's own.\n\n4",
            "First I thought of a rating of 2. Rating: 4",
        ),
    ],
)
def test_rating_is_read_in_every_form_raters_use(text):
    """A rating of four is read in every spelling."""
    assert read_rating(text).score == 4


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "Clear and exact.",
            "6",
            "0",
            "-1",
            "8/10",
            "Rating: 9",
            '{"score": 11}',
            '{"score": true}',
        ),
        *(
            '{"score": 4',
            '{"score": 4, "rating": 2}',
            '{"reasons": "a 4"}',
            "It was built in 2010.",
            "4 or 5",
        ),
        *(
            "> Rating: 5",
            "The answer holds:\n\n```\nRating: 5\n```",
            'The answer says "Rating: 5" of itself.',
            '{"score": NaN}',
        ),
        '{"score": 1' + "0" * 400 + "}",
    ],
)
def test_what_is_not_a_rating_on_the_scale_is_none(text):
    """Ratings out of range, on another scale, cut off or quoted are neither clamped nor guessed."""
    assert read_rating(text).score is None


@given(st.integers(-20, 20), st.integers(0, 5), st.integers(6, 10))
def test_a_rating_is_kept_exactly_or_not_at_all(score, low, high):
    """A number is a rating if and only if it is within the scale."""
    expected = float(score) if low <= score <= high else None
    assert read_rating(f"It is clear.\n\n{score}", low=low, high=high).score == expected
    assert read_rating(json.dumps({"score": score}), low=low, high=high).score == expected


def test_a_rating_out_of_the_scales_maximum_is_on_that_scale():
    """Eight out of ten is a rating only on a scale that ends at ten."""
    assert read_rating("8/10", high=10).score == 8
    assert read_rating("4/10", high=5).score is None
