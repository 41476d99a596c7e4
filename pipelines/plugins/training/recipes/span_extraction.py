"""Trains encoders to answer with spans of the passages: cross entropy over start and end (Devlin et al. 2019, 4.2).

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
from pipelines.plugins.training.recipe import TrainingJob
from pipelines.plugins.training.shared import gradient as gradient
from pipelines.plugins.training.shared import ranks

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
        rows, unfound = _rows(reader, job.train)
        validation_rows, unfound_in_validation = _rows(reader, job.validation)
        for name, examples, part in (("training", job.train, rows), ("validation", job.validation, validation_rows)):
            if not part and (examples or name == "training"):
                raise UserError(
                    f"none of {len(examples)} {name} examples has a reference in the passages of its prompt; "
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
                math.ceil(len(rows) / self.batch_size),
                "eval_loss",
                label_names=["labels"],
                prediction_loss_only=True,
            ),
            train_dataset=gradient.dataset(rows),
            eval_dataset=gradient.dataset(validation_rows) if validation_rows else None,
            data_collator=_collator(reader, network),
            compute_loss_func=_loss,
        )
        metrics = gradient.run(trainer, self, job)
        gradient.save(trainer.model, hub.folder(reader.model, reader.revision).path, job.out)
        ranks.once_per_group(saved.describe, job.out, _description(reader))
        counts = {"train_samples": len(rows), "eval_samples": len(validation_rows)}
        return counts | {"unfound": unfound, "unfound_in_validation": unfound_in_validation} | metrics


def _rows(reader: Any, examples: Sequence[TrainingExample]) -> tuple[list[Row], int]:
    """The windows to train on with their spans, and the number of examples that give none."""
    rows: list[Row] = []
    unfound = 0
    for example in examples:
        if not isinstance(example.request, Generate):
            raise UserError(
                "these training examples ask for no text; spans are learned on a task whose strategy asks questions"
            )
        try:
            own_rows = reader.training_inputs(example.request.prompt, example.references)
        except TooLong:  # a question that fills the window
            own_rows = []
        rows += own_rows
        unfound += not own_rows
    return rows, unfound


def _collator(reader: Any, network: Any) -> Callable[[Sequence[Row]], dict[str, Any]]:
    """The function that makes a batch; a window's labels are first and last token of its span, and its length."""

    def collate(rows: Sequence[Row]) -> dict[str, Any]:
        import torch

        inputs = reader.inputs(network, [window for window, _, _ in rows])
        sizes = inputs["attention_mask"].sum(dim=1).tolist()
        labels = [(start, end, size) for (_, start, end), size in zip(rows, sizes, strict=True)]
        return {**inputs, "labels": torch.tensor(labels, device=network.model.device)}

    return collate


def _loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """The mean loss of a step's windows; `num_items_in_batch` counts three labels for each window."""
    import torch
    from torch.nn.functional import cross_entropy

    total = torch.zeros((), device=labels.device)
    for name, column in (("start_logits", 0), ("end_logits", 1)):
        logits = outputs[name].float()
        padding = torch.arange(logits.shape[1], device=logits.device) >= labels[:, 2:]
        total = total + cross_entropy(logits.masked_fill(padding, -math.inf), labels[:, column], reduction="sum")
    windows = len(labels) if num_items_in_batch is None else num_items_in_batch / labels.shape[1]
    return total / 2 / windows


def _description(reader: SpanExtractor) -> dict[str, Any]:
    """The trained reader's record, with the fields that decide its windows and null answers."""
    fields = {
        "max_answer_tokens": reader.max_answer_tokens,
        "null_threshold": reader.null_threshold,
        "window": reader.window,
        "stride": reader.stride,
    }
    return {"name": "span_extractor", **{name: value for name, value in fields.items() if value is not None}}
