"""Training encoders to answer with spans of the passages: cross entropy over start and end (Devlin et al. 2019, 4.2).

Loss of a window = -(ln p_start(i) + ln p_end(j)) / 2, (i, j) being the tokens of the right span, p the softmax over the
window's tokens.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from models import hub, saved
from models.neural.span_extractor import SpanExtractor, Window
from models.requests import Generate, TrainingExample
from models.truncation import TooLong
from pipelines.training import TrainingJob
from pipelines.training.shared import gradient as gradient
from pipelines.training.shared import ranks

Row = tuple[Window, int, int]  # what is read, the first and the last token of the right span in it


@dataclass(frozen=True)
class SpanExtraction(gradient.GradientRecipe):
    """A new head on the encoder, or the one it has; it and all weights are trained.

    A training example's span is the first occurrence of a reference in the passages of its prompt; training examples
    without one are left out (the metric `unfound`). A prompt is read in the reader's windows, each a sample. Windows
    without the span are null spans for a reader with a `null_threshold` (Devlin et al. 2019, 4.3) and are left out for
    others, as are training examples whose references are empty. The best checkpoint has the lowest loss on the
    validation examples.
    """

    learning_rate: float = 5e-5

    trains = frozenset({"span_extractor"})

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train, and save network and tokenizer. Raises `UserError` if no training example has its answer."""
        from transformers import Trainer, TrainingArguments

        reader = job.reader
        train, missed_count = _windows(reader, job.train)
        held_pairs, unmatched_count = _windows(reader, job.validation)
        for name, training_examples, rows in (
            ("training", job.train, train),
            ("validation", job.validation, held_pairs),
        ):
            if not rows and (training_examples or name == "training"):
                raise UserError(
                    f"none of {len(training_examples)} {name} examples has a reference in the passages of its prompt; "
                    f"spans are learned from answers in the words of the document, where chunker and retriever "
                    f"select these"
                )
        network = reader.untrained(("start", "end"), job.seed)
        trainer = Trainer(
            model=network.model,
            args=gradient.arguments(
                TrainingArguments,
                self,
                job,
                reader.device,
                math.ceil(len(train) / self.batch_size),
                "eval_loss",
                label_names=["labels"],
                prediction_loss_only=True,
            ),
            train_dataset=gradient.rows(train),
            eval_dataset=gradient.rows(held_pairs) if held_pairs else None,
            data_collator=_collator(reader, network),
            compute_loss_func=_loss,
        )
        metrics = gradient.run(trainer, self, job)
        gradient.save(trainer.model, hub.folder(reader.model, reader.revision).path, job.out)
        ranks.once_per_group(saved.describe, job.out, _described_values(reader))
        counts = {"train_samples": len(train), "eval_samples": len(held_pairs)}
        return counts | {"unfound": missed_count, "unfound_in_validation": unmatched_count} | metrics


def _windows(reader: Any, training_examples: Sequence[TrainingExample]) -> tuple[list[Row], int]:
    """The windows to train on, and how many training examples give none."""
    rows: list[Row] = []
    missed_count = 0
    for training_example in training_examples:
        if not isinstance(training_example.request, Generate):
            raise UserError(
                "these training examples ask for no text; spans are learned on a task whose strategy asks questions"
            )
        try:
            own_value = reader.training_inputs(training_example.request.prompt, training_example.references)
        except TooLong:  # a question that fills the window
            own_value = []
        rows += own_value
        missed_count += not own_value
    return rows, missed_count


def _collator(reader: Any, network: Any) -> Callable[[Sequence[Row]], dict[str, Any]]:
    """Labels are a window's first and last token of the span, and how many tokens it has."""

    def collate(rows: Sequence[Row]) -> dict[str, Any]:
        import torch

        inputs = reader.inputs(network, [window for window, _, _ in rows])
        sizes = inputs["attention_mask"].sum(dim=1).tolist()
        labels = [(start, end, size) for (_, start, end), size in zip(rows, sizes, strict=True)]
        return {**inputs, "labels": torch.tensor(labels, device=network.model.device)}

    return collate


def _loss(given_value: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """The mean over a step's windows; the Trainer counts every number of their labels as an item."""
    import torch
    from torch.nn.functional import cross_entropy

    total = torch.zeros((), device=labels.device)
    for name, column in (("start_logits", 0), ("end_logits", 1)):
        logits = given_value[name].float()
        padding = torch.arange(logits.shape[1], device=logits.device) >= labels[:, 2:]
        total = total + cross_entropy(logits.masked_fill(padding, -math.inf), labels[:, column], reduction="sum")
    windows = len(labels) if num_items_in_batch is None else num_items_in_batch / labels.shape[1]
    return total / 2 / windows


def _described_values(reader: SpanExtractor) -> dict[str, Any]:
    """The trained reader's record, with the fields that decide its windows and null answers."""
    fields = {
        "max_answer_tokens": reader.max_answer_tokens,
        "null_threshold": reader.null_threshold,
        "window": reader.window,
        "stride": reader.stride,
    }
    return {"name": "span_extractor", **{name: value for name, value in fields.items() if value is not None}}
