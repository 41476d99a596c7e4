"""Cuts a text without known parts to a number of tokens: its middle, its start or its end is cut off."""

from typing import Literal, get_args

from longdoc.errors import UserError
from models.reader import Reader

Cut = Literal["middle", "start", "end"]


def checked_cut(cut: str) -> Cut:
    """The part that is cut off. Raises `UserError` for another word."""
    for name in get_args(Cut):
        if cut == name:
            return name  # type: ignore[no-any-return]
    raise UserError(f'cut must be "middle", "start" or "end", got {cut!r}')


def cut_text(text: str, limit: int, reader: Reader, cut: Cut) -> tuple[str, int]:
    """At most `limit` tokens of a text as the reader counts them, and the number of tokens cut off."""
    tokens = reader.count([text])[0]
    if tokens <= limit:
        return text, 0
    ends = [0, *reader.token_ends(text)]
    size = min(limit, len(ends) - 1)  # tokens that stay
    while True:
        head = {"middle": (size + 1) // 2, "start": 0, "end": size}[cut]
        tail = text[ends[len(ends) - 1 - (size - head)] :] if size > head else ""
        short_text = text[: ends[head]] + tail
        count = reader.count([short_text])[0]
        if count <= limit or size == 0:
            return short_text, max(tokens - count, 1)
        size = max(size - max(count - limit, 1), 0)  # head and tail together may have more tokens
