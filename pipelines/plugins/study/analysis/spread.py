r"""The spread of outputs: how far apart in the input their words are, after Shaham et al. 2022 (SCROLLS), section 4.

Each distinct bigram of an output is looked up where it first occurs in the input; the output's spread is the standard
deviation of these positions, in words. The input is the document: questions and options are left out. Where all
examples choose from the same labels (ContractNLI), the question itself, the hypothesis, takes the output's place. Every
reference is an output of its own. The paper does not say what a word is, nor which deviation it takes: here words are
lower-cased `\w+`, and the deviation is the population's, sqrt(mean((p - mean p)²)). The paper looks up each bigram "if
exists"; an output with a single bigram in the input is therefore kept, with deviation 0.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from longdoc.plain_json import plain_fields, plain_value
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.metrics.shared.words import TOKENS, words
from pipelines.plugins.study.analysis._numbers import Histogram, Quantiles, quantile_table
from pipelines.plugins.study.analysis.data import load_split
from pipelines.records import Example
from pipelines.sources import DataSpec
from pipelines.tasks import TaskSpec

SIGNATURE = f"spread|{TOKENS}|place:first|bigrams:distinct|deviation:population|single:0|unit:words"
_LETTER = re.compile(r"\(?([A-Z])\)?")
Positions = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Spread(View):
    """The spread of a task's outputs: `values` has one number per measured output, in the order of the data.

    `single` of these outputs have one bigram in the input, and a spread of 0. `left_out` outputs have none;
    `without_output` examples have no reference. `looked_up` says what the outputs are: "references" or "queries".
    """

    task: str
    split: str
    looked_up: str
    values: Sequence[float]
    single: int
    left_out: int
    without_output: int
    signature: str = SIGNATURE

    @property
    def quantiles(self) -> Quantiles | None:
        """The distribution in words, None where nothing could be measured."""
        return Quantiles.from_values(self.values)

    @property
    def histogram(self) -> Histogram:
        """The outputs by spread, in bins that are the same for all tasks."""
        return Histogram.from_values(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        fields = plain_fields(self, leave_out=("values",))
        distribution = {"quantiles": plain_value(self.quantiles), "histogram": plain_value(self.histogram)}
        return fields | distribution | {"values": list(self.values)}

    def tables(self) -> list[Table]:
        """The distribution with counts, and the histogram."""
        caption = f"{self.task}, {self.split}: spread of the {self.looked_up}' bigrams in the document, in words"
        notes = [
            f"{len(self.values):,} measured, {self.single:,} of them by a single bigram (0), "
            f"{self.left_out:,} left out (no bigram found)"
        ]
        if self.without_output:
            notes.append(f"{counted(self.without_output, 'example')} without output")
        quantiles = {} if self.quantiles is None else {self.looked_up: self.quantiles}
        histogram = [self.histogram.table("words", self.looked_up)] if quantiles else []
        return [quantile_table(caption, quantiles, [*notes, self.signature]), *histogram]


@checks_names
def spread(task: TaskSpec, *, data: DataSpec | None = None, split: str | None = None) -> Spread:
    """The spread of a task's outputs in its documents; `data` and `split` as in `run`. Raises `UserError`."""
    chosen_task, split, dataset = load_split(task, data, split)
    values: list[float] = []
    single_count = left_out_count = without_output_count = 0
    document_id: str | None = None
    document_positions: Positions = {}
    for example in dataset.examples():
        if document_id != example.document.id:
            document_id, document_positions = example.document.id, first_positions(example.document.text)
        outputs = [example.query] if chosen_task.dataset.options else _outputs(example)
        without_output_count += not outputs
        for output in outputs:
            positions = positions_of(output, document_positions)
            single_count += len(positions) == 1
            left_out_count += not positions
            values += [_deviation(positions)] if positions else []
    if not values and not left_out_count:
        raise UserError(
            f"no example of {chosen_task.name}, split {split}, has an output: choose a split that has, split=…"
        )
    looked_up = "queries" if chosen_task.dataset.options else "references"
    return Spread(chosen_task.name, split, looked_up, values, single_count, left_out_count, without_output_count)


def first_positions(text: str) -> Positions:
    """Where each bigram of a text first occurs: the number of words before it."""
    positions: Positions = {}
    for position, bigram in enumerate(pairwise(words(text))):
        positions.setdefault(bigram, position)
    return positions


def deviation(output: str, positions: Mapping[tuple[str, str], int]) -> float | None:
    """The standard deviation of the positions of an output's bigrams, in words; 0 for one, None without any."""
    output_positions = positions_of(output, positions)
    return _deviation(output_positions) if output_positions else None


def positions_of(output: str, positions: Mapping[tuple[str, str], int]) -> list[int]:
    """The positions of those bigrams of an output that the input has, in words."""
    return [positions[bigram] for bigram in dict.fromkeys(pairwise(words(output))) if bigram in positions]


def _deviation(positions: Sequence[int]) -> float:
    mean = fsum(positions) / len(positions)
    return sqrt(fsum((position - mean) ** 2 for position in positions) / len(positions))


def _outputs(example: Example) -> Iterable[str]:
    """The references, an option's text in place of its letter."""
    return [_option(reference, example.options) for reference in example.references]


def _option(reference: str, options: Sequence[str]) -> str:
    """The option whose letter the reference is; another reference as it is."""
    letter = _LETTER.fullmatch(reference.strip())
    index = ord(letter[1]) - ord("A") if letter else len(options)
    return options[index] if index < len(options) else reference
