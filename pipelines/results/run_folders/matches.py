"""Where answers occur in a text, as whole words, in any case and with any punctuation between them.

All positions are code points of the text, as everywhere.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from pipelines.metrics.evidence_recall import merged
from pipelines.records import Span

ANSWER_CHARACTERS = 200  # longer references are not quoted from a text word by word
MATCHES = 200  # at most, for the answers of one example
SAMPLE = 10_000  # characters in which words are counted to find the rarest
GAP = 3  # characters between two words of an answer
WORD = re.compile(r"\w+")
UNINFORMATIVE = {"yes", "no", "true", "false"}  # words of every text: their matches say nothing


def lowered(text: str) -> str:
    """Lower case, code point by code point: those whose lower case is longer stay as they are."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def matches(lower: str, answers: Sequence[str]) -> list[Span]:
    """Where answers occur in a `lowered` text as whole words, at most `GAP` characters apart; in order, merged."""
    found: list[Span] = []
    for answer in answers:
        words = WORD.findall(lowered(answer))
        if words and len(answer) <= ANSWER_CHARACTERS and " ".join(words) not in UNINFORMATIVE:
            found += islice(_matches_of_words(lower, words), MATCHES - len(found))
    return merged(found)


def _matches_of_words(lower: str, words: Sequence[str]) -> Iterator[Span]:
    """The matches of these words. The search goes through the matches of a rare word and checks around each."""
    anchor = _rarest(lower, words)
    word = words[anchor]
    before = sum(len(one) + GAP for one in words[:anchor])
    after = sum(len(one) + GAP for one in words[anchor:])
    at = lower.find(word)
    while at >= 0:
        left = max(at - before - 1, 0)
        if span := _whole(lower[left : at + after + 1], at - left, words, anchor):
            yield left + span[0], left + span[1]
        at = lower.find(word, at + 1)


def _rarest(lower: str, words: Sequence[str]) -> int:
    """Of the three longest words the one that is rarest in the beginning of the text."""
    longest = sorted(range(len(words)), key=lambda n: -len(words[n]))[:3]
    return min(longest, key=lambda n: lower.count(words[n], 0, SAMPLE))


def _whole(near: str, at: int, words: Sequence[str], anchor: int) -> Span | None:
    """The span of the words in a text whose word number `anchor` is at position `at`, None if they are not there."""
    if not all(map(near.__contains__, words)):
        return None
    found = list(WORD.finditer(near))
    here = next((n for n, match in enumerate(found) if match.start() == at), -1) - anchor
    run = found[max(here, 0) : here + len(words)]
    return (run[0].start(), run[-1].end()) if [one.group() for one in run] == list(words) and _close(run) else None


def _close(run: Sequence[re.Match[str]]) -> bool:
    return all(other.start() - one.end() <= GAP for one, other in pairwise(run))
