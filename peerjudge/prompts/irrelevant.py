"""What stands in for the others' replies under the controls `irrelevant` and `stance`.

An irrelevant text argues about another matter, in about the length of a turn, and then states the
speaker's own verdict: the listener learns the verdict and no reason for it. No text names an answer of
the discussion or a quality of one.
"""

from __future__ import annotations

import re

_TEXTS = """
Bakers who bake the same loaf every day still weigh the flour, because its moisture changes with the
weather. On a humid morning the dough takes up less water; in a dry winter it takes more. Whoever
goes by volume alone gets a crumb that is sometimes tight and sometimes gummy. A cold oven floor
matters as much: the crust sets before the loaf has risen. Hence the old habit of putting the stone
in first and waiting longer than seems needed.

A gearbox on a bicycle is chosen by the hills around it and not by the legs of its owner. On flat
roads small steps between the gears let one keep a steady rhythm, and a wide range is only weight.
In the mountains the lowest gear decides whether one walks. Hub gears need less cleaning and lose a
little more power than a chain that is well oiled, which shows on long rides in rain and hardly ever
in town.

Lighthouses were once told apart by the pattern of their flashes, and keepers wrote down every
interval by hand. The lenses floated on mercury so that a child could turn them. When electric lamps
came, the lens stayed and the keeper went. What sailors missed was not the light but the fog horn,
whose pitch told them how far the cliffs were, and which now sounds only on a few stretches of the
northern coast.

Tulip bulbs want a cold winter: without some twelve weeks near freezing the stem stays short. In
warm countries gardeners therefore keep the bulbs in a refrigerator, away from apples, whose gas
would kill the flower inside. They are planted about three times as deep as they are tall. In heavy
soil a handful of sand under each keeps the roots from standing in water through the spring, when
most of the losses happen.

Before clocks were common, the length of an hour changed with the season, for the day was divided
into twelve parts whether it was long or short. Water clocks had to be marked anew every month. The
mechanical escapement knew only equal hours, and so towns that bought one had to give up the old
reckoning. For two generations both were rung from the same tower, with bells of different size.

Felt is made without any weaving: the scales on a fibre of wool open in warm soapy water, and under
pressure they hook into each other and do not let go. Nomads rolled the wet wool in hides and drew
it behind a horse. The cloth keeps out wind and damp, cannot fray, and may be cut in any shape. It
shrinks by about a third while it is worked, which is why the first layer is laid out so generously.
"""
_ORDINALS = ("first", "second", "third", "fourth")
_NUMBERS = ("none", "one", "two", "three", "four")
_ARGUMENTS = tuple(" ".join(text.split()) for text in _TEXTS.split("\n\n"))
_WORD = re.compile(r"[^\W\d_]{5,}")


def irrelevant_argument(question: str, *, turn: int, position: int | None, answers: int) -> str:
    """Return the argument that stands in for the reply of a turn.

    It is one of the texts with the fewest words in common with the question; successive turns get
    different texts where several qualify.

    Args:
        question: The text of the question.
        turn: The index of the turn.
        position: The position, from 0, at which the listener is shown the chosen answer; -1 for a
            tie, `None` where the turn has no readable verdict.
        answers: The number of answers shown.
    """
    words = _find_words(question)
    shared = [len(words & _find_words(text)) for text in _ARGUMENTS]
    fit = [text for text, count in zip(_ARGUMENTS, shared, strict=True) if count == min(shared)]
    text = fit[turn % len(fit)]
    if position is None:
        return text
    if position < 0:
        return f"{text}\n\nFor these reasons I call it a tie."
    return f"{text}\n\nFor these reasons I choose the {_ORDINALS[position]} of the {_NUMBERS[answers]}."


def state_choice(*, position: int | None, answers: int) -> str:
    """Return the bare choice of a turn, without a reason; empty where the turn has none.

    Args:
        position: The position, from 0, at which the listener is shown the chosen answer; -1 for a
            tie, `None` where the turn has no readable verdict.
        answers: The number of answers shown.
    """
    if position is None:
        return ""
    if position < 0:
        return "I call it a tie."
    return f"I choose the {_ORDINALS[position]} of the {_NUMBERS[answers]}."


def _find_words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))
