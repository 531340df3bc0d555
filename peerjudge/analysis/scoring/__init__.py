"""How right reviewers are, on record or in a run: by subset, category and labeler, with intervals."""

from peerjudge.analysis.scoring.beside import Beside, PublishedLine, PublishedTable, beside
from peerjudge.analysis.scoring.document import score_document
from peerjudge.analysis.scoring.gather import (
    Gathering,
    judged_from_dataset,
    judged_from_transcripts,
    with_gold,
)
from peerjudge.analysis.scoring.nouns import (
    Cell,
    Correlation,
    Disagreement,
    Judge,
    Judged,
    Judgement,
    OrderShares,
    OwnReading,
    Ratings,
    Score,
    Scores,
)
from peerjudge.analysis.scoring.score import score

__all__ = [
    "Beside",
    "Cell",
    "Correlation",
    "Disagreement",
    "Gathering",
    "Judge",
    "Judged",
    "Judgement",
    "OrderShares",
    "OwnReading",
    "PublishedLine",
    "PublishedTable",
    "Ratings",
    "Score",
    "Scores",
    "beside",
    "judged_from_dataset",
    "judged_from_transcripts",
    "score",
    "score_document",
    "with_gold",
]
