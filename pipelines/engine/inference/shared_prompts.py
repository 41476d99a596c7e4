"""How many tokens of a run's prompts a server can read from its cache: what earlier prompts of the document begin with.

Only beginnings of 1,024 tokens or more count, as servers have it (`models.apis.accounting.prefix_tree`).
"""

from bisect import bisect_left
from dataclasses import dataclass, field

from models.apis.accounting.prefix_tree import Count, common_length, is_long


@dataclass
class SharedPrompts:
    """Takes the prompts one by one, and counts tokens that are `cached`, and those `written` to the cache before.

    One document's prompts are in memory, each as far as it begins otherwise than those before.
    """

    count: Count
    cached: int = 0
    written: int = 0
    _document: str = ""
    _texts: list[str] = field(default_factory=list)  # sorted: one that begins alike is beside a new one
    _written: dict[str, int] = field(default_factory=dict)

    def add(self, document: str, text: str, tokens: int) -> None:
        """Count a prompt of so many tokens about a document; documents come one after the other."""
        if document != self._document:
            self._document, self._texts, self._written = document, [], {}
        place = bisect_left(self._texts, text)
        near = self._texts[max(place - 1, 0) : place + 1]
        length, before = max(((common_length(single_text, text), single_text) for single_text in near), default=(0, ""))
        if is_long(text[:length], self.count):
            shared = round(tokens * length / len(text))
            self.cached += shared
            self.written += max(shared - self._written.get(before, 0), 0)
            self._written[before] = max(shared, self._written.get(before, 0))
        if is_long(text[length:], self.count):
            self._texts.insert(place, text)
