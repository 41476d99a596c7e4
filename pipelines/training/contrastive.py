"""Training an encoder to find evidence: softmax over the evidence and the other texts of a batch.

loss = -ln(exp(s · cos(q, p)) / Σ exp(s · cos(q, t))), t over the evidence p, the negatives of q and all texts of the
batch's other questions (Karpukhin et al. 2020, section 3.2; `MultipleNegativesRankingLoss` of sentence-transformers,
whose scale s is 20).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from longdoc.errors import UserError
from models import hub, saved
from models.quiet import quiet
from pipelines.training import TrainingJob
from pipelines.training.shared import gradient as gradient
from pipelines.training.shared import ranks
from pipelines.training.shared.hard_negatives import Question, questions


@dataclass(frozen=True)
class Contrastive(gradient.GradientRecipe):
    """Each text of evidence is a sample with its question and the question's hardest negatives.

    - `negatives`: for each sample; questions with fewer give them again, those with none are left out.
    - `best`: the checkpoint with the lowest loss on the validation documents is kept.
    """

    epochs: float = 1.0
    batch_size: int = 16
    negatives: int = 2

    trains = frozenset({"dense"})
    libraries: ClassVar[tuple[str, ...]] = (*gradient.GradientRecipe.libraries, "sentence_transformers", "datasets")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.negatives < 1:
            raise UserError(f"negatives must be at least 1, got {self.negatives}")

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train the encoder and save it as the folder of a retriever."""
        from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
        from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
        from sentence_transformers.sentence_transformer.training_args import BatchSamplers

        train, held_pairs = (
            _samples(part, self.negatives) for part in questions(job, self.negatives, job.reader.heading)
        )
        model = _encoder(job.reader)
        job = replace(job, validation=held_pairs)  # type: ignore[arg-type]
        trainer = SentenceTransformerTrainer(
            model=model,
            args=gradient.arguments(
                SentenceTransformerTrainingArguments,
                self,
                job,
                job.reader.device,
                math.ceil(len(train) / self.batch_size),
                "eval_loss",
                batch_sampler=BatchSamplers.NO_DUPLICATES,  # a question's other evidence is no negative
            ),
            train_dataset=_dataset(train),
            eval_dataset=_dataset(held_pairs) if held_pairs else None,
            loss=MultipleNegativesRankingLoss(model),
        )
        metrics = gradient.run(trainer, self, job)
        with quiet():
            ranks.once_per_group(model.save_pretrained, str(job.out), create_model_card=False)
        ranks.once_per_group(saved.describe, job.out, {"name": "dense", "heading": job.reader.heading}, saved.RETRIEVER)
        return {"train_samples": len(train), "eval_samples": len(held_pairs)} | metrics


def _samples(questions: Sequence[Question], negatives: int) -> list[tuple[str, ...]]:
    """(question, evidence, negatives …) for each text of evidence."""
    return [
        (question.text, text, *(question.negatives * negatives)[:negatives])
        for question in questions
        if question.negatives
        for text in question.evidence
    ]


def _dataset(samples: Sequence[tuple[str, ...]]) -> Any:
    import datasets

    first, evidence, *other_texts = zip(*samples, strict=True)
    columns = {"anchor": list(first), "positive": list(evidence)}
    return datasets.Dataset.from_dict(
        columns | {f"negative_{n}": list(texts) for n, texts in enumerate(other_texts, 1)}
    )


def _encoder(retriever: Any) -> Any:
    """The retriever's encoder in fp32, for training."""
    import sentence_transformers

    with quiet():
        model = sentence_transformers.SentenceTransformer(
            str(hub.folder(retriever.model).path), device=retriever.device, local_files_only=True,
            trust_remote_code=False,
        )  # fmt: skip
    model.model_card_data.widget = [{}]  # else the trainer samples examples for a model card of its own
    return model
