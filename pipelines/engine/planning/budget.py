"""The budget of a prompt: `budget="300 words"` of selected text, or a prompt of `budget="2000 tokens"`."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from longdoc.arguments import check_whole
from longdoc.errors import UserError

_PATTERN = re.compile(r"(\d{1,18})\s*(word|token)s?")


@dataclass(frozen=True, slots=True)
class Budget:
    """So many words of selected text, shown headings counted, or a whole prompt of so many of the reader's tokens."""

    amount: int
    unit: Literal["words", "tokens"]

    def __str__(self) -> str:
        """The budget as it is typed: `300 words`."""
        return f"{self.amount} {self.unit}"

    @classmethod
    def of(cls, spec: Any) -> "Budget":
        """The budget of "300 words" or "2000 tokens". Raises `UserError`."""
        text = str(spec).strip()
        if text.isdecimal():
            raise UserError(f'budget={text} has no unit: give "{text} words" or "{text} tokens"')
        match = _PATTERN.fullmatch(text)
        if match is None or int(match[1]) < 1:
            raise UserError(f'budget must be like "300 words" or "2000 tokens", got {spec!r}')
        check_whole("budget", int(match[1]))
        return cls(int(match[1]), "words" if match[2] == "word" else "tokens")
