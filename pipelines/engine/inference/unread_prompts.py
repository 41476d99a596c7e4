"""Prompts of which a server read only a part without saying so, which its count of their tokens gives away.

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

SHORTEST = 200  # tokens of the shortest prompt that is checked
WINDOW = 512  # tokens of the smallest window that a server may have
SAME = 2  # tokens by which counts may differ and still be called the same: servers cut to the token
BELOW = 20  # times SAME below a pile of counts, where fewer prompts must have their counts than in it
SEVERAL = 3  # least prompts with the same highest count, and least prompts that make a usual ratio of a kind
SPREAD = 1.25  # the least ratio of lengths at which prompts differ in length
KIND_WIDTH = 0.15  # between one kind of prompt and the next, in the logarithm of letters a word
EXPECTED = 0.85  # a count below this share of what the usual ratio leads one to expect is too low


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
        """The kind of prompt, by its letters a word: equal or neighbouring numbers for similar prompts."""
        return round(log(self.tokens / max(self.least, 1)) / KIND_WIDTH)

    @property
    def ratios(self) -> tuple[float, float]:
        """The server's count for each token, and for each word, as counted here."""
        return self.highest / self.tokens, self.highest / max(self.least, 1)

    def is_below(self, ratios: tuple[float, float]) -> bool:
        """Whether it was counted with less than these ratios lead one to expect."""
        return all(ratio < EXPECTED * usual for ratio, usual in zip(self.ratios, ratios, strict=True))


@dataclass(frozen=True, slots=True)
class Unread:
    """The number of requests whose prompts a server cut, the tokens that were sent, and those that it read."""

    requests: int = 0
    sent: int = 0
    read: int = 0

    def __str__(self) -> str:
        """The clause of a message with these counts."""
        return unread_text(self.requests, self.sent, self.read)

    @property
    def record(self) -> dict[str, int]:
        """The counts for a run's record."""
        return unread_record(self.requests, self.sent, self.read)


class UnreadPrompts:
    """The replies of a run so far whose servers count tokens, by the beginning of their prompts."""

    def __init__(self) -> None:
        self._groups: dict[str, _Alike] = {}

    def add(self, reply: Reply) -> None:
        """Take in a reply."""
        if reply.sent is not None and reply.tokens_in > 0 and reply.sent.tokens >= SHORTEST:
            self._groups.setdefault(reply.sent.prefix, _Alike()).add(reply)

    @property
    def unread(self) -> Unread:
        """The counts of the prompts that a server cut without saying so."""
        cut = list(self._cut_groups())
        return Unread(
            sum(group.requests for group in cut), sum(group.sent for group in cut), sum(group.read for group in cut)
        )

    def _cut_groups(self) -> Iterator[_Alike]:
        """The groups of prompts that a server cut: counted with too few tokens for their text, or at a limit."""
        at_limit = self._prefixes_at_limit()
        for prefix, group in self._groups.items():
            if group.highest >= WINDOW and (group.highest < group.least or prefix in at_limit):
                yield group

    def _prefixes_at_limit(self) -> set[str]:
        """The prefixes of prompts that share one of the highest counts, which is lower than they lead one to expect."""
        piles, others = _piles(self._groups)
        usual_ratios = _usual_ratios(others)
        top = max((group.highest for group in self._groups.values()), default=0)
        cut: set[str] = set()
        for pile in piles:
            below = {
                prefix
                for prefix, group in pile.items()
                if (usual := usual_ratios.get(group.kind)) and group.is_below(usual)
            }
            if is_top := any(group.highest == top for group in pile.values()):
                without_usual = {prefix: group for prefix, group in pile.items() if group.kind not in usual_ratios}
                below |= _below_their_longest(without_usual)
            cut |= below if is_top or len(below) >= SEVERAL else set()
        return cut


def _piles(groups: Mapping[str, _Alike]) -> tuple[list[dict[str, _Alike]], list[_Alike]]:
    """Piles of groups with the same count, by prefix, the highest counts first; and the groups in no pile.

    A pile has several groups, and more than there are just below it. A server with several machines behind it may cut
    some prompts only, so lower counts than the highest may be a limit too.
    """
    prefixes = sorted(groups, key=lambda prefix: -groups[prefix].highest)
    counts = [-groups[prefix].highest for prefix in prefixes]
    piles: list[dict[str, _Alike]] = []
    others: list[_Alike] = []
    position = 0
    while position < len(prefixes):
        end, end_below = (bisect_right(counts, counts[position] + times * SAME) for times in (1, 1 + BELOW))
        if end - position >= SEVERAL and end - position > end_below - end:
            piles.append({prefix: groups[prefix] for prefix in prefixes[position:end]})
        else:
            end = position + 1
            others.append(groups[prefixes[position]])
        position = end
    return piles, others


def _usual_ratios(groups: Iterable[_Alike]) -> dict[int, tuple[float, float]]:
    """The lowest ratios of each kind and its neighbouring kinds, where these have several groups."""
    ratios_by_kind: dict[int, list[tuple[float, float]]] = {}
    for group in groups:
        for kind in (group.kind - 1, group.kind, group.kind + 1):
            ratios_by_kind.setdefault(kind, []).append(group.ratios)
    return {
        kind: (min(per_token for per_token, _ in ratios), min(per_word for _, per_word in ratios))
        for kind, ratios in ratios_by_kind.items()
        if len(ratios) >= SEVERAL
    }


def _below_their_longest(groups: Mapping[str, _Alike]) -> set[str]:
    """The prefixes of groups whose count is lower than the highest ratio among them leads one to expect.

    None where the groups do not differ in length.
    """
    if not _differ(groups.values()):
        return set()
    highest = max(group.ratios[0] for group in groups.values())
    return {prefix for prefix, group in groups.items() if group.ratios[0] < EXPECTED * highest}


def _differ(groups: Iterable[_Alike]) -> bool:
    """Whether one group is `SPREAD` times as long as another, in tokens and in words, as counted here."""
    lengths = sorted((group.tokens, max(group.least, 1)) for group in groups)
    fewest_words = list(accumulate((words for _, words in lengths), min))
    for tokens, words in lengths:
        shorter = bisect_right(lengths, tokens / SPREAD, key=itemgetter(0))
        if shorter and words >= SPREAD * fewest_words[shorter - 1]:
            return True
    return False
