"""Another metric on the first line of outputs: LongBench's triviaqa and samsum (Bai et al. 2024), whose prompts end
with examples that models go on with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from pipelines.metrics import Metric, Row, registry
from pipelines.records import Example


@dataclass(frozen=True)
class FirstLine(Metric):
    """The scores of `metric` for the first line of each output that is not empty; the keys end in "_first_line"."""

    metric: Any = "f1"

    def __post_init__(self) -> None:
        metric = registry.get(self.metric)
        object.__setattr__(self, "metric", metric)  # so that a run's record has all its fields

    @property
    def needs_example(self) -> bool:  # type: ignore[override]
        """What `metric` needs."""
        return self._inner.needs_example

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        """What `metric` needs."""
        return self._inner.needs_references

    @property
    def bootstrap_on(self) -> Literal["mean row", "rows"]:  # type: ignore[override]
        """The mean row is enough if it is for `metric`; its keys are not those of the scores."""
        return "rows" if self._inner.bootstrap_on == "rows" else "mean row"

    @property
    def signature(self) -> str:
        """The signature of `metric`, its name with "_first_line"."""
        name, bar, rules = self._inner.signature.partition("|")
        return f"{name}_first_line|prediction:first line{bar}{rules}"

    def prepare(self) -> None:
        """Prepare `metric`. Raises `NotComputable`."""
        self._inner.prepare()

    def statistics(self, prediction: str, example: Example) -> Row:
        """The statistics of `metric` for the first line."""
        return self._inner.statistics(first_line(prediction), example)

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows as `metric` can sum them."""
        return self._inner.summable(rows)

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores of `metric`."""
        return {f"{name}_first_line": value for name, value in self._inner.aggregate(rows).items()}

    @property
    def _inner(self) -> Metric:
        return cast(Metric, self.metric)


def first_line(text: str) -> str:
    r"""The first line of a text that is not empty, up to "\n"; white space stays."""
    return text.lstrip("\n").partition("\n")[0]
