"""`peerjudge reproduce`: what a paper prints beside what a source gives."""

import json
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.data import Measurement, Verdict, replace
from peerjudge.errors import DataError
from peerjudge.features.papers.reading import list_papers
from peerjudge.features.papers.reproducing import Origin, PublishedCell, PublishedItem, compare_cell
from peerjudge.results.columns import COLUMNS
from peerjudge.shelf import Shelf
from peerjudge.testing import comparison_of, seats_of, transcript_of
from tests.features.pairs.pairs_kit import write_pairs


@pytest.fixture(scope="module")
def prd(verdicts):
    """PRD from its recorded reviews of Vicuna80."""
    return pj.reproduce("prd", verdicts("vicuna80"))


def by_name(document, item):
    """The cells of an item by name."""
    return {cell["name"]: cell for cell in document["cells"] if cell["item"] == item}


def test_recorded_reviews_are_equal_or_not(prd):
    """An interval around the data that a paper counted says nothing: only equal values are counted."""
    cells = prd.document()["cells"]
    assert {cell["origin"] for cell in cells} == {"recorded", "printed", None}
    ordered = [cell for cell in cells if cell["name"].startswith("Elo")]
    assert {cell["inside"] for cell in cells if cell not in ordered} == {None}
    items = {item["name"]: item["by_origin"] for item in prd.document()["items"]}
    counts = {"Table 3": 10, "Section 4.2": 3, "Figure 3": 5, "Figure 7": 20, "Figure 8": 10}
    for name, number in counts.items():
        assert items[name] == {"recorded": {"compared": number, "equal": number}}
    assert items["Appendix H"] == {"printed": {"compared": 7, "equal": 7}}
    differing = [cell["name"] for cell in cells if cell["equal"] is False]
    assert len(differing) == 2  # Two win rates differ in the last decimal.
    equal = sum(cell["equal"] is True for cell in cells)
    assert f"Recorded: {equal - 7} of 68 published values equal to ours" in str(prd)


def test_elo_ratings_differ_by_no_more_than_random_orders_explain(prd):
    """Ratings are means over random orders of the battles, of the authors 100 to 10,000, of ours 1,000."""
    ordered = [cell for cell in prd.document()["cells"] if cell["name"].startswith("Elo")]
    assert len(ordered) == 20
    assert {(cell["equal"], cell["inside"]) for cell in ordered} == {(None, True)}
    (table,) = (item for item in prd.document()["items"] if item["name"] == "Table 2")
    assert table["by_origin"]["recorded"] == {"compared": 40, "equal": 18, "inside": 20}
    assert "Recorded: 20 of 20 published values as near to ours as random orders explain." in str(
        prd
    )


def test_rank_gives_the_same_elo_ratings(prd, verdicts):
    """One rating has one value and interval: `rank` takes the same random orders and resamples."""
    cells = by_name(prd.document(), "Table 2")
    names = {"gpt4": "GPT-4", "claude": "Claude", "gpt35": "GPT-3.5", "bard": "Bard"}
    ranked = pj.rank(verdicts("vicuna80"), scoring="elo", reviewers="human")
    ours = {row["contestant"]: row for row in ranked.rows()}
    for name, model in names.items():
        cell, row = cells[f"Elo, Human, {model}"], ours[name]
        assert cell["ours"] == pytest.approx(row["score"])
        assert [cell["low"], cell["high"]] == pytest.approx([row["low"], row["high"]])


@pytest.mark.parametrize(("printed", "inside"), [(1003.0, True), (1002.5, True), (1005.0, False)])
def test_means_over_orders_may_differ_by_what_the_orders_explain(printed, inside):
    """Bounds from 997.6 to 1002.6 hold printed values from 997 to 1003, as these are rounded."""
    cell = PublishedCell(key=("Elo", "All", "GPT-4"), value=printed, digits=0, impossible="")
    item = PublishedItem(name="T", title="t", source="", data="", needs="", cells=(cell,))
    compared = compare_cell(
        item,
        cell,
        Measurement(value=1000.1, low=900.0, high=1100.0, n=80),
        origin=Origin.RECORDED,
        questions=80,
        note="",
        comparable=True,
        by_chance=(997.6, 1002.6),
    )
    assert (compared.equal, compared.inside) == (None, inside)


def test_table_5_shows_what_the_notebook_of_its_authors_finds(prd):
    """Table 5 cannot be reproduced: its own notebook finds .44375 and .48125 in these reviews, as we do."""
    cells = by_name(prd.document(), "Table 5")
    ours = {name: cell["ours"] for name, cell in cells.items() if cell["ours"] is not None}
    assert ours["GPT-4, accuracy"] == pytest.approx(0.44375)
    assert ours["All, accuracy"] == pytest.approx(0.48125)
    assert all(cell["equal"] is None and "notebook" in cell["note"] for cell in cells.values())
    assert "Arena" in str(prd)


def test_a_cell_has_the_published_value_and_ours(prd):
    """A cell says what is printed, what we find, and within which bounds."""
    cell = by_name(prd.document(), "Table 3")["All (weighted), accuracy"]
    assert cell["published"] == 0.673
    assert cell["ours"] == pytest.approx(0.673125)
    assert cell["low"] < 0.673 < cell["high"]
    assert (cell["equal"], cell["inside"], cell["n"]) == (True, None, 1600)


@pytest.fixture(scope="module")
def discussed(tmp_path_factory):
    """PRD from a simulated run of its discussions, on data of our own with the authors of LFQA."""
    folder = tmp_path_factory.mktemp("discussed")
    data = write_pairs(folder, ("human", "gpt3"), questions=6)
    pj.run_sync("prd_lfqa", data=data, out=str(folder / "run"))
    return pj.reproduce("prd", folder / "run")


def test_every_value_of_discussions_comes_from_one_run(discussed):
    """The shipped experiment gives every cell of Tables 4, 6, 7 and 9 and of Figures 5 and 6."""
    document = discussed.document()
    for item in ("Table 4", "Table 6", "Table 7", "Figure 5", "Figure 6", "Table 9"):
        cells = by_name(document, item)
        assert [name for name, cell in cells.items() if cell["ours"] is None] == []
        assert all(cell["low"] <= cell["ours"] <= cell["high"] for cell in cells.values())
        people = {name: cell.pop("origin") for name, cell in cells.items() if "Human" in name}
        assert {*people.values()} <= {"recorded"}
        assert {cell["origin"] for cell in cells.values() if "origin" in cell} == {"fitted"}
    assert document["simulated"] is True
    assert document["stand_ins"]["sim_gpt35"] == "GPT-3.5"


def discuss(count):
    """Simulated discussions of `count` questions, led by GPT-4 and by Claude."""
    seats = tuple(
        replace(seat, reviewer=name)
        for seat, name in zip(seats_of(2), ("my_gpt4", "my_claude"), strict=True)
    )
    for number in range(count):
        for led in (seats, seats[::-1]):
            comparison = replace(comparison_of(2, name=str(number)), gold=Verdict.of("answer-1"))
            verdict = "1" if number % 4 else "2"
            said = transcript_of(
                f"{verdict}|{verdict} {verdict}", comparison=comparison, seats=led, gold=1
            )
            yield replace(said, condition="-".join(seat.reviewer for seat in led))


@pytest.mark.parametrize(("questions", "compared"), [(19, 0), (20, 3)])
def test_few_questions_are_neither_inside_nor_outside(questions, compared):
    """Intervals of a few questions hold nearly every value, so that nothing is said of them."""
    found = pj.reproduce("prd", list(discuss(questions)), items="Table 4")
    (item,) = found.document()["items"]
    ((source, counts),) = item["by_origin"].items()
    assert (source, counts["compared"]) == ("simulated", compared)
    assert ("which takes 20 questions" in str(found)) == (not compared)


def test_cards_are_declared_fitted_where_they_say_so():
    """Each simulated card whose description says what it was fitted to is declared with those items."""
    shelf = Shelf(project=Path("/nowhere"))
    declared = {
        card
        for paper in list_papers()
        for item in paper.items
        for cell in item.cells
        for card in cell.fitted
    }
    described = {
        entry.name for entry in shelf.entries("agents") if " fitted to " in entry.description
    }
    assert declared == described


def seat_a_model(transcript):
    """The same discussion where a real model spoke as GPT-4, all others being simulated."""
    seats = tuple(
        replace(seat, reviewer=seat.reviewer.replace("sim_gpt4", "my_gpt4"))
        for seat in transcript.seats
    )
    played = {seat.id for seat in seats if seat.reviewer == "my_gpt4"}
    turns = tuple(
        replace(turn, utterance=replace(turn.utterance, simulated=turn.cue.seat not in played))
        for turn in transcript.turns
    )
    return replace(transcript, seats=seats, turns=turns)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Discussions of a real GPT-4 with simulated reviewers that were fitted to Table 4."""
    folder = tmp_path_factory.mktemp("mixed")
    data = write_pairs(folder, ("human", "gpt3"), questions=6)
    pj.run_sync("prd_lfqa", data=data, out=str(folder / "run"))
    return [seat_a_model(one) for one in pj.load_sync(folder / "run")]


@pytest.mark.parametrize("form", [list, pj.ballots_df])
def test_a_value_is_simulated_only_where_one_of_its_own_reviewers_is(mixed, form):
    """What a real model judged in private or with itself is a run, also beside simulated reviewers."""
    found = pj.reproduce("prd", form(mixed))
    origins = {name: cell["origin"] for name, cell in by_name(found.document(), "Table 4").items()}
    assert origins["GPT-4 & GPT-4, random"] == "run"
    assert origins["GPT-4 & Claude, R1"] == "run"
    assert origins["GPT-4 & Claude, R2"] == "fitted"
    assert origins["GPT-4 & Claude, R1 leads"] == "fitted"
    table_6 = by_name(found.document(), "Table 6")
    origins = {name: cell["origin"] for name, cell in table_6.items()}
    assert origins["Human, initial"] == "recorded"
    assert (origins["GPT-4, initial"], origins["GPT-4, after"]) == ("run", "fitted")
    prompts = by_name(found.document(), "Table 9")
    assert prompts["GPT-4 alone, random"]["origin"] == "run"
    assert found.df.set_index(["item", "name"]).origin["Table 4", "Claude & Claude, R1"] == "fitted"
    assert found.simulated
    printed = str(found)
    assert "Fitted: traits of a simulated reviewer were fitted to this value" in printed
    assert printed.startswith("Some reviewers are simulated: values marked simulated or fitted")


def test_a_card_in_the_place_of_another_model_was_not_fitted_to_its_values(mixed):
    """Traits were fitted to the values of one model; as another one, the card is only simulated."""
    swapped = {"sim_claude": "GPT-3.5", "sim_gpt35": "Claude"}
    found = pj.reproduce("prd", mixed, items="Table 4", stand_ins=swapped).document()
    assert by_name(found, "Table 4")["Claude & Claude, R1"]["origin"] == "simulated"


CARD = """
[traits]
ability = 0.9
"""


@pytest.fixture
def seat_cards(tmp_path, monkeypatch):
    """Run PRD's discussions with these cards in its seats, and return the folder of the run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()

    def play(**cards):
        for card in cards.values():
            (tmp_path / "agents" / f"{card}.toml").write_text(CARD)
        data = write_pairs(tmp_path, ("human", "gpt3"), questions=2)
        folder = tmp_path / "run"
        pj.run_sync("prd_lfqa", data=data, out=str(folder), seats=cards)
        return folder

    return play


def test_the_seats_of_the_experiment_say_which_model_a_card_is(seat_cards):
    """A card of any name in the seat `gpt4` stands for GPT-4, also beside cards that say it themselves."""
    found = pj.reproduce("prd", seat_cards(gpt4="my_card", claude="gpt_4_of_mine"))
    stand_ins = {"my_card": "GPT-4", "gpt_4_of_mine": "Claude", "sim_gpt35": "GPT-3.5"}
    assert found.stand_ins == stand_ins
    cells = by_name(found.document(), "Table 4")
    assert all(cell["ours"] is not None for cell in cells.values())
    assert cells["GPT-4 & GPT-4, R1"]["origin"] == "simulated"


def test_a_card_that_no_seat_names_is_asked_for(seat_cards, shell):
    """One card in the seats of two models stands for neither: the message has the options to add."""
    run = str(seat_cards(gpt4="one", claude="one"))
    outcome = shell("reproduce", "prd", run, "--item", "Figure 6")
    assert outcome.code == 2
    assert outcome.err.endswith("stands for: add --as one=GPT-4 or --as one=Claude\n")
    printed = " ".join(str(pj.reproduce("prd", run, items="Table 4")).split())
    assert "add --as one=GPT-4 or --as one=Claude." in printed


def test_a_run_of_the_paper_s_data_is_not_called_the_wrong_one(tmp_path):
    """Judged is what the paper judged; only the names of the models are missing."""
    row = {"question": "Q?", "answer_a": "One.", "answer_b": "Two.", "overall_preference": 1}
    row |= {"answer_a_type": "machine", "answer_b_type": "human", "justification": ""}
    (tmp_path / "experts.jsonl").write_text(json.dumps(row) + "\n")
    data = f"lfqa:{tmp_path / 'experts.jsonl'}"
    pj.run_sync("quickstart", data=data, out=tmp_path / "run")
    with pytest.raises(DataError) as refused:
        pj.reproduce("prd", tmp_path / "run", items="Table 4")
    assert "gives nothing of Table 4 of PRD yet: " in str(refused.value)
    assert "--as sim_strong=MODEL" in str(refused.value)
    assert "peerjudge run" not in str(refused.value)


def test_values_of_other_data_are_not_compared(discussed):
    """A run on other data than the paper's is no evidence for or against its values."""
    cells = by_name(discussed.document(), "Table 4").values()
    assert {cell["inside"] for cell in cells} == {None}
    assert all("lfqa" in cell["note"] for cell in cells)


def test_random_lies_between_the_leaders(discussed):
    """Where both reviewers lead as often, the random leader gives the mean of the two."""
    cells = by_name(discussed.document(), "Table 4")
    for pair in ("GPT-4 & Claude", "GPT-3.5 & GPT-3.5"):
        one, other, both = (
            cells[f"{pair}, {column}"]["ours"] for column in ("R1 leads", "R2 leads", "random")
        )
        assert both == pytest.approx((one + other) / 2)


def test_a_run_of_vicuna80_gives_every_row_of_table_5(tmp_path):
    """The shipped experiment also has GPT-4 with Claude, who discuss the answers of one pair only."""
    authors = ("gpt4", "claude", "gpt35", "vicuna-13b", "bard")
    pj.run_sync("prd_vicuna80", data=write_pairs(tmp_path, authors), out=str(tmp_path / "run"))
    found = pj.reproduce("prd", tmp_path / "run", items=["Table 5", "Figure 7"]).document()
    cells = by_name(found, "Table 5")
    assert all(0 <= cell["low"] <= cell["ours"] <= cell["high"] for cell in cells.values())
    assert len(cells) == 4
    given = [cell for cell in by_name(found, "Figure 7").values() if cell["ours"] is not None]
    assert len(given) == 20


def test_people_s_preferences_are_exact(tmp_path):
    """The rows of people in Tables 6 and 7 need only the data, and no discussions."""
    rows = [
        {
            "question": f"Q{number}?",
            "answer_a": "One.",
            "answer_b": "Two.",
            "answer_a_type": kinds[0],
            "answer_b_type": kinds[1],
            "overall_preference": vote,
            "justification": "",
        }
        for number, (kinds, vote) in enumerate(
            [
                (("machine", "human"), -1),
                (("machine", "human"), 1),
                (("human", "machine"), 1),
                (("human", "human"), 1),
            ]
        )
    ]
    path = tmp_path / "experts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    document = pj.reproduce("prd", f"lfqa:{path}", items=["Table 6", "Table 7"]).document()
    assert by_name(document, "Table 6")["Human, initial"]["ours"] == pytest.approx(2 / 3)
    cells = by_name(document, "Table 7")
    assert cells["Human, initial, GPT-3 first"]["ours"] == 0.5
    assert cells["Human, initial, human first"]["ours"] == 1.0


def test_the_frame_and_the_page_have_the_same_cells(prd):
    """A notebook shows what the command prints."""
    assert list(prd.df.columns) == list(COLUMNS["reproduce"])
    assert len(prd.df) == len(prd.document()["cells"])
    assert "GPT-4 &amp; Claude" in prd._repr_html_()


def test_one_item_is_printed_as_json(shell, verdicts):
    """`--item` narrows, in any case of letters, and the document has the agreed names."""
    words = ("--item", "table 3", "--json", "--figures", "drawn")
    outcome = shell("reproduce", "prd", verdicts("vicuna80"), *words)
    assert outcome.code == 0, outcome.err
    document = outcome.document
    assert {"schema", "paper", "source", "cells", "items"} <= document.keys()
    names = {"item", "name", "published", "ours", "low", "high", "inside", "origin", "note"}
    assert all(names <= cell.keys() for cell in document["cells"])
    assert [item["name"] for item in document["items"]] == ["Table 3"]
    assert document == json.loads(json.dumps(document, allow_nan=False))
    assert (shell.folder / "drawn" / "table-3.svg").read_text("utf-8").count("0.673") > 0


def test_a_reviewer_stands_for_the_one_it_is_said_to_be(verdicts):
    """With `--as`, values of GPT-4 come from another reviewer."""
    given = {"bard": "GPT-4", "gpt4": "Bard"}
    found = pj.reproduce("prd", verdicts("vicuna80"), items="Section 4.2", stand_ins=given)
    cells = by_name(found.document(), "Section 4.2")
    assert cells["GPT-4, accuracy"]["ours"] == pytest.approx(0.553, abs=1e-3)
    assert cells["GPT-4, accuracy"]["equal"] is False
    assert "Recorded: 1 of 3 published values equal to ours" in str(found)


MISTAKES = {
    "no such paper": (("nothing", "SOURCE"), "choose one of"),
    "no such item": (("prd", "SOURCE", "--item", "Table 99"), "Table 2"),
    "no such reviewer": (("prd", "SOURCE", "--as", "eve=GPT-4"), "gpt35"),
    "no such model": (("prd", "SOURCE", "--as", "gpt4=GPT-9"), "GPT-3.5"),
    "no model": (("prd", "SOURCE", "--as", "gpt4"), "REVIEWER=MODEL"),
    "no such run": (("prd", "nowhere"), "nowhere"),
    "nothing of it": (("prd", "sample:"), "Vicuna80"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_with_the_choices(shell, verdicts, mistake):
    """Unknown papers, items and reviewers, and sources that give nothing, exit with 2."""
    words, says = MISTAKES[mistake]
    words = (verdicts("vicuna80") if word == "SOURCE" else word for word in words)
    outcome = shell("reproduce", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err


def test_papers_are_listed(shell):
    """`peerjudge list papers` names the tables and figures of each."""
    rows = {row["name"]: row for row in shell("list", "papers", "--json").document}
    assert "Table 2" in rows["prd"]["description"]
