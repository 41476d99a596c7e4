"""Token F1 of question answering, as SQuAD 1.1 defines it (Rajpurkar et al. 2016, section 6.1).

With the normalized tokens of prediction and reference as multisets, c their intersection's size:
precision = c / |prediction|, recall = c / |reference|, F1 = 2 · precision · recall / (precision + recall); 0 where
c = 0. The best reference counts, the score is the mean over examples. Of a question that has no answer F1 is 1 where
the prediction says so, else 0, as SQuAD 2.0's script has it (Rajpurkar, Jia and Liang 2018).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.abstaining import Empty, abstains, signed_empty
from pipelines.metrics.shared.words import Normalization, mean, normal_answer, signed
from pipelines.records import Example, is_unanswerable


@dataclass(frozen=True)
class F1(Metric):
    """Token F1 on normalized answers, 0–100; the key is "f1".

    `normalization` "squad" is that of the SQuAD 1.1 script, which is made for English; "unicode" does the same in any
    script, and compares letters where no spaces are written (`pipelines.metrics.shared.words`): equal on ASCII text.
    Two answers that both normalize to nothing share no token and score 0, as in the script. A prediction says that a
    question has no answer by the word "unanswerable"; with `empty` "refusal", as in SQuAD 2.0's files of predictions,
    also by nothing (`shared.abstaining`).
    """

    normalization: Normalization = "squad"
    empty: Empty = "wrong"

    scores_unanswerable = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"f1|{signed(self.normalization)}|references:max{signed_empty(self.empty)}"

    def of_file(self) -> "F1":
        """With empty texts as refusals."""
        return replace(self, empty="refusal")

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F1 over the references, 0–100."""
        if is_unanswerable(example.references):
            return {"f1": 100.0 * abstains(prediction, self.normalization, empty=self.empty)}
        tokens = self._tokens(prediction)
        return {"f1": max(100 * token_f1(tokens, self._tokens(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "f1")

    def _tokens(self, answer: str) -> list[str]:
        return normal_answer(answer, self.normalization).split()


def token_f1(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """F1 of two multisets of tokens, 0–1."""
    common = (Counter(prediction) & Counter(reference)).total()
    return 2 * common / (len(prediction) + len(reference)) if common else 0.0
