"""Trains encoders to classify: texts by their label, pairs of paragraphs by whether one author wrote both.

Cross entropy (binary for one output); with `balance`, each class is weighted by the inverse of its share.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longdoc.errors import UserError
from longdoc.registry import name_of
from models import hub, saved
from models.author_pairs import best_threshold
from models.requests import Classify, TrainingExample
from pipelines.plugins.training.recipe import TrainingJob
from pipelines.plugins.training.shared import gradient as gradient
from pipelines.plugins.training.shared import lora, pair_samples, ranks

Row = tuple[list[int], list[int] | None, int]  # token ids, their types, the class


@dataclass(frozen=True)
class Classification(gradient.GradientRecipe):
    """A new head on the encoder; it and all weights are trained.

    - Labels (`sequence_classifier`): the best checkpoint has the highest macro F1 on the validation examples.
    - Pairs (`cross_encoder`): about `pairs` are sampled, equally many of one author and of two where possible; the
      best checkpoint has the highest average precision on pairs of the validation documents, and the threshold that
      does best on neighbours there becomes the reader's `bias`.
    - `balance`: classes have equal weight, however many examples they have.
    - `lora`: rank of the LoRA adapters that are trained, with the head, instead of all weights.
    """

    balance: bool = True
    pairs: int = 4_000
    lora: int | None = None

    trains = frozenset({"sequence_classifier", "cross_encoder"})

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train, and save network and tokenizer. Raises `UserError` for fewer than two classes."""
        if name_of(job.reader) == "cross_encoder":
            return self._train_on_pairs(job)
        labels = job.labels or tuple(sorted({example.references[0] for example in job.train}))
        rows, validation_rows = (list(_label_rows(job.reader, part, labels)) for part in (job.train, job.validation))
        metrics = self._train(job, rows, validation_rows, labels, "macro_f1")
        ranks.once_per_group(saved.describe, job.out, {"name": "sequence_classifier"})
        return metrics

    def _train_on_pairs(self, job: TrainingJob) -> Mapping[str, Any]:
        pairs = pair_samples.sample(job.train, self.pairs, job.seed)
        if pairs is None:
            raise UserError(
                "the training examples compare no paragraphs; pairs are learned on style_change, strategy=pairs"
            )
        validation_pairs = pair_samples.sample_validation(job.validation, self.pairs, job.seed)
        rows = list(_pair_rows(job.reader, pairs))
        validation_rows = list(_pair_rows(job.reader, validation_pairs)) if validation_pairs else []
        metrics = self._train(job, rows, validation_rows, ("same",), "average_precision")
        reader = replace(job.reader, model=str(job.out), revision=None, bias=0.0)
        threshold_pairs = validation_pairs or pairs
        neighbours = [(first, second) for first, second, _ in threshold_pairs.texts(neighbours=True)]
        bias = best_threshold(reader.logits(neighbours), threshold_pairs.same)
        ranks.once_per_group(saved.describe, job.out, {"name": "cross_encoder", "bias": bias})
        return {**metrics, "bias": bias}

    def _train(
        self, job: TrainingJob, rows: Sequence[Row], validation_rows: Sequence[Row], outputs: Sequence[str], metric: str
    ) -> dict[str, Any]:
        """Train a network with these `outputs` and save it; `metric` chooses the best checkpoint."""
        from transformers import Trainer, TrainingArguments

        if len({row[2] for row in rows}) < 2:
            raise UserError("the training examples are all of one class: data= needs a training split with two or more")
        job = job if validation_rows else replace(job, validation=())
        reader = job.reader
        network = reader.untrained(outputs, job.seed)
        batches = math.ceil(len(rows) / self.batch_size)
        trainer = Trainer(
            model=lora.adapted(network.model, self.lora, "SEQ_CLS"),
            args=gradient.arguments(TrainingArguments, self, job, reader.device, batches, f"eval_{metric}"),
            train_dataset=gradient.dataset(rows),
            eval_dataset=gradient.dataset(validation_rows) if validation_rows else None,
            data_collator=_collator(network),
            compute_loss_func=_loss(rows if self.balance else (), len(outputs)),
            compute_metrics=_macro_f1 if metric == "macro_f1" else _average_precision,
        )
        metrics = gradient.run(trainer, self, job)
        gradient.save(lora.merged(trainer.model), hub.folder(reader.model, reader.revision).path, job.out)
        return {"train_samples": len(rows), "eval_samples": len(validation_rows)} | metrics


def _label_rows(reader: Any, examples: Sequence[TrainingExample], labels: Sequence[str]) -> Iterator[Row]:
    """Each example's text with its label. Raises `UserError` for an example without a label, and an unknown label."""
    for example in examples:
        label = example.references[0]
        if not isinstance(example.request, Classify):
            raise UserError(
                "these training examples have no labels; a classifier is trained on a task whose strategy is label"
            )
        if label not in labels:
            raise UserError(f"an example has the label {label!r}; known: {', '.join(labels)}")
        yield reader.training_inputs(example.request.text), None, labels.index(label)


def _pair_rows(reader: Any, pairs: pair_samples.TrainingPairs) -> Iterator[Row]:
    """Each pair of texts with whether one author wrote both."""
    for first, second, is_same in pairs.texts():
        ids, types = reader.training_inputs(first, second)
        yield ids, types, int(is_same)


def _collator(network: Any) -> Callable[[Sequence[Row]], dict[str, Any]]:
    """The function that makes a batch of rows."""

    def collate(rows: Sequence[Row]) -> dict[str, Any]:
        import torch

        ids, types, labels = zip(*rows, strict=True)
        inputs = network.inputs(ids, None if types[0] is None else types)
        return {**inputs, "labels": torch.tensor(labels, device=network.model.device)}

    return collate


def _loss(rows: Sequence[Row], output_count: int) -> Callable[..., Any]:
    """The loss function: the mean over a step's examples, each class weighted by the inverse of its share in `rows`."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

    classes = max(output_count, 2)
    counts = [sum(row[2] == number for row in rows) for number in range(classes)]
    present = sum(count > 0 for count in counts)
    weights = torch.tensor([len(rows) / (present * count) if count else 1.0 for count in counts])

    def loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        logits = outputs["logits"].float()
        if output_count == 1:
            losses = binary_cross_entropy_with_logits(logits[:, 0], labels.float(), reduction="none")
        else:
            losses = cross_entropy(logits, labels, reduction="none")
        total = (losses * weights.to(labels.device)[labels]).sum()
        return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)

    return loss


def _macro_f1(evaluation: Any) -> dict[str, float]:
    """Macro F1 of the Trainer's predictions, 0–100."""
    from sklearn.metrics import f1_score

    predicted = evaluation.predictions.argmax(axis=-1)
    return {"macro_f1": 100 * float(f1_score(evaluation.label_ids, predicted, average="macro"))}


def _average_precision(evaluation: Any) -> dict[str, float]:
    """Average precision of the Trainer's predictions, 0–100."""
    from sklearn.metrics import average_precision_score

    return {
        "average_precision": 100 * float(average_precision_score(evaluation.label_ids, evaluation.predictions[:, 0]))
    }
