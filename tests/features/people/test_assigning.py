"""Assignment of items to people: quotas, balanced orders, checks, whatever the people do."""

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import replace
from peerjudge.features.people.assigning import choose_item, count_left, find_begun, find_due_check
from peerjudge.features.people.nouns import CheckKind, Claim


def judge_all(people, *, items, judgments, seed, acts=()):
    """Let people claim, answer, or leave in turn, as `acts` say, until nothing is left; return the claims."""
    claims, acts = [], list(acts)
    orders = {f"q{number}": 2 for number in range(items)}
    idle = 0
    while idle < len(people):
        for annotator in people:
            known = {"annotator": annotator, "judgments": judgments}
            begun = find_begun(claims, **known, left=False)
            chosen = None if begun else choose_item(orders, claims, **known, seed=seed)
            begun = begun or (None if chosen else find_begun(claims, **known, left=True))
            if begun is None and chosen is None:
                idle += 1
                continue
            idle = 0
            if begun is None:
                begun = Claim(
                    task=f"{annotator}{len(claims)}",
                    item=chosen[0],
                    annotator=annotator,
                    order=chosen[1],
                )
                claims.append(begun)
            act = acts.pop() if acts else "answer"
            changed = {
                "answer": {"answered": True, "live": True, "left": False},
                "hold": {"live": True, "left": False},
                "lapse": {"live": False, "left": False},
                "leave": {"live": False, "left": True},
            }[act]
            claims[claims.index(begun)] = replace(begun, **changed)
    return claims


@given(
    people=st.integers(2, 5),
    items=st.integers(1, 12),
    judgments=st.integers(1, 3),
    seed=st.integers(0, 99),
    acts=st.lists(st.sampled_from(["answer", "hold", "lapse", "leave"]), max_size=40),
)
def test_each_item_gets_its_number_of_different_people(people, items, judgments, seed, acts):
    """After any leaving and coming back, each item has K judgements by K different people."""
    judgments = min(judgments, people)
    names = [f"p{number}" for number in range(people)]
    claims = judge_all(names, items=items, judgments=judgments, seed=seed, acts=acts)
    answered = [one for one in claims if one.answered]
    assert Counter(one.item for one in answered) == {f"q{n}": judgments for n in range(items)}
    assert len({(one.item, one.annotator) for one in answered}) == len(answered)
    assert all(
        count_left([f"q{n}" for n in range(items)], claims, annotator=one, judgments=judgments) == 0
        for one in names
    )


@pytest.mark.parametrize("judgments", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_orders_are_halved_by_pair_and_by_person(judgments, seed):
    """The orders of a pair differ by one at most; a person sees each order in nearly half of the pairs."""
    claims = judge_all(list("abcd"), items=40, judgments=judgments, seed=seed)
    for item in {one.item for one in claims}:
        swapped = [one.order for one in claims if one.item == item]
        assert abs(2 * sum(swapped) - judgments) <= 1
    for person in "abcd":
        orders = [one.order for one in claims if one.annotator == person]
        assert abs(2 * sum(orders) - len(orders)) <= 4


def test_a_study_with_another_seed_has_another_order_of_tasks():
    """The order is drawn with the seed, by person: neither the same for all, nor that of the data."""
    by_seed = [judge_all(["a", "b"], items=20, judgments=1, seed=seed) for seed in (0, 0, 1)]
    ordered = [[one.item for one in claims if one.annotator == "a"] for claims in by_seed]
    assert ordered[0] == ordered[1] != ordered[2]
    assert ordered[0] != sorted(ordered[0], key=lambda item: int(item[1:]))


@pytest.mark.parametrize(("share", "least", "most"), [(0.1, 9, 10), (0.25, 23, 25), (0.0, 0, 0)])
def test_checks_are_the_declared_share_and_come_in_all_kinds(share, least, most):
    """Of 100 tasks about the declared share are checks, of each kind about a third, spread over the tasks."""
    claims = []
    for number in range(100):
        kind = find_due_check(claims, annotator="a", share=share, seed=3)
        claims.append(
            Claim(task=f"t{number}", item="q", annotator="a", order=0, check=kind, answered=True)
        )
    kinds = Counter(one.check for one in claims if one.check)
    assert least <= sum(kinds.values()) <= most
    if share:
        assert set(kinds) == set(CheckKind)
        assert max(kinds.values()) - min(kinds.values()) <= 1
        assert [one.check for one in claims[:2]] == [None, None]
