"""The contract of `peerjudge score`: what it prints, in words and in JSON, and how it exits."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture
def llmbar():
    """LLMBar's own folder, with six recorded runs on the subset Manual."""
    path = DATA / "llmbar" / "original"
    if not path.exists():
        pytest.skip(f"the published data are not at {path}")
    return f"llmbar:{path}"


@pytest.fixture(scope="module")
def methods(tmp_path_factory):
    """A run of two methods of PRePair on the sample, by one simulated reviewer."""
    folder = tmp_path_factory.mktemp("methods")
    (folder / "experiments").mkdir()
    (folder / "experiments" / "two.py").write_text(
        '"""Two methods."""\n'
        "from peerjudge.data import Condition, Experiment\n"
        "EXPERIMENT = Experiment(data='sample', prompts='instruction_following', conditions=tuple(\n"
        "    Condition(name=name, protocol=name, seats=('sim_llmbar_gpt35',))\n"
        "    for name in ('prepair', 'pairwise')))\n"
    )
    return folder


CELL = {
    *("n", "questions", "right", "ties", "inconsistent", "unreadable", "refused"),
    *("accuracy", "worst_case", "best_case", "orders"),
    *("consistency", "margin"),
}


@pytest.mark.data
def test_recorded_evaluators_are_scored_in_json(shell, llmbar):
    """One document with a row per evaluator, a cell per subset, and our own reading beside it."""
    outcome = shell("score", llmbar, "--by", "subset", "--json")
    assert outcome.code == 0, outcome.err
    document = outcome.document
    assert document.keys() == {
        "source",
        "by",
        "groups",
        "simulated",
        "level",
        "seed",
        "left_out",
        "conventions",
        "rows",
        "correlations",
        "rating_pairs",
        "disagreements",
        "ratings",
        "contrasts",
        "ways",
    }
    assert document["contrasts"] == {}
    assert len(document["rows"]) == 6
    for row in document["rows"]:
        assert row.keys() == {
            "reviewer",
            "condition",
            "protocol",
            "stance",
            "total",
            "groups",
            "own_reading",
        }
        assert row["total"].keys() == row["groups"]["Manual"].keys() == CELL
        assert row["stance"] == "recorded"
    rating = next(row for row in document["rows"] if row["reviewer"] == "GPT-4/Rating")
    assert rating["own_reading"] is None
    assert rating["total"]["orders"]["average"] == pytest.approx(0.8478, abs=1e-4)


@pytest.mark.data
def test_replies_read_otherwise_are_listed(shell, llmbar):
    """Each names who said what on which comparison, and the whole text; in print on demand."""
    words = ("score", llmbar, "--reviewers", "GPT-4/*,LLaMA2/CoT")
    document = shell(*words, "--json").document
    read = sum(
        row["own_reading"]["different"]
        + row["own_reading"]["only_recorded"]
        + row["own_reading"]["only_own"]
        for row in document["rows"]
        if row["own_reading"]
    )
    assert len(document["disagreements"]) == read
    keys = {"reviewer", "comparison", "shown", "recorded", "own", "rule", "text"}
    assert all(found.keys() == keys for found in document["disagreements"])
    sentence = f"{read} replies are read differently from the record"
    assert sentence in shell(*words, "--disagreements").out
    assert sentence not in shell(*words).out
    off = shell(*words, "--no-own-reading", "--json").document
    assert all(row["own_reading"] is None for row in off["rows"])


def test_labelers_are_scored_apart(shell, verdicts):
    """GPT-4 on MT-Bench against experts and against authors."""
    (row,) = shell("score", verdicts("mtbench"), "--by", "labeler", "--json").document["rows"]
    assert row["groups"].keys() == {"expert", "author"}
    assert row["total"]["n"] == 3355
    assert row["total"]["inconsistent"] > 0


def test_what_accuracies_count_is_printed(shell, verdicts):
    """Undecided verdicts are left out, or counted as the authors of the data do: both are said."""
    said = shell("score", verdicts("mtbench"), "--by", "labeler").out
    assert "Inconsistent, unreadable and refused verdicts are left out." in said
    assert "71.7 [" in said
    document = shell("score", verdicts("mtbench"), "--as-published", "--json").document
    assert document["conventions"]["published"]["undecided"] == "as_tie"
    assert document["conventions"].keys() == {"accuracy", "published"}
    (row,) = document["rows"]
    assert row["as_published"]["turn 1"]["n"] == 1343
    words = ("agreement", verdicts("mtbench"), "--reviewers", "gpt4_pair", "--json")
    stated = shell(*words).document
    assert stated["conventions"]["accuracy"] == document["conventions"]["accuracy"]


def test_a_published_figure_may_be_a_mean_of_subsets(shell, verdicts):
    """LLMBar's Adversarial: 81.0 of all its verdicts, as published 80.8, the mean of its four subsets."""
    words = ("score", verdicts("llmbar"), "--reviewers", "GPT-4/Vanilla")
    assert "81.0 [" in shell(*words, "--by", "subset").out
    published = shell(*words, "--as-published").out
    assert "80.8 [" in published
    assert "81.0 [" not in published
    assert "is the mean of its subsets" in published


def test_a_run_is_scored_by_the_conventions_of_its_data(shell, played, verdicts):
    """A run follows the authors of the data that it judged; the sample has no published figures."""
    words = ("run", "leader_follower", "--limit", "3", "--display", "none", "-S", "turns=0")
    assert shell(*words, "--data", verdicts("llmbar"), "--out", "own").code == 0
    document = shell("score", "own", "--as-published", "--json").document
    assert document["conventions"]["published"]["mean_of_groups"] is True
    assert all(row["as_published"].keys() == {"", "Natural"} for row in document["rows"])
    refused = played("score", "study", "--as-published")
    assert refused.code == 2
    assert "sample declares no published conventions" in refused.err


def test_it_is_said_of_how_many_ratings_there_were_no_log_probabilities(shell):
    """A rating weighted by log-probabilities is another thing than a stated number."""
    settings = ("--limit", "3", "--display", "none")
    shell.write(
        "experiments/rating.py",
        '"""Ratings, asked for with log-probabilities and without."""\n'
        "from peerjudge.data import Condition, Experiment\n"
        "EXPERIMENT = Experiment(data='sample', conditions=(\n"
        "    Condition(name='asked', protocol='pointwise', seats=('sim_plain',)),\n"
        "    Condition(name='plain', protocol='pointwise', seats=('sim_plain',),\n"
        "              options={'logprobs': False})))\n",
    )
    assert shell("run", "rating", "--out", "r", *settings).code == 0
    rows = shell("score", "r", "--json").document["ratings"]
    assert [(row["condition"], row["weighted"], row["stated"]) for row in rows] == [
        ("asked", 12, 0),
        ("plain", 0, 12),
    ]
    assert "plain, sim_plain: 0 ratings weighted by log-probabilities, 12 as stated" in (
        shell("score", "r").out
    )


def test_a_run_is_scored_by_condition(played):
    """Every condition has a row for its conclusions, and discussions one per reviewer in private."""
    document = played("score", "study", "--by", "subset", "--json").document
    assert document["simulated"] is True
    assert document["rows"][0]["condition"] == "strong with weak"
    stances = {(row["condition"], row["stance"]) for row in document["rows"]}
    assert ("strong with weak", "concluded") in stances
    assert ("strong with weak", "private") in stances
    table = played("score", "study", "--by", "category").out
    assert "simulated reviewers" in table
    assert "strong with weak" in table
    assert "[100,100]" not in table


def test_a_run_stands_beside_published_figures(methods, shell):
    """One row per method in the paper's order, marked simulated, with the printed figures."""
    shell.folder = methods
    assert shell("run", "two", "--limit", "8", "--out", "two", "--display", "none").code == 0
    words = ("score", "two", "--by", "subset", "--beside", "prepair")
    printed = shell(*words).out
    assert "simulated / PRePair, Table 4" in printed
    assert printed.index("Pairwise") < printed.index("w/ PRePair")
    document = shell(*words, "--json").document
    assert [row["published"]["values"]["Natural"] for row in document["rows"]] == [0.82, 0.81]
    assert document["published"]["table"] == "Table 4"
    other = shell("score", "two", "--by", "subset", "--beside", "prepair:gpt-4", "--json")
    assert {row["published"]["setting"] for row in other.document["rows"]} == {"gpt-4"}


def test_ratings_are_scored_by_correlation(shell, verdicts):
    """A rated table of your own, with gold ratings in a column, gives one row per aspect."""
    outcome = shell("score", verdicts("summeval"), "--json")
    assert outcome.document["rows"] == []
    aspects = {row["aspect"]: row for row in outcome.document["correlations"]}
    assert aspects.keys() == {"coherence", "consistency", "fluency", "relevance"}
    assert aspects["fluency"]["answers"] == 1200


MISTAKES = {
    "no groups of that name": (("study", "--by", "colour"), "it has subset, category"),
    "no votes in a run": (("study", "--by", "labeler"), "--gold"),
    "no such reviewer": (("study", "--reviewers", "nobody"), "no reviews by 'nobody'"),
    "no reviews at all": (("sample",), "sample has no reviews to score"),
    "no such figures": (("study", "--by", "subset", "--beside", "prd"), "choose one of prepair"),
    "not the same data": (("study", "--gold", "jsonl:own.jsonl"), "none of the comparisons"),
    "no such run": (("nowhere/run",), "nowhere"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_exits_with_2_and_a_sentence(played, mistake):
    """A usage error prints one sentence on stderr and nothing on stdout."""
    (played.folder / "own.jsonl").write_text('{"question": "?", "answer_a": "x", "answer_b": "y"}')
    words, says = MISTAKES[mistake]
    outcome = played("score", *words)
    assert outcome.code == 2
    assert says in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_ratings_of_two_conditions_are_compared(shell, verdicts):
    """Output sequences are compared by their ratings, with each other, a crowd and the gold of experts."""
    shell.write(
        "experiments/order.py",
        '"""Does the order of score and reasons change the score?"""\n'
        "from peerjudge.data import Condition, Experiment\n"
        f"EXPERIMENT = Experiment(data={verdicts('summeval')!r}, conditions=tuple(\n"
        "    Condition(name=name, protocol='score_reasons', seats=('sim_plain',),\n"
        "              options={'order': name})\n"
        "    for name in ('reasons_score', 'score_reasons')))\n",
    )
    settings = ("--limit", "24", "--display", "none")
    assert shell("run", "order", "--out", "r", *settings).code == 0
    (pair,) = shell("compare", "r", "--json").document["ratings"]
    assert (pair["one"], pair["other"], pair["answers"]) == ("reasons_score", "score_reasons", 24)
    aspects = [gold["aspect"] for gold in pair["against_gold"]]
    assert aspects == ["coherence", "consistency", "fluency", "relevance"]
    for name in ("pearson", "spearman", "kendall"):
        assert pair[name]["low"] < pair[name]["value"] < pair[name]["high"]
    scored = shell("score", "r", "--json").document
    assert scored["rating_pairs"] == [pair]
    assert {"value", "low", "high", "n"} <= scored["correlations"][0]["kendall"].keys()
    said = shell("compare", "r", verdicts("summeval"), "--to", "crowd").out
    assert "Agreement of ratings with gold: first minus second" in said
    assert "reasons_score" in said
    assert "crowd" in said


def test_without_gold_reviewers_are_held_against_the_majority_of_the_others(shell):
    """What is right stays unknown and is said to be; groups and reviewers without others need gold."""
    shell.write("pairs.csv", "question,answer_a,answer_b\nWhy?,Because.,So.\nHow?,Thus.,Slowly.\n")
    words = ("run", "leader_follower", "--data", "pairs.csv", "--out", "r", "--display", "none")
    assert shell(*words).code == 0
    said = shell("score", "r")
    assert "agreement with the majority of the others" in said.out
    assert "None of 2 comparisons has gold: which way is right is not known." in said.out
    assert shell("score", "r", "--json").document["rows"] == []
    assert shell("score", "r", "--by", "category").code == 2
