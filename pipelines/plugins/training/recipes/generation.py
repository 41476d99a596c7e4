"""Trains sequence-to-sequence models to generate the references: cross entropy of their tokens (teacher forcing)."""

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from longdoc.errors import UserError
from models import hub, saved
from models.likelihood import Likelihood
from models.requests import Classify, Generate, TrainingExample
from models.truncation import TooLong
from pipelines.plugins.training.recipe import TrainingJob
from pipelines.plugins.training.shared import batches, lora, pair_samples, ranks
from pipelines.plugins.training.shared import gradient as gradient

Row = tuple[Any, Any]  # what the encoder reads, what the decoder writes


@dataclass(frozen=True)
class Generation(gradient.GradientRecipe):
    """Every reference of a training example is a sample; labels are learned as the words that represent them.

    The loss is the mean over the tokens of a step's outputs. Where paragraphs are compared, about `pairs` pairs of them
    are sampled, equally many of one author and of two.

    - `batch_tokens`: the size of a batch in tokens, prompts padded to the longest; a longer prompt is a batch of its
      own.
    - `length_grouping`: batches of prompts of similar length.
    - `target_length`: outputs are truncated to it; None: to the request's `max_new_tokens`.
    - `best`: whether the checkpoint with the lowest validation loss is kept, or the last one (with `patience` None).
    - `lora`: rank of the LoRA adapters that are trained instead of all weights.
    - `published`: the name of a published recipe; the model card says how this one differs from it.
    """

    learning_rate: float | Literal["listed"] = 5e-5
    pairs: int = 10_000
    batch_tokens: int | None = None
    length_grouping: bool = False
    target_length: int | None = None
    best: Literal["loss", "last"] = "loss"
    lora: int | None = None
    published: str | None = None

    trains = frozenset({"seq2seq", "likelihood"})

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("batch_tokens", "target_length", "lora"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise UserError(f"{name} must be at least 1, got {value}")
        if self.best == "last" and self.patience is not None:
            raise UserError("best=last keeps what the last step made, and nothing is stopped early: set patience=null")

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train, and save network and tokenizer. Raises `UserError` for training examples without an output."""
        from transformers import Seq2SeqTrainer

        reader: Any = job.reader.reader if isinstance(job.reader, Likelihood) else job.reader
        rows = list(self._rows(job, job.train))
        validation_rows = list(self._rows(job, job.validation))
        if not rows:
            raise UserError(
                "the training examples hold no output to learn from: data= needs a training split with references"
            )
        job = job if validation_rows else replace(job, validation=())
        base = hub.folder(reader.model, reader.revision).path
        network = reader.network()
        lengths, validation_lengths = (
            [_padded_length(source, network.window) for source, _ in part] for part in (rows, validation_rows)
        )
        training_batches = batches.passes(
            lengths, _single_number(self.epochs), self.batch_size, self.batch_tokens, self.length_grouping, job.seed
        )
        validation_batches = batches.by_length(validation_lengths, self.batch_size, self.batch_tokens)
        trainer = Seq2SeqTrainer(
            model=lora.adapted(network.model, self.lora, "SEQ_2_SEQ_LM"),
            args=self._arguments(job, reader.device, len(training_batches)),
            train_dataset=gradient.dataset([[rows[position] for position in batch] for batch in training_batches]),
            eval_dataset=gradient.dataset(
                [[validation_rows[position] for position in batch] for batch in validation_batches]
            )
            if validation_rows
            else None,
            data_collator=_collator(network),
            compute_loss_func=_loss(
                sum(len(target.ids) for _, target in validation_rows) / max(1, len(validation_batches))
            ),
        )
        metrics = gradient.run(trainer, self, job)
        gradient.save(lora.merged(trainer.model), base, job.out)
        ranks.once_per_group(_describe, base, job.out)
        return {"train_samples": len(rows), "eval_samples": len(validation_rows)} | metrics

    def _arguments(self, job: TrainingJob, device: str | None, batch_count: int) -> Any:
        """The Trainer's arguments for one pass over whole batches: those of all passes, one after another."""
        from transformers import Seq2SeqTrainingArguments

        return gradient.arguments(
            Seq2SeqTrainingArguments,
            self,
            job,
            device,
            math.ceil(batch_count / _single_number(self.epochs)),
            "eval_loss" if self.best == "loss" else None,
            num_train_epochs=1,
            per_device_train_batch_size=1,
            per_device_eval_batch_size=1,
            train_sampling_strategy="sequential",
            prediction_loss_only=True,
        )

    def _rows(self, job: TrainingJob, examples: Sequence[TrainingExample]) -> Iterator[Row]:
        """The encoded prompts and outputs of the examples."""
        reader = job.reader
        for example in examples:
            request = example.request
            if isinstance(request, Generate):
                for reference in example.references:
                    yield reader.training_inputs(
                        request.prompt, reference, self.target_length or request.max_new_tokens
                    )
            elif isinstance(request, Classify):
                for prompt, word in reader.training_prompts(request, example.references[0]):
                    yield reader.reader.training_inputs(prompt, word)
        if pairs := pair_samples.sample(examples, self.pairs, job.seed):
            for first, second, is_same in pairs.texts():
                with suppress(TooLong):  # the question alone fills the limit, so there is nothing to learn
                    yield reader.reader.training_inputs(
                        reader.pair(first, second), reader.yes_and_no[0 if is_same else 1]
                    )


def _single_number(epochs: float | Mapping[str, float]) -> float:
    """The number of passes. Raises `UserError` where it is by task."""
    if isinstance(epochs, Mapping):
        raise UserError("epochs are given by task here; give one number, epochs=")
    return epochs


def _padded_length(source: Any, window: int) -> int:
    """The tokens of a prompt when it is padded to whole windows."""
    return -(-len(source.ids) // window) * window


def _collator(network: Any) -> Callable[[Sequence[Sequence[Row]]], dict[str, Any]]:
    """The function that encodes a batch, which is the Trainer's only row at a time."""

    def collate(items: Sequence[Sequence[Row]]) -> dict[str, Any]:
        (batch,) = items
        return dict(network.training_batch(batch))

    return collate


def _loss(mean_tokens: float) -> Callable[..., Any]:
    """The loss function: the cross entropy of a step's tokens, summed and divided by their number.

    In validation the Trainer takes the mean over batches. There the sum is divided by `mean_tokens`, the mean number of
    tokens in a batch, so that the result is the mean over all tokens.
    """

    def loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        from torch.nn.functional import cross_entropy

        total = cross_entropy(outputs["logits"].float().flatten(0, 1), labels.flatten(), reduction="sum")
        return total / (mean_tokens if num_items_in_batch is None else num_items_in_batch)

    return loss


def _describe(base: Path, out: Path) -> None:
    """Write the reader's record, and copy the base model's generation settings."""
    if (base / "generation_config.json").is_file():  # the reader drops lengths and sampling settings; they are restored
        shutil.copy(base / "generation_config.json", out / "generation_config.json")
    saved.describe(out, {"name": "seq2seq"})
