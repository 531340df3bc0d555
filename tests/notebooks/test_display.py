"""Objects at the end of a cell: text, one line inside of other objects, frames, and hostile names."""

import copy
import pickle

import pandas as pd
import pytest
from IPython.lib.pretty import pretty

import peerjudge as pj
from peerjudge.data import replace
from peerjudge.features.judge.judgements import Judgement, JudgementCost
from peerjudge.features.pairs.nouns import Item, MadeAnswer, Pair, Paired, RecipeCount
from peerjudge.results.base import Result
from peerjudge.results.columns import COLUMNS
from peerjudge.testing import transcript_of

from .test_forms import HOSTILE, TAGS, Tags, summary_of

MEASURES = (pj.score, pj.compare, pj.agreement, pj.bias, pj.rank, pj.events, pj.report)
ONE_LINE = 200


def judgement_of(name: str) -> Judgement:
    """Return a judgement of one discussion by the judge of this name."""
    talk = transcript_of("2|1 1 1")
    return Judgement(
        comparison=talk.comparison,
        by=name,
        verdict=talk.verdict,
        transcripts=(talk,),
        cost=JudgementCost(simulated=4),
    )


def pairs_of(name: str) -> Paired:
    """Return one pair whose texts, source and recipe have this name."""
    item = Item(question="q", text=name, answer=name, author=name, category=name, parent="c")
    made = MadeAnswer(text=name, author=name)
    pair = Pair(id="p", item=item, recipe=name, better=made, worse=(made,), seed=0)
    count = RecipeCount(recipe=name, kept=1, disputed=0, left_out={name: 2})
    return Paired(
        out="out",
        source=name,
        licence=name,
        seed=0,
        pairs=(pair,),
        counts=(count,),
        audits={},
        verifiers=(),
        hard_for="",
        files={"pairs": name},
        calls={},
        tokens=0,
        cost_usd=0.0,
    )


def talks() -> list[pj.Transcript]:
    """Return four discussions with gold on two questions."""
    return [
        replace(transcript_of(told, gold=gold), id=f"{number:032}", condition="talk")
        for number, (told, gold) in enumerate([("2|1 1 1", 1), ("1|1 1 1", 2)] * 2)
    ]


OTHERS = (
    lambda name: summary_of(folder=name, stopped="cost limit"),
    lambda name: replace(talks()[0], condition=name),
    judgement_of,
    pairs_of,
)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_result_is_text_alone_and_one_line_inside(measure):
    """IPython shows a result as `print` does, and a list of results as one line each."""
    found = measure(talks())
    assert pretty(found) == str(found)
    assert "\n" not in repr(found)
    assert repr(found).startswith(f"<{type(found).__name__}: ")
    assert len(repr(found)) < ONE_LINE
    assert pretty([found]) == f"[{found!r}]"


@pytest.mark.parametrize("make", OTHERS)
def test_other_objects_are_shown_alike(make):
    """Runs, discussions, judgements and pairs are short inside, and escape what they show."""
    for name in ("study", HOSTILE):
        found = make(name)
        assert pretty(found) == str(found)
        assert pretty([found]) == f"[{found!r}]"
        assert len(repr(found)) < ONE_LINE + len(name)
        page = found._repr_html_()
        assert Tags(page).tags <= TAGS
        for form in (page, str(found), repr(found)):
            assert not {"\x1b", "\u202e", "\ud800"} & set(form)
    plain = make("study")
    assert pickle.loads(pickle.dumps(plain)) == copy.deepcopy(plain) == plain
    assert plain != found


def test_a_long_result_is_cut_in_a_notebook_only():
    """A notebook shows the first lines and says how many `print` has."""
    found = pj.events([replace(transcript_of("2|" + "1 " * 400), condition="long")])
    lines = str(found).splitlines()
    assert len(lines) > 300
    shown = pretty(found).splitlines()
    assert shown[:100] == lines[:100]
    assert f"... and {len(lines) - 100} more lines" in shown[100]
    assert len(shown) == 101
    assert f"... and {len(lines) - 100} more lines" in found._repr_html_()


def test_what_a_notebook_shows_has_a_frame():
    """A judgement has a row per seat, pairs one per pair, and a run one; columns are documented."""
    for found, name, rows in (
        (judgement_of("ann"), "judgement", 2),
        (pairs_of("x"), "pairs", 1),
        (summary_of(), "run", 1),
    ):
        assert isinstance(found.df, pd.DataFrame)
        assert list(found.df.columns) == list(COLUMNS[name])
        assert len(found.df) == rows
    assert judgement_of("ann").df["concluded"].nunique() == 1
    assert summary_of().df["cost_usd"].item() == 0.25


def test_every_result_has_a_short_line():
    """No class of results prints all its fields: its `repr` is that of `Result`."""
    for name in pj.__all__:
        getattr(pj, name)  # imports the module of each result
    classes = [Result]
    for one in classes:
        classes += one.__subclasses__()
    assert len(classes) > 15
    assert {one.__repr__ for one in classes} == {Result.__repr__}
