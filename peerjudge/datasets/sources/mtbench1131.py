"""MT-Bench as PRePair's authors judge it: the pairs of the first turn, and the different votes on them.

Jeong et al., "On the Adversarial Vulnerability of Pairwise Evaluation Using Large Language Models",
appendix A.1 and Table 3. They count 1,131 human judgements of the first turn, 885 by experts and
246 by authors; the published votes on it are 1,689. They state no rule. 1,131 is the number of different
votes: those on one question, the same two models and with the same verdict count once. So this
dataset keeps the first of equal votes in the order of the file, and 910 comparisons with votes.

It is not known to which type of labeler the authors count the 169 votes that an expert and an author
both gave: by the order of rows, experts have between 819 and 988. In the order of this copy of the
votes (sorted; the published order is lost), they have 863 and authors 268.

Gold is still settled from all votes. With `--by labeler`, each of the different votes is one. GPT-4's
verdicts on these pairs are kept. Files and texts are those of `mtbench`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from peerjudge.data import Conventions, Dataset, RecordedReview, Undecided, Verdict, replace
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.sources import mtbench

CONVENTIONS = Conventions(
    source="Jeong et al. 2024, Table 3",
    undecided=Undecided.AS_TIE,
    votes=("expert", "author"),
    by="labeler",
)


def _read(request: Request) -> Dataset:
    whole = mtbench.SOURCE.read(request)
    comparisons = tuple(
        comparison
        for comparison in whole.comparisons
        if comparison.subset == "turn 1" and comparison.gold is not None
    )
    return replace(
        whole,
        name="mtbench1131",
        description=SOURCE.description,
        comparisons=comparisons,
        reviews=tuple(_drop_equal_votes(whole, {one.id for one in comparisons})),
        conventions=CONVENTIONS,
    )


def _drop_equal_votes(whole: Dataset, names: Collection[str]) -> Iterator[RecordedReview]:
    """Yield the reviews of these comparisons; of people's equal votes on one, only the first."""
    humans = set(whole.humans)
    voted: set[tuple[str, Verdict]] = set()
    for review in whole.reviews:
        vote = (review.comparison, review.verdict)
        if review.comparison in names and not (review.reviewer in humans and vote in voted):
            if review.reviewer in humans:
                voted.add(vote)
            yield review


SOURCE = Source(
    description="910 first-turn pairs of MT-Bench with the 1131 different votes on them (PRePair)",
    read=_read,
    licence="CC-BY-4.0",
    votes=True,
)
