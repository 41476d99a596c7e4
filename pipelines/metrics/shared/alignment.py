"""METEOR's alignment of words, by nltk's rules, in time linear in the words and their synonyms."""

from collections.abc import Callable, Iterable, Sequence

Pairs = list[tuple[int, int]]  # positions (hypothesis, reference)


def align(
    hypothesis: Sequence[str],
    reference: Sequence[str],
    stem: Callable[[str], str],
    synonyms: Callable[[str], Iterable[str]] | None,
) -> Pairs:
    """Pairs of matched positions, in the order of the hypothesis.

    Three stages, each on the words that the earlier ones left over: equal words, equal stems, and a synonym that
    equals the reference's word (no such stage for `synonyms=None`). As in nltk, the third stage gets the stems of the
    words, not the words. In each stage the hypothesis is read from its end, and a word takes the last free position
    among its matches.
    """
    left, right = dict(enumerate(hypothesis)), dict(enumerate(reference))
    pairs = _match(left, right, lambda word: (word,))
    left, right = ({position: stem(word) for position, word in words.items()} for words in (left, right))
    pairs += _match(left, right, lambda word: (word,))
    if synonyms is not None:
        pairs += _match(left, right, synonyms)
    return sorted(pairs)


def chunks(pairs: Pairs) -> int:
    """How many runs of pairs there are that are adjacent in both texts; `pairs` in the order of `align`."""
    return sum(number == 0 or (left - 1, right - 1) != pairs[number - 1] for number, (left, right) in enumerate(pairs))


def _match(left: dict[int, str], right: dict[int, str], accepted_function: Callable[[str], Iterable[str]]) -> Pairs:
    """One stage; what it matches is taken out of `left` and `right` (position to word, ascending)."""
    free: dict[str, list[int]] = {}
    for position, word in right.items():
        free.setdefault(word, []).append(position)
    pairs: Pairs = []
    for position in reversed(left):
        places = [free[word] for word in accepted_function(left[position]) if free.get(word)]
        if places:
            pairs.append((position, max(places, key=lambda positions: positions[-1]).pop()))
    for number, other in pairs:
        del left[number], right[other]
    return pairs
