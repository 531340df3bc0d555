"""Votes of people and judgments in the files of annotation tools and of FastChat."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import peerjudge as pj
from peerjudge.data import TIE, UNREADABLE, Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError
from peerjudge.features.exchange.exporting import FORMATS
from peerjudge.features.exchange.importing import recognize

LONG = """question;answer_a;answer_b;annotator;vote
Why?;x;y;ann;a
Why?;x;y;bob;2
Why?;y;x;cem;left
How?;x;y;ann;tie
How?;x;y;bob;
"""


def test_long_and_wide_tables_of_votes_are_the_same(write):
    """One row for each vote, or one column for each person: the same reviews and the same gold."""
    wide = "Q,A,B,Ann,Bob,Cem\nWhy?,x,y,a,2,b\nHow?,x,y,tie,,\n"
    names = {"question": "Q", "answer_a": "A", "answer_b": "B"}
    names |= {f"vote.{name.lower()}": name for name in ("Ann", "Bob", "Cem")}
    one = load(f"votes:{write('long.csv', LONG)}")
    two = load(f"votes:{write('wide.csv', wide)}", options=Options(names=names))
    assert one.humans == two.humans == ("ann", "bob", "cem")
    assert one.comparisons == two.comparisons
    found = {(each.reviewer, each.comparison, each.verdict) for each in one.reviews}
    assert found == {(each.reviewer, each.comparison, each.verdict) for each in two.reviews}
    assert [comparison.gold for comparison in one.comparisons] == [Verdict.of("b"), TIE]


def test_a_vote_may_name_the_author(write):
    """The contestant that wrote the better answer is a vote; any other text is refused."""
    row = {"question": "Why?", "answer_a": "x", "answer_b": "y", "author_a": "m1", "author_b": "m2"}
    votes = [row | {"annotator": "ann", "vote": "m2"}, row | {"annotator": "bob", "vote": "m3"}]
    data = load(f"votes:{write('one.jsonl', [votes[0]])}")
    assert data.comparisons[0].gold == Verdict.of("m2")
    with pytest.raises(
        DataError, match=r"line 1: 'vote' must be one of m1, m2, a, .*tie.*, not 'm3'"
    ):
        load(f"votes:{write('two.jsonl', [votes[1]])}")


TASK = {
    "id": 12,
    "data": {"prompt": "Why?", "text1": "x", "text2": "y"},
    "annotations": [
        {
            "completed_by": 3,
            "was_cancelled": False,
            "result": [
                {"type": "textarea", "value": {"text": ["unsure"]}},
                {"type": "pairwise", "value": {"selected": "right"}},
            ],
        },
        {
            "completed_by": {"id": 4, "email": "b@example.org"},
            "was_cancelled": False,
            "result": [{"type": "choices", "value": {"choices": ["Tie"]}}],
        },
        {
            "completed_by": 5,
            "was_cancelled": True,
            "result": [{"type": "pairwise", "value": {"selected": "left"}}],
        },
        {"completed_by": 6, "was_cancelled": False, "result": []},
    ],
}


def test_label_studio_has_votes_of_annotators(write):
    """Cancelled and empty annotations are no votes."""
    path = write("export.json", json.dumps([TASK]))
    names = {"answer_a": "text1", "answer_b": "text2"}
    data = load(f"label_studio:{path}", options=Options(names=names))
    assert {each.reviewer: each.verdict for each in data.reviews} == {
        "annotator_3": Verdict.of("b"),
        "annotator_4": TIE,
    }
    assert data.humans == ("annotator_3", "annotator_4")
    assert recognize(path, Options()) == "label_studio"
    with pytest.raises(DataError, match="there is no field 'text3' to map"):
        load(f"label_studio:{path}", options=Options(names=names | {"answer_b": "text3"}))


def test_argilla_has_votes_of_people_and_suggestions_of_models(write):
    """Responses are votes and settle gold; a suggestion is a review by its agent."""
    record = {
        "id": "r-1",
        "fields": {"prompt": "Why?", "answer_a": "x", "answer_b": "y"},
        "responses": {"better": [{"value": "b", "user_id": "u1"}, {"value": "b", "user_id": "u2"}]},
        "suggestions": {"better": {"value": "a", "score": None, "agent": "gpt-4"}},
    }
    path = write("records.json", json.dumps([record]))
    data = load(f"argilla:{path}")
    assert data.comparisons[0].gold == Verdict.of("b")
    assert data.humans == ("annotator_u1", "annotator_u2")
    assert [each.verdict for each in data.reviews if each.reviewer == "gpt-4"] == [Verdict.of("a")]
    assert recognize(path, Options()) == "argilla"


def fastchat(write):
    """Write FastChat's folder with one pair judged in both orders and one rating; return both files."""
    question = {"question_id": 81, "category": "writing", "turns": ["Write.", "Again."]}
    write("mt_bench/question.jsonl", [question])
    for model in ("m1", "m2"):
        replies = [f"{model} first", f"{model} second"]
        answer = {"question_id": 81, "model_id": model, "choices": [{"index": 0, "turns": replies}]}
        write(f"mt_bench/model_answer/{model}.jsonl", [answer])
    pair = {"question_id": 81, "model_1": "m1", "model_2": "m2", "judge": ["gpt-4", "pair-v2"]}
    pair |= {"g1_winner": "model_1", "g2_winner": "tie", "g1_judgment": "[[A]]", "turn": 1}
    rating = {"question_id": 81, "model": "m1", "judge": ["gpt-4", "single-v1"], "turn": 2}
    ratings = [rating | {"score": 9.5}, rating | {"score": -1, "model": "m2"}]
    return (
        write("mt_bench/model_judgment/gpt-4_pair.jsonl", [pair]),
        write("mt_bench/model_judgment/gpt-4_single.jsonl", ratings),
    )


def test_fastchat_judges_a_pair_in_both_orders(write):
    """The second game shows the answers swapped, and its winner is named as a model."""
    path, _ = fastchat(write)
    data = load(f"fastchat:{path}")
    assert data.comparisons[0].question.text == "Write."
    assert [answer.text for answer in data.comparisons[0].answers] == ["m1 first", "m2 first"]
    assert [(each.shown, each.verdict) for each in data.reviews] == [
        (("m1", "m2"), Verdict.of("m1")),
        (("m2", "m1"), TIE),
    ]


def test_fastchat_rates_single_answers(write):
    """A score of -1 could not be read; the second turn is shown after the first."""
    _, path = fastchat(write)
    data = load(f"fastchat:{path}")
    assert [each.scores for each in data.reviews] == [(9.5,), ()]
    assert data.reviews[1].verdict == UNREADABLE
    assert data.comparisons[0].answers[0].text.endswith("m1 second")
    assert {one.subset for one in data.comparisons} == {"turn 2"}
    assert {one.question.id for one in data.comparisons} == {"81"}


CONTESTANTS = [
    {"question": f"Q{n}?", "answer_a": "x " * n, "answer_b": "y", "author_a": "a", "author_b": "b"}
    for n in range(1, 7)
]


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory):
    """Discussions of six pairs of answers by two contestants."""
    folder = tmp_path_factory.mktemp("own")
    lines = "".join(f"{json.dumps(row)}\n" for row in CONTESTANTS)
    (folder / "own.jsonl").write_text(lines)
    pj.run_sync("leader_follower", data=str(folder / "own.jsonl"), out=folder / "run")
    return [one for one in pj.load_sync(folder / "run") if one.protocol == "leader_follower"]


def test_what_export_writes_comes_back(write, transcripts):
    """The readable stances of a run, exported for another tool, are the reviews of what is read."""
    groups: dict[tuple[str, str], list[pj.Transcript]] = {}
    for one in transcripts:
        groups.setdefault((one.condition, one.comparison.id), []).append(one)
    rows = [row for group in groups.values() for row in FORMATS["arena"].rows(group, "private")]
    path = write("rows.jsonl", rows)
    assert recognize(path, Options()) == "arena"
    data = load(f"arena:{path}")
    assert {one.id for one in data.comparisons} != set()
    told = Counter(
        (turn.cue.seat, turn.review.verdict.choice)
        for one in transcripts
        for turn in one.turns[:2]
        if turn.review is not None
    )
    assert Counter(each.verdict.choice for each in data.reviews) == Counter(
        {choice: sum(n for (_, c), n in told.items() if c == choice) for _, choice in told}
    )
