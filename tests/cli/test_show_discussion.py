"""`show discussion`: the words of discussions on one comparison, from runs and recorded reviews."""

import json

import pytest


def test_all_discussions_on_a_comparison_are_shown_with_every_word(played):
    """Each turn of each condition is printed; the question and answers once for each order shown."""
    stored = played("show", "discussion", "study", "sample-01", "--json").document
    shown = played("show", "discussion", "study", "sample-01").out
    assert len(stored) > 4
    assert {one["comparison"]["id"] for one in stored} == {"sample-01"}
    orders = {tuple(answer["id"] for answer in one["comparison"]["answers"]) for one in stored}
    assert shown.count("Question: ") == len(orders) == 2
    for one in stored:
        assert f"id {one['id']}\n" in shown
        assert one["turns"][0]["utterance"]["text"] in shown
        assert one["turns"][-1]["utterance"]["text"] in shown


def test_the_beginning_of_an_id_chooses_one_discussion(played):
    """An id can be cut, as long as it fits one discussion of the run only."""
    first, *_ = played("show", "discussion", "study", "sample-02", "--json").document
    (found,) = played("show", "discussion", "study", first["id"][:10], "--json").document
    assert found == first


def test_recorded_reviews_are_shown_as_discussions_of_lone_judges(shell):
    """A table of verdicts with texts is read as well, without a run."""
    rows = [
        {"id": "q1", "question": "What is 2 + 2?", "answer_a": "4", "answer_b": "5"}
        | {"reviewer": name, "verdict": verdict}
        for name, verdict in (("ann", "a"), ("bob", "b"))
    ]
    shell.write("data/own.jsonl", "\n".join(map(json.dumps, rows)))
    done = shell("show", "discussion", "jsonl:data/own.jsonl", "q1")
    assert done.code == 0, done.err
    assert done.out.count("Conclusion: ") == 2
    assert done.out.index("[ann (") < done.out.index("[bob (")


def test_what_is_not_there_is_said_with_what_is(played):
    """A wrong id, a missing one and an option of another kind are sentences."""
    for words, message in (
        (
            ("study", "sample-1"),
            "did you mean 'sample-01'? (its first comparisons: sample-01, sample",
        ),
        (("study", "0"), "no discussion '0'"),
        (("study",), "needs the id of a comparison or discussion"),
        (("nowhere", "q1"), "nowhere"),
    ):
        done = played("show", "discussion", *words)
        assert done.code == 2
        assert message in done.err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("protocols", "vote", "more"), "the id"),
        (("protocols", "vote", "--json"), "--json"),
        (("agents", "sim_plain", "--turn", "2"), "--turn"),
        (("discussion", "study", "sample-01", "--seat", "a=sim_weak"), "--seat"),
        (("discussion", "study", "sample-01", "--diff"), "--diff"),
        (("prompt", "quickstart", "sample-01"), "the id"),
    ],
)
def test_an_option_of_another_kind_is_refused(played, words, option):
    """Each option of `show` belongs to some kinds; with another it is an error, not ignored."""
    done = played("show", *words)
    assert done.code == 2
    assert f"{option} is not for `show {words[0]}`" in done.err


def test_prompts_are_shown_before_a_run(played):
    """Each call has its messages, its tokens and a word on what is assumed; the JSON has the same."""
    words = ("show", "prompt", "quickstart", "--condition", "strong with weak")
    shown = played(*words, "--turn", "3", "--comparison", "sample-02")
    assert shown.code == 0, shown.err
    assert "comparison sample-02" in shown.out
    assert "> [reply of sim_strong in turn 2]" in shown.out
    assert "tokens (estimated)" in shown.out
    assert shown.out.endswith("No model was called.\n")
    calls = played(*words, "--json").document
    assert [call["turn"] for call in calls] == [0, 1, 2, 3, 4, 5]
    assert calls[0]["messages"][0]["role"] == "system"
