"""Prompts of which a server read only a part, and did not say so: its count of their tokens gives it away.

Ollama and others cut a prompt that is over the window that they were started with, answer the rest, and report the
tokens of that rest (`usage.prompt_tokens`). Two things show it, whatever the order in which replies come:

- a count below the fewest tokens that the text can have (`SentPrompt.least`);
- the same highest count for prompts of different lengths, where it is also below what the run's other prompts lead one
  to expect.

Servers of whatever vocabulary count more than the fewest. Some report only what they had not kept of an earlier prompt
(cached tokens): of prompts that begin alike the highest count is the one that is looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from models.requests import Reply
from pipelines.results.unread import unread_record, unread_text

SHORTEST = 200  # tokens of a prompt, at the least, that is looked at
SAME = 16  # tokens between counts that are the same, of prompts that end in different words
SEVERAL = 3  # prompts with the same highest count
SPREAD = 1.25  # times the shortest of these that the longest is, at least
EXPECTED = 0.9  # of the run's usual ratio of the server's count to ours


@dataclass(slots=True)
class _Alike:
    """Prompts that begin alike: their number, the highest count, the lengths of the shortest; sums of the rest."""

    requests: int = 0
    highest: int = 0
    least: int = 0
    tokens: int = 0
    sent: int = 0
    read: int = 0

    def add(self, reply: Reply) -> None:
        assert reply.sent is not None
        first = self.requests == 0
        self.requests += 1
        self.highest = max(self.highest, reply.tokens_in)
        self.least = reply.sent.least if first else min(self.least, reply.sent.least)
        self.tokens = reply.sent.tokens if first else min(self.tokens, reply.sent.tokens)
        self.sent, self.read = self.sent + reply.sent.tokens, self.read + reply.tokens_in


@dataclass(frozen=True, slots=True)
class Unread:
    """The requests whose prompts were cut unseen, the tokens that were sent with them, and those that were counted."""

    requests: int = 0
    sent: int = 0
    read: int = 0

    def __str__(self) -> str:
        """A clause that says so."""
        return unread_text(self.requests, self.sent, self.read)

    @property
    def record(self) -> dict[str, int]:
        """What a run's record has of it."""
        return unread_record(self.requests, self.sent, self.read)


class UnreadPrompts:
    """The replies of a run so far, as far as their servers count tokens."""

    def __init__(self) -> None:
        self._groups: dict[str, _Alike] = {}

    def add(self, reply: Reply) -> None:
        """Take in a reply."""
        if reply.sent is not None and reply.tokens_in > 0 and reply.sent.tokens >= SHORTEST:
            self._groups.setdefault(reply.sent.prefix, _Alike()).add(reply)

    @property
    def unread(self) -> Unread:
        """What was cut unseen."""
        cut = list(self._cut())
        return Unread(*(sum(getattr(one, name) for one in cut) for name in ("requests", "sent", "read")))

    def _cut(self) -> Iterator[_Alike]:
        at_limit = self._at_limit()
        for prefix, group in self._groups.items():
            if group.highest < group.least or prefix in at_limit:
                yield group

    def _at_limit(self) -> set[str]:
        """Prompts of different lengths that have the same highest count."""
        if len(self._groups) < SEVERAL:
            return set()
        limit = max(group.highest for group in self._groups.values()) - SAME
        same = {prefix: group for prefix, group in self._groups.items() if group.highest >= limit}
        lengths = [group.tokens for group in same.values()]
        if len(same) < SEVERAL or max(lengths) < SPREAD * min(lengths):
            return set()
        others = [group.highest / group.tokens for prefix, group in self._groups.items() if prefix not in same]
        usual = (
            median(others) if len(others) >= SEVERAL else max(group.highest / group.tokens for group in same.values())
        )
        return {prefix for prefix, group in same.items() if group.highest < EXPECTED * usual * group.tokens}
