r"""How far apart in the input is what the output speaks of? Spread, after Shaham et al. 2022 (SCROLLS), section 4.

Of an output's distinct bigrams, each is looked up where it first stands in the input; an example's spread is the
standard deviation of these places, in words. The input is the document: questions and options are left out. Where all
examples choose from the same labels (ContractNLI), the question itself, the hypothesis, takes the output's place. Every
reference is an output of its own. The paper does not say what a word is, nor which deviation it takes: here words are
lower-cased `\w+`, and the deviation is the population's, sqrt(mean((p - mean p)²)). Where it looks
up each bigram "if exists", it leaves out no output of which one alone is found: that stands in one place, deviation 0.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.metrics._words import TOKENS, words
from pipelines.records import Example
from pipelines.results.analysis import _plots
from pipelines.results.analysis._data import opened
from pipelines.results.analysis._numbers import HEADING, Histogram, Quantiles

SIGNATURE = f"spread|{TOKENS}|place:first|bigrams:distinct|deviation:population|single:0|unit:words"
_LETTER = re.compile(r"\(?([A-Z])\)?")
Places = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of a task's outputs. `values` in the order of the data, one an output that was measured.

    `single` of these outputs have one bigram in the input, and a spread of 0. `left_out` outputs have none;
    `without_output` examples have no reference. `of` says what was looked up: "references" or "queries".
    """

    task: str
    split: str
    of: str
    values: Sequence[float]
    single: int
    left_out: int
    without_output: int
    signature: str = SIGNATURE

    @property
    def quantiles(self) -> Quantiles | None:
        """The distribution in words, None where nothing could be measured."""
        return Quantiles.of(self.values)

    @property
    def histogram(self) -> Histogram:
        """Outputs by spread, in bins that are the same for all tasks."""
        return Histogram.of(self.values)

    def plot(self, path: str | Path) -> None:
        """Write the histogram as PNG, SVG or PDF. Raises `UserError` without matplotlib."""
        _plots.histogram(Path(path), self.histogram, f"{self.task}, {self.split}", "spread of bigrams (words)")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        bars, found = self.histogram, self.quantiles
        kept = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "values"}
        kept["quantiles"] = found.to_dict() if found else None
        kept["histogram"] = {"edges": list(bars.edges), "counts": list(bars.counts)}
        return kept | {"values": list(self.values)}

    def __str__(self) -> str:
        """Counts, the distribution, the histogram."""
        lines = [
            f"{self.task}, {self.split}: spread of the {self.of}' bigrams in the document, in words",
            f"  {len(self.values):,} measured, {self.single:,} of them by a single bigram (0), "
            f"{self.left_out:,} left out (no bigram found)",
        ]
        if self.without_output:
            lines.append(f"  {self.without_output:,} examples have no output")
        if self.quantiles:
            lines += [f"  {HEADING}", f"  {self.quantiles}", *(f"  {line}" for line in self.histogram.lines())]
        return "\n".join([*lines, f"  {self.signature}"])


def spread(task: Any, *, data: Any = None, split: str | None = None) -> Spread:
    """The spread of a task's outputs in its documents; `data` and `split` as in `run`. Raises `UserError`."""
    chosen, of, source = opened(task, data, split)
    values: list[float] = []
    single = left_out = without = 0
    known: tuple[str, Places] | None = None
    for example in source.examples():
        if known is None or known[0] != example.document.id:
            known = example.document.id, first_places(example.document.text)
        outputs = [example.query] if chosen.dataset.options else _outputs(example)
        without += not outputs
        for output in outputs:
            found = places_of(output, known[1])
            single += len(found) == 1
            left_out += not found
            values += [_deviation(found)] if found else []
    if not values and not left_out:
        raise UserError(f"no example of {chosen.name}, split {of}, has an output: choose a split that has, split=…")
    looked_up = "queries" if chosen.dataset.options else "references"
    return Spread(chosen.name, of, looked_up, values, single, left_out, without)


def first_places(text: str) -> Places:
    """Where each bigram of a text first stands: the number of words before it."""
    places: Places = {}
    for place, bigram in enumerate(pairwise(words(text))):
        places.setdefault(bigram, place)
    return places


def deviation(output: str, places: Mapping[tuple[str, str], int]) -> float | None:
    """The standard deviation of the places of an output's bigrams, in words; 0 for one, None where none is found."""
    found = places_of(output, places)
    return _deviation(found) if found else None


def places_of(output: str, places: Mapping[tuple[str, str], int]) -> list[int]:
    """Where the input has the bigrams of an output: a place for each that it has, in words."""
    return [places[bigram] for bigram in dict.fromkeys(pairwise(words(output))) if bigram in places]


def _deviation(numbers: Sequence[int]) -> float:
    mean = fsum(numbers) / len(numbers)
    return sqrt(fsum((number - mean) ** 2 for number in numbers) / len(numbers))


def _outputs(example: Example) -> Iterable[str]:
    """The references; one that is an option's letter stands for that option."""
    return [_option(reference, example.options) for reference in example.references]


def _option(reference: str, options: Sequence[str]) -> str:
    letter = _LETTER.fullmatch(reference.strip())
    place = ord(letter[1]) - ord("A") if letter else len(options)
    return options[place] if place < len(options) else reference
