"""Training encoders to classify: texts by their label, pairs of paragraphs by whether one author wrote both.

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
from pipelines.training import TrainingJob
from pipelines.training.shared import gradient as gradient
from pipelines.training.shared import lora, pair_samples, ranks

Row = tuple[list[int], list[int] | None, int]  # token ids, their types, the class


@dataclass(frozen=True)
class Classification(gradient.GradientRecipe):
    """A new head on the encoder; it and all weights are trained.

    - Labels (`sequence_classifier`): the best checkpoint has the highest macro F1 on the validation examples.
    - Pairs (`cross_encoder`): about `pairs` are sampled, equally many of one author and of two where possible; the
      best checkpoint has the highest average precision on pairs of the validation documents, and the threshold that
      does best on neighbours there becomes the reader's `bias`.
    - `balance`: classes have equal weight, however many examples they have.
    - `lora`: rank of the adapters (`_lora`) that are trained, with the head, instead of all weights.
    """

    balance: bool = True
    pairs: int = 4_000
    lora: int | None = None

    trains = frozenset({"sequence_classifier", "cross_encoder"})

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train, and save network and tokenizer. Raises `UserError` for fewer than two classes."""
        if name_of(job.reader) == "cross_encoder":
            return self._pairs(job)
        labels = job.labels or tuple(sorted({training_example.references[0] for training_example in job.train}))
        train, held_pairs = (list(_labelled(job.reader, part, labels)) for part in (job.train, job.validation))
        metrics = self._train(job, train, held_pairs, labels, "macro_f1")
        ranks.once_per_group(saved.describe, job.out, {"name": "sequence_classifier"})
        return metrics

    def _pairs(self, job: TrainingJob) -> Mapping[str, Any]:
        pairs = pair_samples.sample(job.train, self.pairs, job.seed)
        if pairs is None:
            raise UserError(
                "the training examples compare no paragraphs; pairs are learned on style_change, strategy=pairs"
            )
        training_pairs = pair_samples.sample_validation(job.validation, self.pairs, job.seed)
        train = list(_compared(job.reader, pairs))
        held_pairs = list(_compared(job.reader, training_pairs)) if training_pairs else []
        metrics = self._train(job, train, held_pairs, ("same",), "average_precision")
        reader = replace(job.reader, model=str(job.out), revision=None, bias=0.0)
        known_training_pairs = training_pairs or pairs
        neighbours = list(known_training_pairs.texts(neighbours=True))
        bias = best_threshold(
            reader.logits([(first, second) for first, second, _ in neighbours]), known_training_pairs.same
        )
        ranks.once_per_group(saved.describe, job.out, {"name": "cross_encoder", "bias": bias})
        return {**metrics, "bias": bias}

    def _train(
        self, job: TrainingJob, train: Sequence[Row], rows: Sequence[Row], names: Sequence[str], best: str
    ) -> dict[str, Any]:
        from transformers import Trainer, TrainingArguments

        if len({row[2] for row in train}) < 2:
            raise UserError("the training examples are all of one class: data= needs a training split with two or more")
        job = job if rows else replace(job, validation=())
        reader = job.reader
        network = reader.untrained(names, job.seed)
        batches = math.ceil(len(train) / self.batch_size)
        trainer = Trainer(
            model=lora.adapted(network.model, self.lora, "SEQ_CLS"),
            args=gradient.arguments(TrainingArguments, self, job, reader.device, batches, f"eval_{best}"),
            train_dataset=gradient.rows(train),
            eval_dataset=gradient.rows(rows) if rows else None,
            data_collator=_collator(network),
            compute_loss_func=_loss(train if self.balance else (), len(names)),
            compute_metrics=_macro_f1 if best == "macro_f1" else _average_precision,
        )
        metrics = gradient.run(trainer, self, job)
        gradient.save(lora.merged(trainer.model), hub.folder(reader.model, reader.revision).path, job.out)
        return {"train_samples": len(train), "eval_samples": len(rows)} | metrics


def _labelled(reader: Any, training_examples: Sequence[TrainingExample], labels: Sequence[str]) -> Iterator[Row]:
    for training_example in training_examples:
        label = training_example.references[0]
        if not isinstance(training_example.request, Classify):
            raise UserError(
                "these training examples have no labels; a classifier is trained on a task whose strategy is label"
            )
        if label not in labels:
            raise UserError(f"an example has the label {label!r}; known: {', '.join(labels)}")
        yield reader.training_inputs(training_example.request.text), None, labels.index(label)


def _compared(reader: Any, pairs: pair_samples.TrainingPairs) -> Iterator[Row]:
    for first, second, is_same in pairs.texts():
        ids, types = reader.training_inputs(first, second)
        yield ids, types, int(is_same)


def _collator(network: Any) -> Callable[[Sequence[Row]], dict[str, Any]]:
    def collate(rows: Sequence[Row]) -> dict[str, Any]:
        import torch

        ids, types, labels = zip(*rows, strict=True)
        inputs = network.inputs(ids, None if types[0] is None else types)
        return {**inputs, "labels": torch.tensor(labels, device=network.model.device)}

    return collate


def _loss(rows: Sequence[Row], outputs: int) -> Callable[..., Any]:
    """The summed loss of a step's examples over their number, each class weighted by the inverse of its share."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

    classes = max(outputs, 2)
    counts = [sum(row[2] == number for row in rows) for number in range(classes)]
    known_count = sum(count > 0 for count in counts)
    weights = torch.tensor([len(rows) / (known_count * count) if count else 1.0 for count in counts])

    def loss(given_value: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        logits = given_value["logits"].float()
        if outputs == 1:
            losses = binary_cross_entropy_with_logits(logits[:, 0], labels.float(), reduction="none")
        else:
            losses = cross_entropy(logits, labels, reduction="none")
        total = (losses * weights.to(labels.device)[labels]).sum()
        return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)

    return loss


def _macro_f1(value: Any) -> dict[str, float]:
    from sklearn.metrics import f1_score

    predicted = value.predictions.argmax(axis=-1)
    return {"macro_f1": 100 * float(f1_score(value.label_ids, predicted, average="macro"))}


def _average_precision(value: Any) -> dict[str, float]:
    from sklearn.metrics import average_precision_score

    return {"average_precision": 100 * float(average_precision_score(value.label_ids, value.predictions[:, 0]))}
