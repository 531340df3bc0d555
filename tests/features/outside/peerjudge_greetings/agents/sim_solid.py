"""Has the name of a card of ours, and is not used."""


def reviewer():
    """Return the reviewer."""
    return
