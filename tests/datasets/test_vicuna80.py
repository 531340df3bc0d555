"""Vicuna80 is read from the authors' folder with all its quirks, and from the tidy tables."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter, defaultdict

import pytest

from peerjudge.analysis import build_tournament, collect_reviews
from peerjudge.data import TIE, UNREADABLE, GoldRule
from peerjudge.datasets import load
from peerjudge.datasets.sources.vicuna80 import MODELS
from peerjudge.errors import DataError
from peerjudge.ranking import rank

pytestmark = pytest.mark.data

NATIVE_NAMES = {"gpt-4": "gpt4", "gpt-3.5": "gpt35", "vicuna": "vicuna-13b"}


@pytest.fixture(scope="module")
def native(published):
    """The authors' folder, read once."""
    return load(f"vicuna80:{published('vicuna80/original')}")


@pytest.fixture
def copy(published, tmp_path):
    """A writable copy of the authors' folder."""
    folder = shutil.copytree(published("vicuna80/original"), tmp_path / "original")
    for path in folder.rglob("*"):
        path.chmod(0o755)
    folder.chmod(0o755)
    return folder


def test_the_counts_are_those_of_the_paper(native):
    """80 questions of nine kinds, 10 pairs each, 1600 reviews per model, 1760 human votes."""
    assert len(native.comparisons) == 800
    assert len({comparison.question.id for comparison in native.comparisons}) == 80
    assert len({comparison.question.category for comparison in native.comparisons}) == 9
    assert len({comparison.id for comparison in native.comparisons}) == 800
    reviewers = Counter(review.reviewer for review in native.reviews)
    assert reviewers == {**dict.fromkeys(MODELS, 1600), "human": 1760}
    assert native.humans == ("human",)


def test_every_model_judged_every_battle_once_in_each_order(native):
    """The hyphenated repeat run is not counted: no model judged the same pair twice in one order."""
    seen = Counter(
        (review.comparison, review.reviewer, review.shown)
        for review in native.reviews
        if review.reviewer != "human"
    )
    assert len(seen) == 8000


def test_bard_says_first_1253_times(native):
    """Bard's position bias is on record: it prefers the first answer in 1253 of 1600 reviews."""
    bard = [review for review in native.reviews if review.reviewer == "bard"]
    assert sum(review.verdict.choice == review.shown[0] for review in bard) == 1253


def test_every_recorded_label_is_readable_and_raw_texts_are_kept(native):
    """The code -1 does not occur; 18 of Bard's texts are empty; Claude's answers open with a space."""
    assert all(review.verdict.readable for review in native.reviews)
    empty = Counter(r.reviewer for r in native.reviews if not r.text and r.reviewer != "human")
    assert empty == {"bard": 18}
    claude = {c.answer("claude").text for c in native.comparisons if "claude" in c.shown}
    assert len(claude) == 80
    assert all(text.startswith(" ") for text in claude)


def test_people_saw_claude_first_and_gave_one_vote_there(native):
    """Pairs with Claude have one vote per question, the others three, each shown in one order."""
    votes = defaultdict(list)
    for review in native.reviews:
        if review.reviewer == "human":
            votes[review.comparison].append(review.shown)
    assert len(votes) == 800
    for orders in votes.values():
        assert len(set(orders)) == 1
        assert len(orders) == (1 if "claude" in orders[0] else 3)
        assert "claude" not in orders[0] or orders[0][0] == "claude"


def test_the_tidy_tables_are_the_same_data(native, published):
    """The authors' folder and the tables derived from it give the same dataset."""
    assert load(f"vicuna80:{published('vicuna80')}") == native


@pytest.mark.parametrize("rule", ["sign_of_mean", "strict_majority"])
def test_gold_is_settled_by_the_rule_asked_for(published, rule):
    """Both ways to count the human votes agree with the published counts, battle by battle."""
    gold = {
        (c.question.id, frozenset(c.shown)): c.gold
        for c in load(
            f"vicuna80+{rule}:{published('vicuna80/original')}", reviews=False
        ).comparisons
    }
    lines = (published("vicuna80") / "human.jsonl").read_text().splitlines()
    for battle in map(json.loads, lines):
        pair = [NATIVE_NAMES.get(battle[key], battle[key]) for key in ("model_a", "model_b")]
        verdict = gold[f"q{battle['question_id']:02}", frozenset(pair)]
        expected = "tie" if battle[rule] == 0 else pair[battle[rule] > 0]
        assert str(verdict) == expected
    assert len(lines) == 800


@pytest.mark.parametrize("rule", ["sign_of_mean", "strict_majority"])
def test_people_rank_by_the_rule_asked_for(published, rule):
    """The win rates that people award are those of the votes settled by the rule of the gold."""
    dataset = load(f"vicuna80+{rule}:{published('vicuna80/original')}")
    ranking = rank(build_tournament(collect_reviews(dataset), reviewers=["human"]))
    lines = (published("vicuna80") / "human.jsonl").read_text().splitlines()
    points = defaultdict(list)
    for battle in map(json.loads, lines):
        for key, sign in (("model_a", -1), ("model_b", 1)):
            name = NATIVE_NAMES.get(battle[key], battle[key])
            points[name].append((1 + sign * battle[rule]) / 2)
    expected = {name: sum(own) / len(own) for name, own in points.items()}
    scores = {name: one.score for name, one in ranking.contestants.items()}
    assert scores == pytest.approx(expected, abs=1e-12)


def test_the_mean_is_the_default_rule(published, native):
    """Without a rule the gold is the sign of the mean vote; the keyword says the same as the name."""
    path = published("vicuna80/original")
    assert load(f"vicuna80:{path}", gold=GoldRule.SIGN_OF_MEAN) == native
    strict = load(f"vicuna80:{path}", gold=GoldRule.STRICT_MAJORITY)
    assert strict == load(f"vicuna80+strict_majority:{path}")
    assert strict != native


def test_a_limit_keeps_whole_battles(published):
    """All reviews of the first comparisons are kept, and no others."""
    dataset = load(f"vicuna80:{published('vicuna80/original')}", limit=3)
    assert [c.id for c in dataset.comparisons] == [f"q01-gpt4-vs-{x}" for x in MODELS[1:4]]
    assert Counter(review.comparison for review in dataset.reviews) == {
        "q01-gpt4-vs-gpt35": 13,
        "q01-gpt4-vs-bard": 13,
        "q01-gpt4-vs-claude": 11,
    }


def test_the_authors_code_for_an_unreadable_reply_is_kept_as_that(copy):
    """A score of -1 is neither a tie nor a choice."""
    file = copy / "ratings-bard" / "answer_bard-vs-answer_gpt4-bard-reviewer_threeclass.jsonl"
    lines = file.read_text().splitlines()
    row = json.loads(lines[0])
    file.write_text("\n".join([json.dumps({**row, "score": -1}), *lines[1:]]))
    dataset = load(f"vicuna80:{copy}", limit=4)
    (review,) = (r for r in dataset.reviews if r.reviewer == "bard" and r.shown == ("bard", "gpt4"))
    assert review.verdict == UNREADABLE
    assert review.verdict != TIE


def test_an_unreadable_vote_does_not_count_towards_gold(copy):
    """A battle has no gold if its only vote is unreadable."""
    file = copy / "ratings-human" / "answer_claude-vs-answer_gpt4-human-reviewer_threeclass.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    changed = [{**row, "score": -1} if row["question_id"] == 1 else row for row in rows]
    file.write_text("\n".join(map(json.dumps, changed)))
    gold = {c.id: c.gold for c in load(f"vicuna80:{copy}", reviews=False).comparisons}
    assert [name for name, verdict in gold.items() if verdict is None] == ["q01-gpt4-vs-claude"]


def _break(file, number, change):
    lines = file.read_text().splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    file.write_text("".join(lines))


def test_a_wrong_label_is_named_by_file_and_line(copy):
    """An unknown code is an error with file and line."""
    file = copy / "ratings-gpt4" / "answer_bard-vs-answer_claude-gpt4-reviewer_threeclass.jsonl"
    _break(file, 7, lambda line: json.dumps({**json.loads(line), "score": 4}) + "\n")
    with pytest.raises(DataError, match=rf"{file.name}, line 7: 'score' must be 1 .*not 4"):
        load(f"vicuna80:{copy}")


def test_a_truncated_file_is_noticed(copy):
    """The message names the incomplete line, or the missing questions."""
    file = copy / "ratings-claude" / "answer_bard-vs-answer_gpt4-claude-reviewer_threeclass.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:40]) + lines[40][:50])
    with pytest.raises(DataError, match=rf"{file.name}, line 41: .*cut off"):
        load(f"vicuna80:{copy}")
    file.write_text("".join(lines[:40]))
    with pytest.raises(DataError, match=rf"{file.name} lacks 40 of 80 questions \(first: 41\)"):
        load(f"vicuna80:{copy}")


def test_a_repeated_or_missing_review_file_is_noticed(copy):
    """A question with two reviews in one file and a pair without reviews are errors."""
    file = copy / "ratings-claude" / "answer_bard-vs-answer_gpt4-claude-reviewer_threeclass.jsonl"
    first = file.read_text().splitlines(keepends=True)[0]
    _break(file, 2, lambda _: first)
    with pytest.raises(DataError, match=rf"{file.name}, line 2: question 1 .*twice"):
        load(f"vicuna80:{copy}")
    file.unlink()
    with pytest.raises(DataError, match="ratings-claude has no review file of bard against gpt4"):
        load(f"vicuna80:{copy}")


def test_a_repeated_review_of_the_tidy_tables_is_noticed(published, tmp_path):
    """One review twice would count twice: it is an error with its line, as in the authors' folder."""
    folder = tmp_path / "tidy"
    folder.mkdir()
    for name in ("questions.jsonl", "answers.jsonl", "human_votes.jsonl", "reviews.jsonl.gz"):
        shutil.copyfile(published("vicuna80") / name, folder / name)
    with gzip.open(folder / "reviews.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = file.readlines()
    with gzip.open(folder / "reviews.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines([*lines, lines[5]])
    with pytest.raises(DataError, match=rf"line {len(lines) + 1}: .*by .* is there twice"):
        load(f"vicuna80:{folder}")
