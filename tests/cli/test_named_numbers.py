"""Names of numbers: one meaning in JSON, frame and table, and nothing for what is not known."""

import csv
import json
import re

import pytest

import peerjudge as pj


@pytest.fixture(scope="module")
def ungolded(new_shell):
    """A shell in a folder where `tournament` is a run without gold."""
    shell = new_shell()
    outcome = shell("run", "tournament", "--limit", "3", "--out", "tournament", "--display", "none")
    assert outcome.code == 0, outcome.err
    return shell, outcome.out


def test_without_gold_no_opinion_moves_to_it(ungolded):
    """A run without gold has no moves to or from gold: no columns, and null in JSON instead of 0."""
    shell, printed = ungolded
    assert "Opinion events by reviewer and role" in printed
    summary = shell("events", "tournament", "--summary")
    assert "To first shown" in summary.out
    for text in (printed, summary.out):
        assert "To gold" not in text
        assert "From gold" not in text
    counts = shell("events", "tournament", "--summary", "--json").document["counts"]
    assert {json.dumps(row["gold"]) for row in counts} == {"null"}
    # Two seats that disagree have no majority, so no opinion moves to one.
    assert {json.dumps(row["majority"]) for row in counts} == {"null"}
    assert all(row["first"] is not None for row in counts)


def test_with_gold_no_move_is_zero(played):
    """Where gold is known, a reviewer that never moved has 0 moves to it."""
    counts = played("events", "study", "--summary", "--json").document["counts"]
    moves = [row["gold"]["towards"] + row["gold"]["away"] for row in counts]
    assert min(moves) == 0 < max(moves)
    assert "To gold" in played("events", "study", "--summary").out


def test_every_ranking_with_peer_weights_names_its_scheme(ungolded):
    """`run` ranks by damped weights and `rank` by PRD's unless told otherwise; the tables say which."""
    shell, printed = ungolded
    assert "Damped peer weights" in printed
    assert "Peer weights: by the damped scheme" in printed
    words = ("rank", "tournament", "--bootstrap", "0", "--weights", "peer")
    for more, name, column in (
        ((), "peer weights by PRD Equation 2", "PRD Equation 2"),
        (("--scheme", "damped"), "damped peer weights", "Damped"),
    ):
        shown = shell(*words, *more).out
        assert f"Ranking by win-rate, {name}, scores in %" in shown
        assert f" {column} " in shown.partition("Reviewer weights")[2]
    assert "Ranking by win-rate, scores in %" in shell(*words[:4]).out


def test_agreement_with_peer_weights_names_the_scheme(shell, verdicts):
    """The document of `agreement` has the scheme of peer weights, null for equal ones."""
    data = verdicts("vicuna80")
    weighted = shell("agreement", data, "--weights", "peer")
    assert "Reviewers have peer weights by PRD Equation 2." in weighted.out
    documents = [
        shell("agreement", data, *more, "--json").document["scheme"]
        for more in (("--weights", "peer"), ())
    ]
    assert documents == ["prd", None]


def test_unreadable_verdicts_have_one_number(verdicts):
    """MT-Bench's judge contradicts itself 290 times and is always readable: in JSON, and in the frame."""
    found = pj.score(verdicts("mtbench"), reviewers="gpt4_pair")
    names = ("inconsistent", "unreadable", "refused")
    total = found.document()["rows"][0]["total"]
    assert [total[name] for name in names] == [290, 0, 0]
    frame = found.df[found.df["measure"] == "accuracy"]
    assert frame.iloc[0][[*names]].tolist() == [290, 0, 0]


MEASURES = {
    "score": {},
    "compare": {},
    "bias": {},
    "agreement": {"panel": True},
    "rank": {"weights": "peer"},
    "events": {"summary": True},
}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_run_and_the_frame_of_its_ballots_say_the_same(played, measure):
    """`f(run)` and `f(ballots_df(run))` have every number in common, whatever was played first."""
    function, options = getattr(pj, measure), MEASURES[measure]
    run = played.folder / "study"
    both = [function(source, **options).document() for source in (run, pj.ballots_df(run))]
    for document in both:
        document.pop("source", None)
    # As texts, in which missing numbers are equal.
    assert json.dumps(both[0], default=str) == json.dumps(both[1], default=str)


def test_only_data_with_an_own_order_have_the_given_one(played, verdicts):
    """A run with random orders does not know that of its data: `orders.given` is null there."""
    run = played("score", "study", "--json").document
    assert {row["total"]["orders"]["given"] for row in run["rows"]} == {None}
    recorded = pj.score(verdicts("llmbar"), reviewers="ChatGPT/CoT").document()["rows"]
    assert all(0.0 <= row["total"]["orders"]["given"] <= 1.0 for row in recorded)


def test_one_name_has_one_number_in_all_documents(played):
    """Accuracies, contrasts and gains of a run are the same in `score`, `compare`, `events` and the page."""
    score = played("score", "study", "--json").document
    compare = played("compare", "study", "--json").document
    events = played("events", "study", "--summary", "--json").document
    page = json.loads((played.folder / "study" / "report.json").read_text("utf-8"))["data"]
    concluded = {
        row["condition"]: row["total"]["accuracy"]
        for row in score["rows"]
        if row["stance"] == "concluded" and row["protocol"] != "pairwise"
    }
    assert concluded
    after = {row["name"]: row["after"]["accuracy"] for row in page["conditions"]}
    for name, accuracy in concluded.items():
        for other in (compare["accuracy"][name], after[name]):
            assert {key: other[key] for key in accuracy} == accuracy
    assert score["contrasts"] == compare["contrasts"]
    for row in page["contrasts"]:
        for name, contrast in score["contrasts"][row["condition"]].items():
            known = (row[name]["difference"] or {}).get("difference")
            assert [contrast[end] for end in ("value", "low", "high")] == [
                known and known[end] for end in ("value", "low", "high")
            ]
    assert "contrasts" not in events
    assert {json.dumps(row) for row in events["changes"]} == {
        json.dumps(row) for row in page["stances"]["changes"]
    }


def drop_level(measured):
    """Return a number with its interval; the document of `score` has the level once."""
    return {key: value for key, value in measured.items() if key != "level"}


def test_one_name_has_one_number_in_all_documents_of_published_reviews(verdicts):
    """On Vicuna80, accuracies, consistency, contrasts and win rates are the same wherever they stand."""
    data = verdicts("vicuna80")
    score, bias, rank = (getattr(pj, name)(data).document() for name in ("score", "bias", "rank"))
    compare = pj.compare(data, all_pairs=True).document()
    agreement = pj.agreement(data, panel=True).document()
    panel = agreement["panel"]
    totals = {row["reviewer"]: row["total"] for row in score["rows"]}
    assert {*totals} == {*panel["reviewers"]} == {*rank["reviewers"]} == {*agreement["reviewers"]}
    twice = {row["reviewer"]: row for row in bias["consistency"]}
    for name, total in totals.items():
        for other in (compare["accuracy"], panel["accuracy"]):
            assert drop_level(other[name]) == total["accuracy"]
        for key in ("same", "rate"):
            given = twice[name][key]
            known = given if key == "same" else drop_level(given)
            assert known == total["consistency"][key]
        alone = pj.agreement(data, reviewers=name).document()
        low, high = alone["intervals"]["accuracy"]
        ends = {"value": alone["accuracy"], "low": low, "high": high}
        assert {end: total["accuracy"][end] for end in ends} == ends
    pairs = {(row["one"], row["other"]): row for row in panel["pairs"]}
    assert len(pairs) == 10
    for row in compare["pairs"]:
        other = pairs[row["one"], row["other"]]
        assert (row["difference"], row["holm"]) == (other["accuracy"], other["accuracy_adjusted"])
    people = pj.rank(data, reviewers="human", bootstrap=0).document()["contestants"]
    for row in bias["self_enhancement"]:
        (author,) = row["authors"]
        assert row["gold"]["value"] == pytest.approx(people[author]["score"])


_NUMBER = re.compile(r"-?[0-9][0-9.]*(e-?[0-9]+)?|nan|inf|-inf|True|False")
_SHOWN = re.compile(r"[-+$]?[0-9.,]+( : | to | / | of | ?%|\s*\[)|[$<~]|-$")


def _list_csv(text):
    for part in text.split("# ")[1:]:
        _, *lines = part.splitlines()
        header, *rows = [row for row in csv.reader(lines) if row]
        yield header, rows


@pytest.mark.parametrize(
    "words",
    [
        ("score", "study"),
        ("score", "study", "--by", "category"),
        ("score", "study", "--by", "leader"),
        ("compare", "study"),
        ("bias", "study"),
        ("agreement", "study"),
        ("agreement", "study", "--panel"),
        ("rank", "study", "--weights", "peer", "--bootstrap", "20"),
        ("rank", "study", "--scoring", "elo", "--trajectory", "50", "--bootstrap", "20"),
        ("events", "study", "--summary"),
        ("plan", "quickstart", "--studies", "5", "--comparisons", "10"),
        ("score", "mtbench"),
        ("agreement", "vicuna80", "--panel"),
        ("reproduce", "prd", "vicuna80", "--item", "Table 3"),
    ],
    ids=" ".join,
)
def test_csv_holds_numbers_under_names_of_their_own(played, verdicts, words):
    """Every column of `--format csv` has its own name, no number for a name, and unrounded numbers."""
    named = [verdicts(word) if word in {"mtbench", "vicuna80"} else word for word in words]
    outcome = played(*named, "--format", "csv")
    assert outcome.code == 0, outcome.err
    tables = [*_list_csv(outcome.out)]
    assert tables
    for header, rows in tables:
        assert rows
        assert len({*header}) == len(header)
        for place, name in enumerate(header):
            assert name, header
            assert not name.isdigit(), header
            # A name that a table gives twice gets a number.
            again = re.fullmatch(r"(.*)_[2-9]", name)
            assert again is None or again[1] not in header, header
            # A column whose cells hold several values has none of its own.
            assert [row[place] for row in rows] != [""] * len(rows) or f"{name}_low" not in header
            cells = [row[place] for row in rows if row[place]]
            assert not [cell for cell in cells if _SHOWN.match(cell)], (name, cells)
            numbers = [_NUMBER.fullmatch(cell) is not None for cell in cells]
            assert all(numbers) or not any(numbers), (name, cells)


def test_csv_of_nothing_is_an_error(new_shell):
    """A result without a table says so instead of writing an empty file."""
    shell = new_shell()
    words = ("leader_follower", "--limit", "1", "-S", "turns=0", "--out", "mute")
    assert shell("run", *words, "--display", "none").code == 0
    refused = shell("talk", "mute", "--format", "csv")
    assert refused.code != 0
    assert not refused.out
