"""Trains embeddings that identify the author of a paragraph: CoSENT on sampled pairs, by sentence-transformers.

The loss is ln(1 + Σ exp(scale · (cos of a pair of two authors − cos of a pair of one))) over the pairs of a batch (Su
2022, "CoSENT"); it depends on the order of the cosines, which is all that the logistic model after them needs.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.quiet import quiet
from models import hub, saved
from pipelines.plugins.training.recipe import TrainingJob
from pipelines.plugins.training.shared import gradient as gradient
from pipelines.plugins.training.shared import pair_samples, ranks


@dataclass(frozen=True)
class Embedding(gradient.GradientRecipe):
    """About `pairs` pairs of paragraphs are sampled, equally many of one author and of two where possible.

    The best checkpoint has the highest average precision on pairs of the validation documents; the logistic model and
    its threshold are fitted on them too (on the training documents where there are none with both kinds of pairs).
    """

    epochs: float = 1.0
    learning_rate: float = 3e-5
    batch_size: int = 32
    checkpoints: int = 4
    pairs: int = 4_000

    trains = frozenset({"bi_encoder"})
    libraries: ClassVar[tuple[str, ...]] = (*gradient.GradientRecipe.libraries, "sentence_transformers", "datasets")

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train the encoder, save it, and fit scale and bias."""
        from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
        from sentence_transformers.sentence_transformer.losses import CoSENTLoss

        pairs = pair_samples.sample(job.train, self.pairs, job.seed)
        if pairs is None:
            raise UserError(
                "the training examples compare no paragraphs; an embedding is learned on style_change, strategy=pairs"
            )
        validation_pairs = pair_samples.sample_validation(job.validation, self.pairs, job.seed)
        job = replace(job, validation=job.validation if validation_pairs else ())
        model = _encoder(job.reader)
        evaluator = _evaluator(validation_pairs, self.batch_size) if validation_pairs else None
        trainer = SentenceTransformerTrainer(
            model=model,
            args=gradient.arguments(
                SentenceTransformerTrainingArguments,
                self,
                job,
                job.reader.device,
                math.ceil(sum(1 for _ in pairs.texts()) / self.batch_size),
                "eval_validation_cosine_ap",
            ),
            train_dataset=_dataset(pairs),
            evaluator=evaluator,
            loss=CoSENTLoss(model),
        )
        metrics = gradient.run(trainer, self, job)
        with quiet():
            ranks.once_per_group(model.save_pretrained, str(job.out), create_model_card=False)
        reader = replace(job.reader, model=str(job.out), revision=None, scale=None, bias=None)
        reader.fit(job.validation or job.train)
        scale, bias = reader.learned
        ranks.once_per_group(saved.describe, job.out, {"name": "bi_encoder", "scale": scale, "bias": bias})
        return metrics | {"scale": scale, "bias": bias}


def _encoder(reader: Any) -> Any:
    """The encoder in fp32, for training."""
    import sentence_transformers

    path = hub.folder(reader.model, reader.revision).path
    with quiet():
        model = sentence_transformers.SentenceTransformer(
            str(path), device=reader.device, local_files_only=True, trust_remote_code=False
        )
    model.model_card_data.widget = [{}]  # else the trainer samples examples for a model card of its own
    return model


def _dataset(pairs: pair_samples.TrainingPairs) -> Any:
    """The pairs with the columns that the loss expects."""
    import datasets

    first, second, is_same = zip(*pairs.texts(), strict=True)
    columns = {"sentence1": list(first), "sentence2": list(second), "score": list(map(float, is_same))}
    return datasets.Dataset.from_dict(columns)


def _evaluator(pairs: pair_samples.TrainingPairs, batch_size: int) -> Any:
    """The evaluator of average precision on the pairs."""
    from sentence_transformers.sentence_transformer.evaluation import BinaryClassificationEvaluator

    first, second, is_same = zip(*pairs.texts(), strict=True)
    return BinaryClassificationEvaluator(
        list(first), list(second), list(map(int, is_same)),
        name="validation", batch_size=batch_size, similarity_fn_names=["cosine"], write_csv=False,
    )  # fmt: skip
