"""`show discussion`: the words of discussions on one comparison, from runs and recorded reviews."""

import json


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
    done = played("show", "protocols", "vote", "more")
    assert done.code == 2
    assert "'more' is for `show discussion RUN ID`" in done.err
