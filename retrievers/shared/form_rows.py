"""The rows of a matrix of counts in which the forms of words are counted: stems, n-grams, words without accents."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longdoc.languages import Forms, without_accents
from retrievers.shared.distinct import Stretches, Vocabulary

Rows = npt.NDArray[np.int64]


class FormRows(NamedTuple):
    """The rows of the forms of numbered words.

    `first` is the row of each word's first form, -1 where it has none; None where each word's row is its number.
    `sizes` is the number of other forms of each word, and `more` their rows, word after word. `numbers` maps forms to
    rows; `total` is the number of rows.
    """

    first: Rows | None
    sizes: Rows
    more: Rows
    numbers: dict[str, int]
    total: int

    @classmethod
    def of(cls, forms_of_words: Sequence[Forms], keys: Iterable[str]) -> "FormRows":
        """The rows for the forms of words in several languages; each language's key is a prefix of its forms."""
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
    def with_plain_forms(cls, distinct_words: Stretches, vocabulary: Vocabulary, non_ascii: Rows) -> "FormRows":
        """The rows for words as written, and without accents for the `non_ascii` words that have some."""
        codes, starts, ends = distinct_words
        total, sizes, numbers = len(starts), np.zeros(len(starts), np.int64), dict[str, int]()
        words = Stretches(codes, starts[non_ascii], ends[non_ascii]).texts()
        plain = {
            row: form for row, word in zip(non_ascii, words, strict=True) if (form := without_accents(word)) != word
        }
        sizes[list(plain)] = 1
        forms = list(plain.values())
        more = vocabulary.find(forms)
        for place in np.flatnonzero(more < 0).tolist():
            more[place] = total + numbers.setdefault(forms[place], len(numbers))
        return cls(None, sizes, more, {form: total + number for form, number in numbers.items()}, total + len(numbers))

    def find(self, forms: Sequence[str]) -> Rows:
        """The row of each form, -1 for unknown forms."""
        return np.array([self.numbers.get(form, -1) for form in forms], np.int64)

    def __call__(self, ids: npt.NDArray[np.integer], ends: Rows) -> tuple[Rows, Rows]:
        """The rows of the words' forms, and the ends of the texts in them; text i is `ids[ends[i]:ends[i + 1]]`."""
        rows: Rows = ids.astype(np.int64, copy=False) if self.first is None else self.first.take(ids)
        if len(self.more):
            positions = np.flatnonzero((self.sizes > 0).take(ids))
            words = ids[positions]
            sizes, starts = self.sizes[words], (np.cumsum(self.sizes) - self.sizes)[words]
            insertion_points = np.repeat(positions + 1, sizes)
            form_positions = np.arange(len(insertion_points)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            rows = np.insert(rows, insertion_points, self.more[np.repeat(starts, sizes) + form_positions])
            ends = ends + np.searchsorted(insertion_points, ends, "right")
        if self.first is None or (self.first >= 0).all():
            return rows, ends
        has_row = rows >= 0
        return rows[has_row], np.concatenate(([0], np.cumsum(has_row)))[ends]
