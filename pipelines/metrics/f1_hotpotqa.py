"""Token F1 of question answering as HotpotQA's script computes it (Yang et al. 2018), which LiteraryQA uses, too.

It is SQuAD's F1 (`pipelines.metrics.f1`) with one rule more: where prediction or reference, both normalized, is "yes",
"no" or "noanswer" and the two differ, the score is 0, however many words they share. The best reference counts, the
score is the mean over examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.f1 import token_f1
from pipelines.metrics.shared.words import mean, normalize
from pipelines.records import Example

CLOSED_ANSWERS = ("yes", "no", "noanswer")


@dataclass(frozen=True)
class F1Hotpotqa(Metric):
    """Token F1 with HotpotQA's rule for closed answers, 0–100; the key is "f1_hotpotqa"."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "f1_hotpotqa|normalization:squad-1.1|yes, no, noanswer:equal or 0|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F1 over the references, 0–100."""
        answer = normalize(prediction)
        return {"f1_hotpotqa": max(100 * _f1(answer, normalize(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "f1_hotpotqa")


def _f1(answer: str, reference: str) -> float:
    if answer != reference and (answer in CLOSED_ANSWERS or reference in CLOSED_ANSWERS):
        return 0.0
    return token_f1(answer.split(), reference.split())
