"""Request to a person in parts: question, answers, earlier turns and instruction, without words on format."""

from __future__ import annotations

from peerjudge.data.nouns import Noun


class TitledText(Noun, frozen=True, kw_only=True):
    """A text under a title, such as `Answer (a)` or `Reviewer 2 replied`."""

    title: str
    text: str


class TaskSheet(Noun, frozen=True, kw_only=True):
    """What a request shows to a person: the words of the prompt, without how a model must write its reply.

    Attributes:
        role: The role prompt of the card; may be empty.
        place: The place of the person in the discussion; empty in private.
        question: The question; empty where the cue shows none.
        reference: The reference answer, where the pack shows one.
        answers: The answers in the shown order, titled by their labels; without texts in a blind cue.
        heard: The earlier turns that the cue hears, in order.
        instruction: Criteria and task.
    """

    role: str = ""
    place: str = ""
    question: str = ""
    reference: str = ""
    answers: tuple[TitledText, ...] = ()
    heard: tuple[TitledText, ...] = ()
    instruction: str = ""
