"""The rows of a matrix of counts in which the forms of words are counted: stems, n-grams, words without accents."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longdoc.languages import without_accents
from retrievers.shared.distinct import Stretches, Vocabulary

Rows = npt.NDArray[np.int64]


class FormRows(NamedTuple):
    """For each numbered word the row of its `first` form, -1 for none, and the rows of `more`, `sizes` of them.

    `numbers` are the rows of forms, `total` is how many rows there are.
    """

    first: Rows
    sizes: Rows
    more: Rows
    numbers: dict[str, int]
    total: int

    @classmethod
    def of(cls, forms_of_words: Sequence[Sequence[tuple[str, ...]]], keys: Iterable[str]) -> "FormRows":
        """The rows for the forms of words in several languages, each with a key that tells its forms apart."""
        numbers: dict[str, int] = {}
        first, sizes, more = list[int](), list[int](), list[int]()
        for words, key in zip(forms_of_words, keys, strict=True):
            for forms in words:
                first.append(numbers.setdefault(key + forms[0], len(numbers)) if forms else -1)
                sizes.append(max(len(forms) - 1, 0))
                if len(forms) > 1:
                    more += [numbers.setdefault(key + form, len(numbers)) for form in forms[1:]]
        return cls(np.array(first, np.int64), np.array(sizes), np.array(more, np.int64), numbers, len(numbers))

    @classmethod
    def with_plain_forms(cls, different: Stretches, vocabulary: Vocabulary, foreign: Rows) -> "FormRows":
        """The rows for words as they are, and for what those with accents, which are `foreign`, are without them."""
        total = len(different.starts)
        words = Stretches(different.codes, different.starts[foreign], different.ends[foreign]).texts()
        plain = list(map(without_accents, words))
        changed = np.array([word != form for word, form in zip(words, plain, strict=True)], np.bool_)
        forms = [form for word, form in zip(words, plain, strict=True) if word != form]
        more, numbers = vocabulary.find(forms), dict[str, int]()
        for place in np.flatnonzero(more < 0).tolist():
            more[place] = numbers.setdefault(forms[place], total + len(numbers))
        sizes = np.zeros(total, np.int64)
        sizes[foreign[changed]] = 1
        return cls(np.arange(total), sizes, more, numbers, total + len(numbers))

    def find(self, forms: Sequence[str]) -> Rows:
        """The rows of forms that have numbers, -1 for others."""
        return np.array([self.numbers.get(form, -1) for form in forms], np.int64)

    def __call__(self, ids: npt.NDArray[np.integer], ends: Rows) -> tuple[Rows, Rows]:
        """The rows of the forms of numbered words, those of text i at `ends[i]:ends[i + 1]`, and their ends."""
        rows, places = self.first.take(ids), np.flatnonzero(self.sizes.take(ids)) if len(self.more) else ids[:0]
        if len(places):
            words = ids[places]
            sizes, starts = self.sizes[words], (np.cumsum(self.sizes) - self.sizes)[words]
            behind = np.repeat(places + 1, sizes)
            inside = np.arange(len(behind)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            rows = np.insert(rows, behind, self.more[np.repeat(starts, sizes) + inside])
            ends = ends + np.searchsorted(behind, ends, "right")
        known = rows >= 0
        return rows[known], np.concatenate(([0], np.cumsum(known)))[ends]
