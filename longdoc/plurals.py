"""Counts in messages: `1 document`, `1,200 documents`."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """The number with its noun; `plural` where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
