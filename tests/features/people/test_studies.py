"""Studies from files and experiments, their changes, and their votes as records that commands read."""

import pytest

import peerjudge as pj
from peerjudge.data import Verdict, replace
from peerjudge.datasets import load
from peerjudge.errors import DataError, ExperimentError, StoreError
from peerjudge.features.people.desk import DeskAnswer, Draft
from peerjudge.features.people.nouns import Study, StudyOrders
from peerjudge.features.people.results import study as describe_study
from peerjudge.features.people.studies import (
    begin_study,
    list_study_answers,
    read_study,
    save_votes,
)
from peerjudge.features.people.study_desk import StudyDesk
from peerjudge.shelf import Shelf

SHELF = Shelf()
STUDY = Study(data="sample", annotators=("ann", "bob"), judgments=2, checks=0.2, limit=4)


def judge(folder, study, choose):
    """Let people answer in turn with `choose(annotator, answers of the task)`, and save the votes."""
    with StudyDesk.open(folder) as desk:
        begin_study(desk, study, shelf=SHELF)
        active = list(study.annotators)
        while active:
            for annotator in list(active):
                task = desk.claim(annotator)
                if task is None:
                    active.remove(annotator)
                    continue
                choice = choose(annotator, [one.text for one in task.sheet.answers])
                draft = Draft(choice=choice)
                desk.submit(DeskAnswer(task=task.id, text=choice, draft=draft))
        save_votes(desk, folder)


def test_a_study_is_a_file_or_takes_data_and_protocol_from_an_experiment(tmp_path):
    """A TOML file names its fields; of an experiment, the condition with one seat counts."""
    file = tmp_path / "votes.toml"
    file.write_text('data = "sample"\nannotators = ["ann", "bob"]\njudgments = 2\n')
    found = read_study(str(file), shelf=SHELF, changes={"limit": 3})
    assert found == Study(
        data="sample", annotators=("ann", "bob"), judgments=2, name="votes", limit=3
    )
    own = tmp_path / "own.py"
    own.write_text(
        '"""Q?"""\nfrom peerjudge.data import Condition, Experiment\nEXPERIMENT = Experiment('
        'data="sample", seed=5, conditions=('
        'Condition(name="alone", protocol="pairwise", seats=("sim_gpt4",), orders="given"), '
        'Condition(name="talk", protocol="leader_follower", seats=("sim_gpt4", "sim_gpt35"))))\n'
    )
    taken = read_study(str(own), shelf=SHELF, changes={"annotators": ["ann"]})
    assert (taken.protocol, taken.orders, taken.seed) == ("pairwise", StudyOrders.GIVEN, 5)
    with pytest.raises(DataError, match="--annotators"):
        read_study(str(own), shelf=SHELF)
    with pytest.raises(ExperimentError, match="has alone; choose with --condition"):
        read_study(str(own), shelf=SHELF, condition="talk", changes={"annotators": ["ann"]})


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"judgments": 3}, DataError, "1 to 2 different people"),
        ({"annotators": ("ann", "ann")}, DataError, "named twice"),
        ({"annotators": ("ann,bob",)}, DataError, "no comma"),
        ({"checks": 0.9}, DataError, "from 0 to 0.5"),
        ({"orders": "both"}, DataError, "balanced, given"),
    ],
)
def test_a_wrong_declaration_is_named(fields, error, words):
    """Each field is checked before anything is written."""
    with pytest.raises(error, match=words):
        Study(**{"data": "sample", "annotators": ("ann", "bob"), **fields})


def test_a_protocol_that_asks_more_than_once_is_refused(tmp_path):
    """A person of a study is asked once for each pair; discussions belong to runs."""
    with StudyDesk.open(tmp_path) as desk:
        with pytest.raises(ExperimentError, match="asks 3 times"):
            begin_study(desk, replace(STUDY, protocol="prepair"), shelf=SHELF)
        assert desk.read_study() is None


def test_annotators_and_limit_can_grow_and_data_cannot_change(tmp_path):
    """A changed declaration adds people and pairs; what answers depend on stays."""
    judge(tmp_path, STUDY, lambda name, texts: "1")
    with StudyDesk.open(tmp_path) as desk:
        grown = replace(STUDY, annotators=("ann", "bob", "cem"), limit=6)
        begin_study(desk, grown, shelf=SHELF)
        assert desk.count_open() == {"ann": 2, "bob": 2, "cem": 2}
        with pytest.raises(StoreError, match="seed = 0, not 1; name another folder"):
            begin_study(desk, replace(grown, seed=1), shelf=SHELF)
        with pytest.raises(StoreError, match="bob has judged"):
            begin_study(desk, replace(grown, annotators=("ann", "cem")), shelf=SHELF)


def test_votes_are_records_of_people_in_the_order_that_each_saw(tmp_path):
    """Both people choose one text in opposite orders; checks are no votes; analyses read the folder."""
    longer = lambda name, texts: str(1 + (len(texts[1]) > len(texts[0])))  # noqa: E731
    judge(tmp_path, STUDY, longer)
    found = load(str(tmp_path))
    assert (len(found.reviews), found.humans) == (8, ("ann", "bob"))
    for pair in found.comparisons:
        votes = [one for one in found.reviews if one.comparison == pair.id]
        best = max(pair.answers, key=lambda one: len(one.text)).id
        assert [one.verdict for one in votes] == [Verdict.of(best)] * 2
        assert votes[0].shown == votes[1].shown[::-1]
    measured = pj.agreement(str(tmp_path), reviewers="human", panel=True).panel
    assert measured.krippendorff_alpha.value == 1.0
    assert [one.cohen_kappa.value for one in measured.pairs] == [1.0]
    assert pj.score(str(tmp_path), reviewers="human") is not None


def test_without_gold_the_votes_settle_it(tmp_path):
    """Data of the user's own without gold get that of the votes; no vote is judged by itself."""
    table = tmp_path / "own.csv"
    table.write_text("question,answer_a,answer_b\nWhy?,So.,Because of it.\nHow?,Thus.,Not.\n")
    study = replace(STUDY, data=str(table), checks=0.0, limit=None)
    judge(tmp_path / "votes", study, lambda name, texts: str(1 + (texts[1] == "Because of it.")))
    found = load(str(tmp_path / "votes"))
    assert found.labeled == ()
    assert found.comparisons[0].gold == Verdict.of(found.comparisons[0].answers[1].id)


def test_the_state_of_a_study_has_agreement_and_can_leave_inattentive_people_out(tmp_path):
    """A person who always takes the first answer fails checks, and is named where left out."""
    longer = lambda texts: str(1 + (len(texts[1]) > len(texts[0])))  # noqa: E731
    three = replace(STUDY, annotators=("ann", "bob", "cem"), checks=0.4, limit=8)

    def choose(name, texts):
        return "1" if name == "cem" else longer(texts)

    judge(tmp_path, three, choose)
    found = describe_study(tmp_path)
    assert found.document()["agreement"]["krippendorff_alpha"]["value"] < 1.0
    assert found.progress.people["cem"].first_shown.value == 1.0
    assert (found.progress.complete, found.progress.answered) == (8, 16)
    assert "Failed checks" in str(found)
    shares = {name: one.passed.value for name, one in found.progress.people.items()}
    limit = 1 - max(shares.values())
    strict = describe_study(tmp_path, most_failed=limit)
    assert strict.left_out == tuple(name for name in shares if shares[name] < 1 - limit)
    assert f"for failed checks: {', '.join(strict.left_out)}." in str(strict)
    assert strict.progress == found.progress
    with StudyDesk.open(tmp_path) as desk:
        rows = list_study_answers(desk, tmp_path)
    assert {one.chosen for one in rows if one.check is None} == {
        name for one in rows if one.check is None for name in one.shown
    }


def test_a_study_without_answers_has_a_state(tmp_path):
    """Before the first answer nothing is measured, and the sentence says why."""
    with StudyDesk.open(tmp_path) as desk:
        begin_study(desk, STUDY, shelf=SHELF)
    found = describe_study(tmp_path)
    assert found.panel is None
    assert "no two people have judged the same pair" in str(found)
