"""Desk of a study: claims of several processes on one file, lapses, checks, and what people are shown."""

import pytest

from peerjudge.data import TaskSheet, TitledText, replace, to_json
from peerjudge.errors import StoreError
from peerjudge.features.people.desk import Draft, TaskState
from peerjudge.features.people.desk_records import list_people_answers
from peerjudge.features.people.nouns import CheckKind, Study
from peerjudge.features.people.study_desk import ClaimLapsedError, StudyDesk, StudyItem
from peerjudge.testing import comparison_of
from tests.features.people.desk_kit import answer as form, task

STUDY = Study(data="sample", annotators=("ann", "bob", "cem"), judgments=1, checks=0.0)


def item(number):
    """Return a pair in both orders; authors and gold are words that no task may contain."""
    pair = comparison_of(2, gold=1, name=f"q{number}")
    tasks = []
    for shown in (pair, pair.swapped()):
        titled = [
            TitledText(title=f"Answer ({x})", text=f"{one.id} of {number}")
            for x, one in zip("ab", shown.answers, strict=True)
        ]
        sheet = TaskSheet(question=f"Question {number}?", answers=tuple(titled), instruction="#")
        tasks.append(task("", card="", messages=(), sheet=sheet))
    return StudyItem(comparison=pair, orders=(pair.shown, pair.swapped().shown), tasks=tuple(tasks))


def answer(desk, asked, choice="1"):
    """Submit a choice."""
    desk.submit(form(choice, name=asked.id))


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a study of one judgement of each of three pairs."""
    with StudyDesk.open(tmp_path) as desk:
        desk.declare(STUDY, map(item, range(3)))
    return tmp_path


def test_two_servers_never_give_one_item_to_two_people(folder):
    """Claims through two connections are on different items; with all claimed, the third person gets none."""
    with StudyDesk.open(folder) as one, StudyDesk.open(folder) as other:
        claimed = [one.claim("ann"), other.claim("bob")]
        assert claimed[0].sheet.question != claimed[1].sheet.question
        assert one.claim("ann") == claimed[0]
        answer(one, claimed[0])
        third = one.claim("ann")
        assert third.sheet.question not in {each.sheet.question for each in claimed}
        assert other.claim("cem") is None
        assert other.count_open() == {"ann": 1, "bob": 1, "cem": 0}


def test_a_person_who_leaves_frees_the_task_and_gets_it_last(folder):
    """A task left for later is free at once, keeps its draft, and comes back after all others."""
    with StudyDesk.open(folder) as desk:
        left = desk.claim("ann")
        desk.save_draft(left.id, Draft(reason="half"), version=0)
        desk.leave(left.id, annotator="ann")
        seen = []
        for _ in range(2):
            task = desk.claim("ann")
            seen.append(task.id)
            answer(desk, task)
        assert left.id not in seen
        assert desk.claim("ann").id == left.id
        assert desk.find_entry(left.id).draft.reason == "half"
        desk.leave(left.id, annotator="ann")
        assert desk.claim("bob").sheet.question == left.sheet.question
        assert desk.claim("ann") is None
        assert [one.state for one in desk.list_tasks("ann")] == [TaskState.ANSWERED] * 2


def test_a_lapsed_claim_is_given_to_others_and_its_late_answer_is_refused(folder):
    """Of two people with one item, the later one is told so; without the other, the late answer counts."""
    with StudyDesk.open(folder, lapse=0.0) as desk:
        late = desk.claim("ann")
        answer(desk, late)
        late = desk.claim("ann")
        other = desk.claim("bob")
        while other.sheet.question != late.sheet.question:
            answer(desk, other)
            other = desk.claim("bob")
        answer(desk, other)
        with pytest.raises(ClaimLapsedError, match="judged this meanwhile"):
            answer(desk, late)
        assert desk.find_answer(late.id) is None
        assert sum(one.answered for one in desk.list_claims()) == 3


def test_a_draft_prolongs_a_claim(folder):
    """A person who types holds the task, by the clock of the database."""
    with StudyDesk.open(folder, lapse=1e-9) as brief, StudyDesk.open(folder) as desk:
        task = desk.claim("ann")
        before = desk._connection.execute("SELECT until FROM claims").fetchone()
        desk.save_draft(task.id, Draft(reason="more"), version=0)
        assert desk._connection.execute("SELECT until FROM claims").fetchone() > before
        brief.save_draft(task.id, Draft(reason="more words"), version=1)
        assert not desk.list_claims()[0].live


def test_an_answer_can_be_changed_after_the_item_is_complete(folder):
    """A correction by the same person supersedes, and takes no place of another one."""
    with StudyDesk.open(folder) as desk:
        task = desk.claim("ann")
        answer(desk, task, "1")
        desk.submit(form("2", name=task.id), version=desk.find_entry(task.id).version)
        assert [one.choice for one in list_people_answers(folder)] == ["1", "2"]
        assert sum(one.answered for one in desk.list_claims()) == 1


def test_each_kind_of_check_has_an_expected_choice(tmp_path):
    """One says what to choose, one turns an earlier pair, one has an answer to another question."""
    with StudyDesk.open(tmp_path) as desk:
        desk.declare(replace(STUDY, checks=0.5), map(item, range(9)))
        while (task := desk.claim("ann")) is not None:
            answer(desk, task, "2")
        claims = desk.list_claims()
        assert sum(one.check is None for one in claims) == 9
        found = {one.check: one for one in claims if one.check is not None}
        assert set(found) == set(CheckKind)
        read = {one.task: desk.find_task(one.task, card="ann").sheet for one in claims}
        own = {one.item: read[one.task] for one in claims if one.check is None}

        told = found[CheckKind.TOLD]
        assert f"choose Answer ({' ab'[int(told.expected)]}) here" in read[told.task].question
        turned = found[CheckKind.REVERSED]
        assert turned.expected == "1"
        texts = [one.text for one in own[turned.item].answers]
        assert [one.text for one in read[turned.task].answers] == texts[::-1]
        plain = found[CheckKind.PLAIN]
        foreign = read[plain.task].answers[2 - int(plain.expected)]
        kept = read[plain.task].answers[int(plain.expected) - 1]
        assert foreign not in own[plain.item].answers
        assert kept in own[plain.item].answers
        assert [one.title for one in read[plain.task].answers] == ["Answer (a)", "Answer (b)"]


def test_a_task_holds_no_author_no_gold_and_no_item(folder):
    """What is posted for a person has the words of the sheet only."""
    with StudyDesk.open(folder) as desk:
        task = desk.claim("ann")
        pair = desk.list_items()[0].comparison
    words = to_json(task)
    assert task.messages == ()
    assert pair.id not in words
    assert all(one.author not in words for one in pair.answers if one.author)


def test_a_folder_without_a_study_is_named(tmp_path):
    """Opening a study that is not there writes nothing."""
    with (
        pytest.raises(StoreError, match="holds no study"),
        StudyDesk.open(tmp_path / "none", create=False),
    ):
        pass
    assert not (tmp_path / "none").exists()
