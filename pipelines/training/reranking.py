"""Training a cross-encoder to tell evidence from other chunks: binary cross entropy on pairs of question and chunk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longdoc.registry import describe
from models import saved
from models.neural.cross_encoder import CrossEncoder
from pipelines.training import TrainingJob
from pipelines.training.classification import Classification, Row
from pipelines.training.shared import ranks
from pipelines.training.shared.hard_negatives import Question, questions


@dataclass(frozen=True)
class Reranking(Classification):
    """A new head on the encoder, or the one of one output that it has; it and all weights are trained.

    - `negatives`: pairs of a question with its hardest negatives; its evidence gives a pair for each text.
    - `pairs`: at most so many, the first questions'. The best checkpoint has the highest average precision on the pairs
      of the validation documents.
    """

    pairs: int = 100_000
    negatives: int = 4

    trains = frozenset({"rerank"})

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train, and save network and tokenizer as the folder of a retriever."""
        retriever = job.reader
        known_questions, held_questions = questions(job, self.negatives, retriever.heading)
        reader = CrossEncoder(retriever.model, device=retriever.device, dtype="fp32")
        train, validation = (_pairs(reader, part)[: self.pairs] for part in (known_questions, held_questions))
        job = replace(job, reader=reader, validation=validation)  # type: ignore[arg-type]
        metrics = self._train(job, train, validation, ("relevant",), "average_precision")
        fields = {"retriever": describe(retriever.retriever), "top": retriever.top, "heading": retriever.heading}
        ranks.once_per_group(saved.describe, job.out, {"name": "rerank", **fields}, saved.RETRIEVER)
        return metrics


def _pairs(reader: CrossEncoder, questions: Sequence[Question]) -> list[Row]:
    return [
        (*reader.training_inputs(question.text, text), int(relevant))
        for question in questions
        for relevant, texts in ((True, question.evidence), (False, question.negatives))
        for text in texts
    ]
