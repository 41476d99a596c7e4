"""Exact match of question answering, as SQuAD 1.1 defines it (Rajpurkar et al. 2016, section 6.1).

The share of examples whose prediction equals a reference once both are normalized; where a question has no answer, of
those whose prediction says so (SQuAD 2.0: Rajpurkar, Jia and Liang 2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.abstaining import Empty, abstains, signed_empty
from pipelines.metrics.shared.words import Normalization, mean, normal_answer, signed
from pipelines.records import Example, is_unanswerable


@dataclass(frozen=True)
class ExactMatch(Metric):
    """Exact match on normalized answers, 0–100; the key is "exact_match".

    `normalization` is "squad", or "unicode" for any script, as for `f1`. Two answers that both normalize to nothing are
    equal, as in the SQuAD 1.1 script, but an empty prediction is wrong. A prediction says that a question has no answer
    by the word "unanswerable"; with `empty` "refusal", as in SQuAD 2.0's files of predictions, also by nothing
    (`shared.abstaining`).
    """

    normalization: Normalization = "squad"
    empty: Empty = "wrong"

    scores_unanswerable = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"exact_match|{signed(self.normalization)}|references:max{signed_empty(self.empty)}"

    def of_file(self) -> "ExactMatch":
        """With empty texts as refusals."""
        return replace(self, empty="refusal")

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the prediction equals a reference, else 0."""
        if is_unanswerable(example.references):
            return {"exact_match": 100.0 * abstains(prediction, self.normalization, empty=self.empty)}
        if not prediction.strip() and self.empty == "wrong":
            return {"exact_match": 0.0}
        answer, *references = (normal_answer(text, self.normalization) for text in (prediction, *example.references))
        return {"exact_match": 100.0 * (answer in references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "exact_match")
