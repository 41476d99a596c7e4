"""The language of each text of an index, which may hold several documents.

The default is the language of all texts together; a text whose own words clearly belong to another has that one. A text
without telling words, such as a heading, has the language of the text before it.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from longdoc.languages import LEAST, language_of_words, languages_of_stop_words, told
from retrievers.shared.distinct import Positions

Ids = npt.NDArray[np.integer]


def numbered_by_language(ids: Ids, ends: Positions, words: Sequence[str]) -> tuple[Ids, tuple[str, ...]]:
    """Word numbers that differ between languages (language number * len(words) + id), and the languages."""
    languages = text_languages(ids, ends, words)
    distinct = tuple(dict.fromkeys(languages)) or (language_of_words({}),)
    if len(distinct) == 1:
        return ids, distinct
    language_numbers = np.array([distinct.index(language) for language in languages])
    return ids + np.repeat(language_numbers * len(words), np.diff(ends)), distinct


def text_languages(ids: Ids, ends: Positions, words: Sequence[str]) -> list[str]:
    """The language of each text; text i has the words of the numbers `ids[ends[i]:ends[i + 1]]`."""
    stop_words = languages_of_stop_words()
    telling_words = [number for number, word in enumerate(words) if word in stop_words or not word.isascii()]
    counts = np.bincount(ids, minlength=len(words))[telling_words].tolist()
    main_language = language_of_words(
        {words[number]: count for number, count in zip(telling_words, counts, strict=True)}
    )
    weights = []  # evidence of each word for the main language, and the most for another
    for number in telling_words:
        evidence = dict(told(words[number]))
        weights.append((evidence.pop(main_language, 0), max(evidence.values(), default=0)))
    main_evidence, other_evidence = (
        _sums(row, telling_words, ids, ends, len(words)) for row in np.array(weights, np.int64).reshape(-1, 2).T
    )
    is_clear = main_evidence >= LEAST
    may_differ = other_evidence >= np.maximum(LEAST, 2 * main_evidence)  # no single language has more than this
    languages, previous = list[str](), main_language
    for text in range(len(ends) - 1):
        if may_differ[text]:
            numbers = ids[ends[text] : ends[text + 1]].tolist()
            previous = language_of_words(Counter(words[number] for number in numbers), previous)
        elif is_clear[text]:
            previous = main_language
        languages.append(previous)
    return languages


def _sums(
    weights: npt.NDArray[np.int64], word_numbers: Sequence[int], ids: Ids, ends: Positions, total: int
) -> npt.NDArray[np.int64]:
    """The sum of word weights in each text; words other than `word_numbers` weigh 0."""
    weight_of_word = np.zeros(total, np.int64)
    weight_of_word[word_numbers] = weights
    return np.diff(np.concatenate(([0], np.cumsum(weight_of_word.take(ids))))[ends])
