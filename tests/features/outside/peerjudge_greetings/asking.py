"""What the feature brings to datasets and shelves: a file with one name a line, and a greeting reviewer."""

from __future__ import annotations

from pathlib import Path

from peerjudge.data import Answer, Comparison, Dataset, Question
from peerjudge.datasets import Request, Source


def read(request: Request) -> Dataset:
    """Return a comparison of two greetings for each name."""
    answers = (Answer(id="a", text="Hello!"), Answer(id="b", text="Good day!"))
    comparisons = [
        Comparison(id=name, question=Question(id=name, text=f"Greet {name}."), answers=answers)
        for name in request.path.read_text("utf-8").split()
    ]
    return Dataset(name="greetings", description="greetings", comparisons=tuple(comparisons))


SHELF = Path(__file__).parent
SOURCE = Source(description="greetings of people, one name a line", read=read)
