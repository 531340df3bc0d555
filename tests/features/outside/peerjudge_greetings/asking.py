"""A dataset that the feature brings: questions by a greeting, in a file with one name a line."""

from __future__ import annotations

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


SOURCE = Source(description="greetings of people, one name a line", read=read)
