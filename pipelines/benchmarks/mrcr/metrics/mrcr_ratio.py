"""MRCR's score (OpenAI 2025): how alike an output and the message are that it was to repeat, by `difflib`.

An output has to begin with the random string that the prompt asks for, else it scores 0; what follows is compared with
the answer without it, by SequenceMatcher's ratio. White space at the start counts, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import fsum

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

SHORTEST = 4096  # tokens of prompt and answer in the first bin
BINS = tuple(SHORTEST * 2**power for power in range(1, 9))  # their upper bounds
NEEDLES = (2, 4, 8)


@dataclass(frozen=True)
class MrcrRatio(Metric):
    """The mean ratio of the outputs that begin with the random string, of all outputs, 0–100.

    The keys are "mrcr_ratio"; "mrcr_ratio_2_needles", "…_4_…" and "…_8_…" where the rows say how many there are;
    "mrcr_ratio_8192" to "mrcr_ratio_1048576", bins of the tokens of prompt and answer by their upper bounds, where rows
    count them (`meta["tokens"]`); and "no_prefix", the share of outputs that do not begin with the string
    (`meta["prefix"]`; none is needed where there is none).
    """

    needs_example = True
    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "mrcr_ratio|begins with the random string, else 0|ratio:difflib.SequenceMatcher|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's ratio, over all and in its groups."""
        prefix = str(example.meta.get("prefix", ""))
        begins = prediction.startswith(prefix)
        ratios = [_ratio(prediction.removeprefix(prefix), text.removeprefix(prefix)) for text in example.references]
        value = 100.0 * max(ratios) * begins
        row = {"mrcr_ratio": value, "no_prefix": 100.0 * (not begins)}
        groups = (f"{example.meta.get('needles')}_needles", str(bin_of(example.meta.get("tokens"))))
        for name in GROUPS:
            within = float(name in groups)
            row |= {f"is_{name}": within, f"ratio_{name}": within * value}
        return row

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean ratios; a group without an example has none."""
        scores = mean(rows, "mrcr_ratio") | mean(rows, "no_prefix")
        for name in GROUPS:
            if count := fsum(row[f"is_{name}"] for row in rows):
                scores[f"mrcr_ratio_{name}"] = fsum(row[f"ratio_{name}"] for row in rows) / count
        return scores


GROUPS = (*(f"{count}_needles" for count in NEEDLES), *map(str, BINS))


def bin_of(tokens: int | None) -> int | None:
    """The upper bound of the bin that so many tokens are in; None where they are in none, or not counted."""
    if tokens is None or tokens < SHORTEST:
        return None
    return next((bound for bound in BINS if tokens <= bound), None)


def _ratio(output: str, answer: str) -> float:
    return SequenceMatcher(None, output, answer).ratio()
