"""Prompts of which a server read only a part, and did not say so: its count of their tokens gives it away.

Ollama and others cut a prompt that is over the window that they were started with, answer the rest, and report the
tokens of that rest (`usage.prompt_tokens`). Two things show it, whatever the order in which replies come:

- a count below the fewest tokens that the text can have (`SentPrompt.least`);
- the same highest count, to the token, for several prompts that differ, where each was counted with less than the lower
  counts of prompts of its kind (letters a word) lead one to expect. Where there are few of these, one such prompt is
  longer than another, in letters and in words, and the others are shorter for their counts: by letters alone tables and
  prose that take as many tokens would look so. Somebody's rows that were cut to one length pile up less: with their
  questions, and a token more or less, they are some tokens apart, and so are counts of prompts of about one length.

Servers of whatever vocabulary count more than the fewest. Some report only what they had not kept of an earlier prompt
(cached tokens): of prompts that begin alike the highest count is the one that is looked at, and none that is lower than
any window (`WINDOW`), as what comes behind a document is: the request that read it may have been one of another run.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import log
from operator import itemgetter

from models.requests import Reply
from pipelines.results.unread import unread_record, unread_text

SHORTEST = 200  # tokens of a prompt, at the least, that is looked at
WINDOW = 512  # tokens that every window has
SAME_LIMIT = 2  # tokens between counts that are the same: servers cut to the token
BELOW = 20  # times as far below them, where fewer prompts have their counts
SEVERAL_LIMIT = 3  # prompts with the same highest count, or others of a kind
SPREAD = 1.25  # times a prompt that another is as long as, at least
ALIKE_LIMIT = 0.15  # of the logarithm of letters a word, between one kind and the next
EXPECTED = 0.85  # of a usual ratio of the server's count to ours


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

    @property
    def kind(self) -> int:
        """Equal, or a neighbour, for prompts with as many letters a word."""
        return round(log(self.tokens / max(self.least, 1)) / ALIKE_LIMIT)

    @property
    def ratios(self) -> tuple[float, float]:
        """The server's count for each token and for each word, as counted here."""
        return self.highest / self.tokens, self.highest / max(self.least, 1)

    def is_below(self, ratios: tuple[float, float]) -> bool:
        """Whether it was counted with less than these ratios lead one to expect."""
        return all(ratio < EXPECTED * usual_value for ratio, usual_value in zip(self.ratios, ratios, strict=True))


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
        return Unread(*(sum(getattr(value, name) for value in cut) for name in ("requests", "sent", "read")))

    def _cut(self) -> Iterator[_Alike]:
        at_limit = self._at_limit()
        for prefix, group in self._groups.items():
            if group.highest >= WINDOW and (group.highest < group.least or prefix in at_limit):
                yield group

    def _at_limit(self) -> set[str]:
        """Prompts with the same highest count, each less than is to be expected."""
        piles, other_entries = _piles(self._groups)
        usual_values = _usual_ratios(other_entries)
        top = max((group.highest for group in self._groups.values()), default=0)
        cut: set[str] = set()
        for pile in piles:
            below = {
                name
                for name, group in pile.items()
                if (own_values := usual_values.get(group.kind)) and group.is_below(own_values)
            }
            if is_top := any(group.highest == top for group in pile.values()):
                unlike_values = {name: group for name, group in pile.items() if group.kind not in usual_values}
                below |= _below_their_longest(unlike_values)
            cut |= below if is_top or len(below) >= SEVERAL_LIMIT else set()
        return cut


def _piles(groups: Mapping[str, _Alike]) -> tuple[list[dict[str, _Alike]], list[_Alike]]:
    """Prompts with the same count, the highest counts first, several times each and more often than just below; others.

    A server that has several addresses behind it may cut some prompts only, so not only the highest count is a limit.
    """
    names = sorted(groups, key=lambda name: -groups[name].highest)
    counts = [-groups[name].highest for name in names]
    piles: list[dict[str, _Alike]] = []
    other_entries: list[_Alike] = []
    position = 0
    while position < len(names):
        end, below = (bisect_right(counts, counts[position] + times * SAME_LIMIT) for times in (1, 1 + BELOW))
        if end - position >= SEVERAL_LIMIT and end - position > below - end:
            piles.append({name: groups[name] for name in names[position:end]})
        else:
            end = position + 1
            other_entries.append(groups[names[position]])
        position = end
    return piles, other_entries


def _usual_ratios(groups: Iterable[_Alike]) -> dict[int, tuple[float, float]]:
    """The lowest ratios by kind, the neighbours' among them, where there are several such prompts."""
    kinds_values: dict[int, list[tuple[float, float]]] = {}
    for group in groups:
        for kind in (group.kind - 1, group.kind, group.kind + 1):
            kinds_values.setdefault(kind, []).append(group.ratios)
    several_ratios = {kind: ratios for kind, ratios in kinds_values.items() if len(ratios) >= SEVERAL_LIMIT}
    return {
        kind: (min(value for value, _ in ratios), min(value for _, value in ratios))
        for kind, ratios in several_ratios.items()
    }


def _below_their_longest(groups: Mapping[str, _Alike]) -> set[str]:
    """Of prompts that differ in length, those counted with less than the highest ratio leads one to expect."""
    if not _differ(groups.values()):
        return set()
    highest = max(group.ratios[0] for group in groups.values())
    return {name for name, group in groups.items() if group.ratios[0] < EXPECTED * highest}


def _differ(groups: Iterable[_Alike]) -> bool:
    """Whether one of them is `SPREAD` times as long as another, in tokens and in words, as counted here."""
    lengths = sorted((group.tokens, max(group.least, 1)) for group in groups)
    fewest_numbers = list(accumulate((words for _, words in lengths), min))
    for tokens, words in lengths:
        shorter = bisect_right(lengths, tokens / SPREAD, key=itemgetter(0))
        if shorter and words >= SPREAD * fewest_numbers[shorter - 1]:
            return True
    return False
