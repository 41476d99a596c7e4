"""Cut a text without known parts to so many tokens: its middle, its start or its end goes."""

from typing import Literal, get_args

from longdoc.errors import UserError
from models.reader import Reader

Cut = Literal["middle", "start", "end"]


def checked_cut(cut: str) -> Cut:
    """What is cut away, as it was given. Raises `UserError`."""
    for name in get_args(Cut):
        if cut == name:
            return name  # type: ignore[no-any-return]
    raise UserError(f'cut must be "middle", "start" or "end", got {cut!r}')


def cut_text(text: str, limit: int, reader: Reader, cut: Cut) -> tuple[str, int]:
    """At most `limit` tokens of a text as the reader counts them, and how many tokens went."""
    tokens = reader.count([text])[0]
    if tokens <= limit:
        return text, 0
    ends = [0, *reader.token_ends(text)]
    kept_tokens = min(limit, len(ends) - 1)
    while True:
        head = {"middle": (kept_tokens + 1) // 2, "start": 0, "end": kept_tokens}[cut]
        short_text = text[: ends[head]] + (
            text[ends[len(ends) - 1 - (kept_tokens - head)] :] if kept_tokens > head else ""
        )
        count = reader.count([short_text])[0]
        if count <= limit or kept_tokens == 0:
            return short_text, max(tokens - count, 1)
        kept_tokens = max(kept_tokens - max(count - limit, 1), 0)  # what is joined may make other tokens
