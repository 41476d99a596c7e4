"""Containment: does the output contain an answer, whatever else it says?

The share of examples whose prediction holds a reference as a sequence of whole tokens, both in SQuAD's normal form
(Rajpurkar et al. 2016, section 6.1): the substring match by which HELMET and Lost in the Middle score long answers
(Yen et al. 2024, appendix; Liu et al. 2023, section 2.1), on whole tokens, so that "12" is not in "1212".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import Normalization, contains_tokens, mean, normal_answer, signed
from pipelines.records import Example


@dataclass(frozen=True)
class Containment(Metric):
    """Share of examples whose prediction contains a reference, 0–100; the key is "containment".

    `normalization` is "squad", or "unicode" for any script, as for `f1`. A reference that normalizes to the empty
    string is in no prediction.
    """

    normalization: Normalization = "squad"

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"containment|{signed(self.normalization)}|match:whole tokens|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where a reference occurs in the prediction, else 0."""
        answers = [normal_answer(reference, self.normalization) for reference in example.references]
        return {"containment": 100.0 * contains_tokens(normal_answer(prediction, self.normalization), answers)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "containment")
