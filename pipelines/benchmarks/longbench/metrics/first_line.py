"""Another metric on the first line of outputs: LongBench's triviaqa and samsum (Bai et al. 2024), whose prompts end
with examples that models go on with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Row
from pipelines.metrics.shared.wrapped_metric import OfMetric
from pipelines.records import Example


@dataclass(frozen=True)
class FirstLine(OfMetric):
    """The scores of `metric` for the first line of each output that is not empty; the keys end in "_first_line"."""

    ending = "_first_line"
    rule = "prediction:first line"

    @property
    def needs_example(self) -> bool:  # type: ignore[override]
        """Whether `metric` needs the example."""
        return self._inner.needs_example

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        """Whether `metric` needs references."""
        return self._inner.needs_references

    def statistics(self, prediction: str, example: Example) -> Row:
        """The statistics of `metric` for the first line."""
        return self._inner.statistics(first_line(prediction), example)

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows as `metric` can sum them."""
        return self._inner.summable(rows)

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores of `metric`."""
        return {f"{name}{self.ending}": value for name, value in self._inner.aggregate(rows).items()}


def first_line(text: str) -> str:
    r"""The first line of a text that is not empty, up to "\n"; white space stays."""
    return text.lstrip("\n").partition("\n")[0]
