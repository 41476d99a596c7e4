"""The rows of a matrix of counts in which the forms of words are counted: stems, n-grams, words without accents."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longdoc.languages import Forms, without_accents
from retrievers.shared.distinct import Stretches, Vocabulary

Rows = npt.NDArray[np.int64]


class FormRows(NamedTuple):
    """For each numbered word the row of its `first` form, -1 for none, and the rows of `more`, `sizes` of them.

    `first` is None where each word has its own number for a row. `numbers` are the rows of forms, `total` is how many
    rows there are.
    """

    first: Rows | None
    sizes: Rows
    more: Rows
    numbers: dict[str, int]
    total: int

    @classmethod
    def of(cls, forms_of_words: Sequence[Forms], keys: Iterable[str]) -> "FormRows":
        """The rows for the forms of words in several languages, each with a key that tells its forms apart."""
        numbers: dict[str, int] = {}
        rows, sizes, more = list[int](), list[int](), list[int]()
        for (first, others), key in zip(forms_of_words, keys, strict=True):
            rows += [numbers.setdefault(key + form, len(numbers)) if form else -1 for form in first]
            sizes += [len(others.get(number, ())) for number in range(len(first))] if others else [0] * len(first)
            more += [
                numbers.setdefault(key + form, len(numbers)) for number in sorted(others) for form in others[number]
            ]
        return cls(np.array(rows, np.int64), np.array(sizes, np.int64), np.array(more, np.int64), numbers, len(numbers))

    @classmethod
    def with_plain_forms(cls, different: Stretches, vocabulary: Vocabulary, foreign: Rows) -> "FormRows":
        """The rows for words as they are, and for what those with accents, which are `foreign`, are without them."""
        total, sizes, numbers = len(different.starts), np.zeros(len(different.starts), np.int64), dict[str, int]()
        words = Stretches(different.codes, different.starts[foreign], different.ends[foreign]).texts()
        plain = {row: form for row, word in zip(foreign, words, strict=True) if (form := without_accents(word)) != word}
        sizes[list(plain)] = 1
        forms = list(plain.values())
        more = vocabulary.find(forms)
        for place in np.flatnonzero(more < 0).tolist():
            more[place] = total + numbers.setdefault(forms[place], len(numbers))
        return cls(None, sizes, more, {form: total + number for form, number in numbers.items()}, total + len(numbers))

    def find(self, forms: Sequence[str]) -> Rows:
        """The rows of forms that have numbers, -1 for others."""
        return np.array([self.numbers.get(form, -1) for form in forms], np.int64)

    def __call__(self, ids: npt.NDArray[np.integer], ends: Rows) -> tuple[Rows, Rows]:
        """The rows of the forms of numbered words, those of text i at `ends[i]:ends[i + 1]`, and their ends."""
        rows: Rows = ids.astype(np.int64, copy=False) if self.first is None else self.first.take(ids)
        if len(self.more):
            places = np.flatnonzero((self.sizes > 0).take(ids))
            words = ids[places]
            sizes, starts = self.sizes[words], (np.cumsum(self.sizes) - self.sizes)[words]
            behind = np.repeat(places + 1, sizes)
            inside = np.arange(len(behind)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            rows = np.insert(rows, behind, self.more[np.repeat(starts, sizes) + inside])
            ends = ends + np.searchsorted(behind, ends, "right")
        if self.first is None or (self.first >= 0).all():
            return rows, ends
        known = rows >= 0
        return rows[known], np.concatenate(([0], np.cumsum(known)))[ends]
