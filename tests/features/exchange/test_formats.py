"""Files of other tools become comparisons and reviews; each sample follows a published layout."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from peerjudge.analysis import collect_reviews, measure_position
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import TIE, UNREADABLE, Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options
from peerjudge.errors import DataError


def chat(*texts):
    """Return messages, the user first."""
    return [
        {"role": ("user", "assistant")[place % 2], "content": text}
        for place, text in enumerate(texts)
    ]


def battle(**changed):
    """Return a row of an arena."""
    return {
        "question_id": "58210e39",
        "model_a": "alpaca-13b",
        "model_b": "koala-13b",
        "winner": "model_a",
        "judge": "arena_user_973",
        "conversation_a": chat("Why is the sky blue?", "Air scatters blue light."),
        "conversation_b": chat("Why is the sky blue?", "It mirrors the sea."),
        "turn": 1,
        "language": "English",
        **changed,
    }


def test_a_battle_is_a_vote_on_two_conversations(write):
    """The question is the first message, the answers are the replies, and the user's vote is gold."""
    data = load(f"arena:{write('battles.json', json.dumps([battle()]))}")
    (one,) = data.comparisons
    assert one.question.text == "Why is the sky blue?"
    assert [answer.author for answer in one.answers] == ["alpaca-13b", "koala-13b"]
    assert one.gold == Verdict.of("alpaca-13b")
    assert data.humans == ("arena_user_973",)


def test_both_orders_of_a_battle_are_one_comparison(write):
    """A file that lists the models the other way round has the same comparison and another order shown."""
    swapped = battle(
        model_a="koala-13b",
        model_b="alpaca-13b",
        conversation_a=battle()["conversation_b"],
        conversation_b=battle()["conversation_a"],
        winner="model_b",
        judge="arena_user_1",
    )
    data = load(f"arena:{write('battles.jsonl', [battle(), swapped])}")
    assert len(data.comparisons) == 1
    assert [review.shown[0] for review in data.reviews] == ["alpaca-13b", "koala-13b"]
    assert {review.verdict for review in data.reviews} == {Verdict.of("alpaca-13b")}


def test_later_releases_have_parts_sessions_and_a_bad_pair(write):
    """Content may be a list of parts, the session names the judge, and two bad answers are a tie."""
    row = battle(
        winner="both_bad",
        evaluation_session_id="s-1",
        id="q-1",
        conversation_a=[
            {"role": "user", "content": [{"type": "text", "text": "Draw a cat."}, {"image": "x"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "=^.^="}]},
        ],
        conversation_b=chat("Draw a cat.", "I cannot."),
    )
    del row["judge"], row["question_id"]
    data = load(f"arena:{write('battles.jsonl', [row])}")
    assert data.comparisons[0].answers[0].text == "=^.^="
    assert data.comparisons[0].gold == TIE
    assert data.humans == ("s-1",)


def test_the_table_of_a_competition_has_flags_for_the_winner(write):
    """In CSV, prompts and responses are JSON lists of turns, and one of three flags is 1."""
    table = (
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        '7,m1,m2,"[""Hi"",""More""]","[""Hello"",null]","[""Hey"",""Sure""]",0,1,0\n'
    )
    (one,) = load(f"arena:{write('train.csv', table)}").comparisons
    assert one.question.text == "Hi"
    assert one.answers[1].text == "Assistant:\nHey\n\nUser:\nMore\n\nAssistant:\nSure"
    assert one.gold == Verdict.of("m2")


def test_battles_without_texts_can_be_ranked_only(write):
    """Each row is a question of its own, and the dataset says that its answers have no texts."""
    rows = [
        {"model_a": "m1", "model_b": "m2", "winner": winner} for winner in ("model_a", "tie", "tie")
    ]
    data = load(f"arena:{write('battles.jsonl', rows)}")
    assert len(data.comparisons) == len({one.question.id for one in data.comparisons}) == 3
    assert "no texts of answers" in data.missing_texts
    assert len(build_tournament(collect_reviews(data), reviewers=list(data.humans)).score) == 3


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from(["model_a", "model_b", "tie"])), min_size=1)
)
def test_the_order_of_the_models_does_not_change_who_won(tmp_path_factory, votes):
    """Battles with both models and the winner swapped give the same verdicts on the same comparisons."""
    other = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}

    def read(*, swap):
        rows = [
            {
                "question_id": number,
                "model_a": "m2" if flip != swap else "m1",
                "model_b": "m1" if flip != swap else "m2",
                "winner": other[winner] if swap else winner,
            }
            for number, (flip, winner) in enumerate(votes)
        ]
        path = tmp_path_factory.mktemp("arena") / "battles.json"
        path.write_text(json.dumps(rows))
        return load(f"arena:{path}")

    one, two = read(swap=False), read(swap=True)
    assert one.comparisons == two.comparisons
    assert [each.verdict for each in one.reviews] == [each.verdict for each in two.reviews]


def annotation(**changed):
    """Return a row of AlpacaEval."""
    return {
        "instruction": "Name a prime.",
        "output_1": "4",
        "output_2": "7",
        "generator_1": "base",
        "generator_2": "mine",
        "annotator": "gpt-4",
        "preference": 2.0,
        "raw_completion": "m is better",
        **changed,
    }


def test_alpaca_evals_order_is_not_known(write):
    """Position bias leaves the judge out, because AlpacaEval hides the order in which it asked."""
    rows = [
        annotation(),
        annotation(instruction="Name an even number.", preference=1.5),
        annotation(instruction="Name a colour.", preference=None),
        annotation(instruction="Name a city.", preference=1.2),
    ]
    data = load(f"alpaca_eval:{write('annotations.json', json.dumps(rows))}")
    verdicts = [review.verdict for review in data.reviews]
    assert verdicts == [Verdict.of("mine"), TIE, UNREADABLE, Verdict.of("base")]
    assert data.unordered == ("gpt-4",)
    assert measure_position(collect_reviews(data)) == ()


def test_reward_bench_has_gold_and_no_reviews(write):
    """The chosen answer is gold; a question of version 2 is a choice of four; Ties is refused."""
    first = {"id": 3, "prompt": "p", "chosen": "yes", "rejected": "no", "subset": "alpacaeval-easy"}
    first |= {"chosen_model": "gpt4", "rejected_model": "llama"}
    second = {
        "id": "9",
        "prompt": "q",
        "chosen": ["a"],
        "rejected": ["b", "c", "d"],
        "subset": "Math",
    }
    data = load(f"reward_bench:{write('bench.jsonl', [first, second])}")
    golds = {
        one.subset: [each.text for each in one.answers if Verdict.of(each.id) == one.gold]
        for one in data.comparisons
    }
    assert golds == {"alpacaeval-easy": ["yes"], "Math": ["a"]}
    assert not data.reviews
    ties = second | {"chosen": ["a", "e"], "subset": "Ties"}
    with pytest.raises(DataError, match=r"line 1: 2 chosen and 3 rejected answers"):
        load(f"reward_bench:{write('ties.jsonl', [ties])}")


def test_judge_bench_swaps_the_second_judgment(write):
    """`A>B` in the second judgment means that the answer B of the file won, which was shown first."""
    row = {
        "pair_id": "p-1",
        "source": "mmlu-pro-law",
        "question": "q",
        "response_model": "gpt-4o",
        "response_A": "right",
        "response_B": "wrong",
        "label": "A>B",
        "judge_name": "arena_hard",
        "judgments": [
            {"judgment": {"judge_model": "o1", "response": "[[A>B]]"}, "decision": "A>B"},
            {"judgment": {"judge_model": "o1", "response": "[[B>A]]"}, "decision": "B>A"},
        ],
    }
    data = load(f"judge_bench:{write('outputs.jsonl', [row])}")
    (one,) = data.comparisons
    text = {each.id: each.text for each in one.answers}
    assert [text[review.verdict.choice] for review in data.reviews] == ["right", "right"]
    assert [text[review.shown[0]] for review in data.reviews] == ["right", "wrong"]
    assert {review.reviewer for review in data.reviews} == {"arena_hard o1"}


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"winner": "model_c"}, "line 1: 'winner' must be one of .*model_a, .*, not 'model_c'"),
        ({"model_a": 3}, "line 1: 'model_a' must be a string, not 3"),
        ({"conversation_a": []}, "line 1: 'conversation_a' must be a list with an object in it"),
        ({"conversation_a": [{"role": "system", "content": "x"}]}, "has no message of the user"),
        ({"conversation_b": chat("Another?", "No.")}, "begin with different questions"),
        ({"judge": {"a": 1}}, "'judge' must be a text or a whole number"),
    ],
)
def test_a_row_in_another_form_is_named(write, changed, complaint):
    """The error has the file, the line, the key and what was expected."""
    with pytest.raises(DataError, match=complaint):
        load(f"arena:{write('battles.jsonl', [battle(**changed)])}")


def test_ten_bad_rows_are_named_at_once_and_some_may_be_left_out(write):
    """Without leave, any bad row is an error; with it, up to that many are left out."""
    rows = [
        battle(question_id=number, winner="?" if number < 12 else "tie") for number in range(20)
    ]
    path = write("battles.jsonl", rows)
    with pytest.raises(DataError) as raised:
        load(f"arena:{path}", options=Options(skip_bad=11))
    assert str(raised.value).count("'winner' must be") == 10
    assert len(load(f"arena:{path}", options=Options(skip_bad=12)).comparisons) == 8


def test_a_second_vote_of_one_user_on_one_battle_is_refused(write):
    """Two rows of one judge on the same answers in the same order cannot both count."""
    with pytest.raises(
        DataError, match=r"line 2: 'arena_user_973' also judged these answers.*on line 1"
    ):
        load(f"arena:{write('battles.jsonl', [battle(), battle(winner='tie')])}")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_of_a_table_is_found(write, delimiter):
    """Commas in texts do not mislead: only the delimiter gives every record the same width."""
    cells = [["prompt", "chosen", "rejected"], *[[f"p{n}", "yes", "no"] for n in range(5)]]
    text = "".join(f"{delimiter.join(row)}\n" for row in cells)
    assert len(load(f"reward_bench:{write('bench.csv', text)}").comparisons) == 5


@pytest.mark.parametrize("name", ["votes", "outputs"])
def test_a_column_that_is_mapped_must_be_there(write, name):
    """A misspelt column is named with those of the header, also where the field may be empty."""
    table = write(
        "own.csv", "Q,model,answer,answer_a,answer_b,annotator,vote\nWhy?,m,x,x,y,ann,a\n"
    )
    for names in ({"question": "F"}, {"question": "Q", "category": "F"}):
        with pytest.raises(
            DataError, match=r"own.csv, line 1: there is no field 'F' to map \(found"
        ):
            load(f"{name}:{table}", options=Options(names=names))


def test_a_header_may_follow_an_empty_line(write):
    """Spaces around the names of columns do not count, on whichever line the header is."""
    table = write("own.csv", "\nprompt, chosen, rejected\np,yes,no\n")
    assert len(load(f"reward_bench:{table}").comparisons) == 1


@pytest.mark.parametrize("delimiter", ["ab", '"', "\n"])
def test_a_delimiter_is_one_character(write, delimiter):
    """Text that cannot stand between cells is refused."""
    table = write("own.csv", "prompt,chosen,rejected\np,yes,no\n")
    with pytest.raises(DataError, match="delimiter of a table is one character"):
        load(f"reward_bench:{table}", options=Options(delimiter=delimiter))


def test_fields_are_mapped_and_decoded(write):
    """A file with other names and another encoding needs a map, not a conversion."""
    row = {"frage": "Größe?", "gut": "ja", "schlecht": "nein"}
    path = write("bench.jsonl", json.dumps(row, ensure_ascii=False).encode("cp1252"))
    names = {"prompt": "frage", "chosen": "gut", "rejected": "schlecht"}
    data = load(f"reward_bench:{path}", options=Options(names=names, encoding="cp1252"))
    assert data.comparisons[0].question.text == "Größe?"
    with pytest.raises(DataError, match="no field 'antwort' to map"):
        load(
            f"reward_bench:{path}", options=Options(names={"chosen": "antwort"}, encoding="cp1252")
        )
