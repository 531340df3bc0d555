"""Reviewers that are contestants under another name weigh each other by their own answers."""

import json
from collections import Counter
from itertools import combinations

import pytest

import peerjudge as pj
from peerjudge.data import Condition, Experiment
from peerjudge.errors import DataError

SHIPPED = {
    "sim_vicuna80_gpt4": "gpt4",
    "sim_vicuna80_claude": "claude",
    "sim_vicuna80_gpt35": "gpt35",
    "sim_vicuna": "vicuna-13b",
    "sim_bard": "bard",
}

CARD = """
contestant = "{contestant}"

[traits]
ability = 1.0
self_enhancement = 9.0
"""


def play(folder, reviewers, authors):
    """Let reviewers judge all pairs of these authors' answers to four questions; return the run folder."""
    rows = [
        {
            "question": f"Question {number}?",
            "answer_a": f"The answer of {one} to question {number}.",
            "answer_b": f"The answer of {other} to question {number}, at more length.",
            "author_a": one,
            "author_b": other,
            "gold": "a" if (number + place) % 3 else "b",
        }
        for number in range(4)
        for place, (one, other) in enumerate(combinations(authors, 2))
    ]
    pairs, run = folder / "pairs.jsonl", folder / "study"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    conditions = tuple(
        Condition(name=name, protocol="pairwise", seats=(name,)) for name in reviewers
    )
    declared = Experiment(name="weighing", data=f"jsonl:{pairs}", conditions=conditions)
    assert pj.run_sync(declared, out=str(run)).stopped is None
    return run


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A run in which the shipped reviewers of Vicuna80 judge answers by the five contestants."""
    return play(tmp_path_factory.mktemp("shipped"), SHIPPED, SHIPPED.values())


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """A run by two reviewers of one contestant with slashes and dots, and by one of another."""
    folder = tmp_path_factory.mktemp("twins")
    (folder / "agents").mkdir()
    own = {"calm": "meta/Llama-3.1-8B", "strict": "meta/Llama-3.1-8B", "turbo": "gpt-3.5-turbo"}
    for name, contestant in own.items():
        (folder / "agents" / f"{name}.toml").write_text(CARD.format(contestant=contestant))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return play(folder, own, [*dict.fromkeys(own.values()), "Vicuna-13B"])


def weigh(source, **options):
    """Return the weights of reviewers by Equation 2 of PRD."""
    return pj.rank(source, weights="peer", bootstrap=0, **options).ranking.weights.weights


def test_shipped_reviewers_weigh_each_other_as_in_the_loop_of_prd(study):
    """The weights of a live run are the fixed point of PRD's Equation 2, recomputed here by hand."""
    won, met = Counter(), Counter()
    for row in pj.battles_df(study).dropna(subset="score").itertuples():
        for author, points in ((row.first, (1 - row.score) / 2), (row.second, (1 + row.score) / 2)):
            won[row.reviewer, author] += points
            met[row.reviewer, author] += 1
    weights = dict.fromkeys(SHIPPED, 1 / len(SHIPPED))
    for _ in range(1000):
        scores = {
            name: sum(
                weight * won[judge, author] / met[judge, author]
                for judge, weight in weights.items()
            )
            for name, author in SHIPPED.items()
        }
        scaled = {name: score - min(scores.values()) for name, score in scores.items()}
        weights = {name: score / sum(scaled.values()) for name, score in scaled.items()}
    found = weigh(study)
    assert found == pytest.approx(weights, abs=1e-8)
    assert sum(found.values()) == pytest.approx(1.0)
    assert len({round(weight, 6) for weight in found.values()}) == len(SHIPPED)


def test_manifest_holds_the_contestants_of_cards(study):
    """The manifest of a run names the contestant that each of its reviewers is."""
    manifest = json.loads((study / "manifest.json").read_text())
    assert {name: card["contestant"] for name, card in manifest["cards"].items()} == SHIPPED


def test_report_weighs_reviewers_by_their_contestants(study, tmp_path):
    """The report ranks by peer weights, and names the contestant beside each reviewer."""
    found = pj.report(study)
    peers = found.findings.peers
    assert (peers.outsiders, peers.reason) == ((), "")
    assert peers.prd == weigh(study)
    rows = {row[0]: row[1] for row in found.parts()[-1].rows}
    assert rows == SHIPPED
    assert "vicuna-13b" in found.save(tmp_path / "page.html").read_text()


def test_agreement_and_ranking_share_peer_weights(study):
    """The combined verdict of `agreement` has the weights of the contestants, not equal ones."""
    peer = pj.agreement(study, weights="peer").agreement
    assert peer.weights.weights == weigh(study)


def test_self_reviews_are_those_of_the_contestant(study):
    """Without self-reviews, no reviewer judges a battle of the contestant that it is."""
    every = pj.rank(study, bootstrap=0).tournament
    kept = pj.rank(study, bootstrap=0, exclude_self=True).tournament
    for reviewer, first, second in zip(kept.reviewer, kept.first, kept.second, strict=True):
        own = SHIPPED[kept.reviewers[reviewer]]
        assert own not in {kept.contestants[first], kept.contestants[second]}
    assert len(kept) * 5 == len(every) * 3


def test_option_replaces_what_cards_declare(study):
    """Contestants of the call exchange two reviewers, and with them the weights that their scores give."""
    given = {"sim_bard": "gpt4", "sim_vicuna80_gpt4": "bard"}
    exchanged = pj.rank(study, weights="peer", bootstrap=0, contestant_of=given)
    assert exchanged.document()["contestant_of"] == {**SHIPPED, **given}
    assert exchanged.ranking.weights.weights != weigh(study)


def test_command_takes_contestants_by_as(shell, study):
    """`--as` gives the weights of the Python call; a name that there is not is an error of code 2."""
    words = ("rank", str(study), "--weights", "peer", "--bootstrap", "0", "--json", "--as")
    given = {"sim_bard": "vicuna-13b"}
    assert shell(*words, "sim_bard=vicuna-13b").document["weights"] == weigh(
        study, contestant_of=given
    )
    unknown = shell(*words, "gpt_9=gpt4")
    assert unknown.code == 2
    assert "no reviewer is called 'gpt_9'; the reviewers are sim_bard, " in unknown.err


@pytest.mark.parametrize("measure", [pj.rank, pj.agreement, pj.bias, pj.report])
def test_unknown_contestant_is_an_error_with_those_there_are(study, measure):
    """A contestant that wrote no answer is an error that names those that did."""
    known = "the contestants are bard, claude, gpt35, gpt4, vicuna-13b"
    with pytest.raises(DataError, match=f"no contestant is called 'gpt-9'; {known}"):
        measure(study, contestant_of={"sim_bard": "gpt-9"})


def test_self_preference_is_found_under_any_name(twins):
    """Reviewers drawn to their own answers show it, though the author has slashes, dots and capitals."""
    own = {
        row.reviewer: row
        for row in pj.bias(twins).bias.measures["self_enhancement"]
        if row.kind == "own"
    }
    assert own["turbo"].authors == ("gpt-3.5-turbo",)
    assert own["calm"].authors == ("meta/Llama-3.1-8B",)
    assert all(row.own_view.value == 1.0 for row in own.values())


def test_reviewer_of_the_same_contestant_is_no_peer(twins):
    """A twin shares the preference, so it is left out of the peers that a reviewer is held against."""

    def peers(*reviewers):
        rows = pj.bias(twins, reviewers=reviewers).bias.measures["self_enhancement"]
        return {row.reviewer: row.peers for row in rows}["calm"]

    assert peers("calm", "strict", "turbo") == peers("calm", "turbo")


def test_two_reviewers_of_one_contestant_have_the_same_weight(twins):
    """A reviewer's weight is the score of its contestant, so both reviewers of one weigh the same."""
    weights = weigh(twins, scheme="damped")
    assert weights["calm"] == pytest.approx(weights["strict"])
    assert weights["calm"] != pytest.approx(weights["turbo"])
    assert sum(weights.values()) == pytest.approx(1.0)


def test_frames_battles_and_transcripts_take_contestants(study):
    """A frame of ballots carries the contestants; battles and transcripts take them with the call."""
    frame = pj.ballots_df(study)
    assert dict(zip(frame["reviewer"], frame["contestant"], strict=True)) == SHIPPED
    assert weigh(frame) == weigh(study)
    columns = ["question", "reviewer", "first", "second", "score"]
    rows = pj.battles_df(study)[columns].astype({"score": int}).to_dict("records")
    battles = [pj.Battle.scored(**row) for row in rows]
    assert pj.peer_rank(battles, contestant_of=SHIPPED).weights == pytest.approx(weigh(study))
    assert len(set(pj.peer_rank(battles).weights.values())) == 1
    assert weigh(pj.load_sync(study), contestant_of=SHIPPED) == weigh(study)
