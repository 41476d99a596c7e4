"""The language of each of many texts of one index, which may be of several documents.

A text is of the language that most of the texts together are of, unless its own words tell another. One that tells
none, such as a heading, is of the language of the one before it.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from longdoc.languages import LEAST, language_of_words, languages_of_stop_words, told
from retrievers.shared.distinct import Places

Ids = npt.NDArray[np.integer]


def numbered_by_language(ids: Ids, ends: Places, words: Sequence[str]) -> tuple[Ids, tuple[str, ...]]:
    """Word numbers that go on from language to language, each having those of all `words`, and the languages."""
    languages = text_languages(ids, ends, words)
    distinct = tuple(dict.fromkeys(languages)) or (language_of_words({}),)
    if len(distinct) == 1:
        return ids, distinct
    numbers = np.array([distinct.index(language) for language in languages])
    return ids + np.repeat(numbers * len(words), np.diff(ends)), distinct


def text_languages(ids: Ids, ends: Places, words: Sequence[str]) -> list[str]:
    """The language of each text; text i has the words of the numbers `ids[ends[i]:ends[i + 1]]`."""
    stop_words = languages_of_stop_words()
    telling = [number for number, word in enumerate(words) if word in stop_words or not word.isascii()]
    counts = np.bincount(ids, minlength=len(words))[telling].tolist()
    main = language_of_words({words[number]: count for number, count in zip(telling, counts, strict=True)})
    weights = []  # what each word tells of this language, and at most of another
    for number in telling:
        evidence = dict(told(words[number]))
        weights.append((evidence.pop(main, 0), max(evidence.values(), default=0)))
    own, most = (_sums(row, telling, ids, ends, len(words)) for row in np.array(weights, np.int64).reshape(-1, 2).T)
    is_clear, may_differ = own >= LEAST, most >= np.maximum(LEAST, 2 * own)  # may: at most so much tells another
    languages, last = list[str](), main
    for text in range(len(ends) - 1):
        if may_differ[text]:
            numbers = ids[ends[text] : ends[text + 1]].tolist()
            last = language_of_words(Counter(words[number] for number in numbers), last)
        elif is_clear[text]:
            last = main
        languages.append(last)
    return languages


def _sums(
    weights: npt.NDArray[np.int64], numbers: Sequence[int], ids: Ids, ends: Places, total: int
) -> npt.NDArray[np.int64]:
    """The sum in each text of the weights that words of some numbers have."""
    every = np.zeros(total, np.int64)
    every[numbers] = weights
    return np.diff(np.concatenate(([0], np.cumsum(every.take(ids))))[ends])
