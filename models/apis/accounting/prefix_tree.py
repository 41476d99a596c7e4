"""The prefixes that texts share, as a tree: longer prefixes inside shorter ones.

Servers keep what they have read of a prompt's beginning, from 1,024 tokens on (OpenAI's and Anthropic's rule; vLLM,
SGLang and llama.cpp keep shorter ones too).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

TOKENS = 1_024  # that a shared prefix has at least
MOST_CHARACTERS = 16 * TOKENS  # so many characters have that many tokens in any script
LEAST_CHARACTERS = TOKENS // 4  # fewer have not: no script takes more than four tokens a character

Count = Callable[[Sequence[str]], list[int]]


@dataclass(eq=False)
class SharedPrefix:
    """The first `length` characters of `text`, which the texts `members` (indices) share.

    `warm` are the servers that have read it, `warming` those that read it for the first time just now.
    """

    text: str
    length: int
    members: tuple[int, ...]
    warm: set[str] = field(default_factory=set)
    warming: set[str] = field(default_factory=set)


def shared_prefixes(texts: Sequence[str], count: Count) -> list[list[SharedPrefix]]:
    """For each text the prefixes that it shares with others, shortest first, each by `TOKENS` longer than the last."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    common = [common_length(texts[left], texts[right]) for left, right in pairwise(order)]
    paths: list[list[SharedPrefix]] = [[] for _ in texts]
    groups = [(0, len(order), 0)]  # texts from .. to in their order, and the length of what is known to be shared
    while groups:
        start, end, length = groups.pop()
        between = common[start : end - 1]
        if not between or max(between) - length < LEAST_CHARACTERS:
            continue
        shortest = min(between)
        if is_long(texts[order[start]][length:shortest], count):
            members = tuple(sorted(order[start:end]))
            prefix = SharedPrefix(texts[members[0]], shortest, members)
            for member in members:
                paths[member].append(prefix)
            length = shortest
        cuts = [start, *(start + position + 1 for position, shared in enumerate(between) if shared == shortest), end]
        groups += [(left, right, length) for left, right in pairwise(cuts) if right - left > 1]
    return paths


def is_long(text: str, count: Count) -> bool:
    """Whether a text has at least `TOKENS` tokens, the shortest prefix that servers cache."""
    return len(text) >= LEAST_CHARACTERS and count([text[:MOST_CHARACTERS]])[0] >= TOKENS


def common_length(text: str, other: str) -> int:
    """The length in characters of the common prefix of two texts."""
    low, high = 0, min(len(text), len(other))
    while low < high:  # by halves: slices are compared faster than characters
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
