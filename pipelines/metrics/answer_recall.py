"""Answer recall: does the text in the prompt contain an answer at all?

The share of examples for which a reference occurs in the shown passages (without what was truncated) as a sequence of
whole tokens, both in SQuAD's normal form: the "has answer" test of open-domain question answering (Chen et al. 2017,
section 3.1), which bounds what an extractive reader can reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import Normalization, contains_tokens, mean, normal_answer, signed
from pipelines.records import Example


@dataclass(frozen=True)
class AnswerRecall(Metric):
    """Share of examples whose shown text contains a reference, 0–100; the key is "answer_recall".

    What is scored is the shown part of the selection, not the model's output. `normalization` is "squad", or "unicode"
    for any script, as for `f1`. A reference that normalizes to the empty string counts as missing.
    """

    normalization: Normalization = "squad"

    target = "selection"
    needs_example = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"answer_recall|of:shown selection|{signed(self.normalization)}|match:whole tokens|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where a reference occurs in the selected text (given as `prediction`), else 0.

        "in_document" is the same for the whole document. It is not a score, but shows whether selection lost the
        answer.
        """
        answers = [normal_answer(reference, self.normalization) for reference in example.references]
        is_shown = contains_tokens(normal_answer(prediction, self.normalization), answers)
        row = {"answer_recall": 100.0 * is_shown}
        if example.document.text:
            is_found = is_shown or contains_tokens(_normal_document(example.document.text, self.normalization), answers)
            row["in_document"] = 100.0 * is_found
        return row

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows with "answer_recall" alone, as rows of earlier versions have."""
        return [{"answer_recall": row["answer_recall"]} for row in rows]

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "answer_recall")


@lru_cache(maxsize=2)  # a document's examples come one after another
def _normal_document(text: str, normalization: Normalization) -> str:
    return normal_answer(text, normalization)
