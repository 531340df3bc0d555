"""Greets whoever asks."""


async def _greet(messages):
    return "hello"


def reviewer():
    """Return the reviewer."""
    return _greet
