"""Cost of a run by reviewer."""

from hypothesis import given, settings, strategies as st

from peerjudge.analysis.effort import Spoken
from peerjudge.analysis.findings import build_findings
from peerjudge.data import Transcript, Usage
from peerjudge.results.page import build_costs, describe_cost
from peerjudge.testing import transcript_of
from tests.reporting.conftest import with_utterances

said = st.builds(
    Spoken,
    replies=st.just(3),
    paid=st.just(3),
    prompt_tokens=st.integers(0, 10**6),
    completion_tokens=st.integers(0, 10**6),
)


def spoken(transcript: Transcript, **changes) -> Spoken:
    """Return the replies of the leader in a discussion whose utterances have these changes."""
    return build_findings([with_utterances(transcript, **changes)]).spoken["reviewer-1"]


def test_replies_are_paid_simulated_cached_or_free():
    """Only replies of a paid model cost tokens; a retry is a repeated call."""
    told, usage = transcript_of("1|1 1 1"), Usage(prompt_tokens=100, completion_tokens=10)
    paid = spoken(told, simulated=False, usage=usage, attempts=2, latency=1.5)
    assert (paid.replies, paid.paid, paid.retries, paid.latency) == (2, 2, 2, 3.0)
    assert (paid.prompt_tokens, paid.completion_tokens, paid.other_tokens) == (200, 20, 0)
    for changes, counted in (
        ({"simulated": True}, (0, 2, 0)),
        ({"simulated": False, "cached": True}, (0, 0, 2)),
    ):
        other = spoken(told, usage=usage, **changes)
        assert (other.paid, other.simulated, other.cached) == counted
        assert (other.prompt_tokens, other.other_tokens) == (0, 220)
    free = spoken(told, simulated=False, usage=Usage())
    assert (free.replies, free.paid, free.simulated, free.cached) == (2, 0, 0, 0)


def test_replies_without_tokens_are_counted_beside_the_tokens_of_a_condition():
    """The sum of tokens has none of a reply that reported none, so their number stands beside it."""
    told = transcript_of("1|1 1 1")
    for usage, expected in ((Usage(), len(told.turns)), (Usage(prompt_tokens=9), 0)):
        counted = with_utterances(told, simulated=False, usage=usage)
        assert build_findings([counted]).effort.uncounted == expected


@settings(max_examples=25)
@given(said, said)
def test_the_total_is_the_sum_of_the_reviewers(one: Spoken, other: Spoken):
    """The cost is the number of tokens times their price, summed over reviewers."""
    prices = {"ann": {"input": 2.0, "output": 10.0}, "bob": {"input": 0.5, "output": 1.5}}
    costs = build_costs({"ann": one, "bob": other}, {"prices": prices})
    ann, bob = costs.rows
    assert ann.cost == (one.prompt_tokens * 2.0 + one.completion_tokens * 10.0) / 1e6
    assert costs.total.cost == (ann.cost or 0.0) + (bob.cost or 0.0)
    assert costs.known
    assert costs.total.spoken == one + other


def test_an_unknown_price_is_not_zero():
    """Calls at an unknown price leave the total unknown; a reviewer without paid calls is free."""
    said = {"ann": Spoken(replies=1, paid=1, prompt_tokens=5), "bob": Spoken(replies=1)}
    costs = build_costs(said, {"prices": {"ann": None}})
    assert [row.cost for row in costs.rows] == [None, 0.0]
    assert not costs.known


def test_unknown_tokens_are_not_zero():
    """A reviewer with a price that reports no tokens has an unknown cost, unless it is free."""
    spoken = {"own": Spoken(replies=2), "rule": Spoken(replies=3), "person": Spoken(replies=1)}
    prices = {"own": {"input": 1.0, "output": 1.0}, "rule": {"input": 0, "output": 0}}
    costs = build_costs(spoken, {"prices": prices})
    assert [row.cost for row in costs.rows] == [None, 0.0, 0.0]
    assert (costs.total.unmetered, describe_cost(costs)) == (2, "Cost: unknown.")
