"""The tokens of a run's prompts that a server can read from its cache, as an earlier prompt begins with them.

Only beginnings of 1,024 tokens or more count, as servers have it (`models.apis.accounting.prefix_tree`).
"""

from bisect import bisect_left
from dataclasses import dataclass, field

from models.apis.accounting.prefix_tree import Count, common_length, is_long


@dataclass
class SharedPrompts:
    """Takes the prompts one by one, and counts the tokens that are `cached`, and those `written` to the cache first.

    Only one document's prompts are in memory, and of these only those that begin differently.
    """

    count: Count
    cached: int = 0
    written: int = 0
    _document: str = ""
    _texts: list[str] = field(default_factory=list)  # sorted, so that texts that begin alike are neighbours
    _written: dict[str, int] = field(default_factory=dict)  # the tokens of each text that are in the cache

    def add(self, document: str, text: str, tokens: int) -> None:
        """Count a prompt of so many tokens about a document; documents come one after the other."""
        if document != self._document:
            self._document, self._texts, self._written = document, [], {}
        place = bisect_left(self._texts, text)
        neighbours = self._texts[max(place - 1, 0) : place + 1]
        length, nearest = max(((common_length(other, text), other) for other in neighbours), default=(0, ""))
        if is_long(text[:length], self.count):
            shared = round(tokens * length / len(text))
            self.cached += shared
            self.written += max(shared - self._written.get(nearest, 0), 0)
            self._written[nearest] = max(shared, self._written.get(nearest, 0))
        if is_long(text[length:], self.count):
            self._texts.insert(place, text)
