"""Training sequence-to-sequence models to generate the references: cross entropy of their tokens (teacher forcing)."""

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
from pipelines.training import TrainingJob
from pipelines.training.shared import batches, lora, pair_samples, ranks
from pipelines.training.shared import gradient as gradient

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
    - `lora`: rank of the adapters (`_lora`) that are trained instead of all weights.
    - `published`: the name of a published recipe; the model card says how this one differs from it.
    """

    learning_rate: float | Literal["listed"] = 5e-5
    pairs: int = 10_000
    batch_tokens: int | None = None
    length_grouping: bool = False
    target_length: int | None = None
    best: Literal["loss", "last"] = "loss"
    lora: int | None = None
    published: Literal["scrolls-paper", "scrolls-code"] | None = None

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
        train = list(self._samples(job, job.train))
        held_pairs = list(self._samples(job, job.validation))
        if not train:
            raise UserError(
                "the training examples hold no output to learn from: data= needs a training split with references"
            )
        base = hub.folder(reader.model, reader.revision).path
        network = reader.network()
        lengths, held_numbers = ([_width(source, network.window) for source, _ in rows] for rows in (train, held_pairs))
        passes = batches.passes(
            lengths, _number(self.epochs), self.batch_size, self.batch_tokens, self.length_grouping, job.seed
        )
        apart_entries = batches.by_length(held_numbers, self.batch_size, self.batch_tokens)
        trainer = Seq2SeqTrainer(
            model=lora.adapted(network.model, self.lora, "SEQ_2_SEQ_LM"),
            args=self._arguments(replace(job, validation=held_pairs), reader.device, len(passes)),  # type: ignore[arg-type]
            train_dataset=gradient.rows([[train[position] for position in batch] for batch in passes]),
            eval_dataset=gradient.rows([[held_pairs[position] for position in batch] for batch in apart_entries])
            if held_pairs
            else None,
            data_collator=_collator(network),
            compute_loss_func=_loss(sum(len(target.ids) for _, target in held_pairs) / max(1, len(apart_entries))),
        )
        metrics = gradient.run(trainer, self, replace(job, validation=held_pairs))  # type: ignore[arg-type]
        gradient.save(lora.merged(trainer.model), base, job.out)
        ranks.once_per_group(_describe, base, job.out)
        return {"train_samples": len(train), "eval_samples": len(held_pairs)} | metrics

    def _arguments(self, job: TrainingJob, device: str | None, batches: int) -> Any:
        """The passes are concatenated, so that for the Trainer there is a single one whose rows are whole batches."""
        from transformers import Seq2SeqTrainingArguments

        return gradient.arguments(
            Seq2SeqTrainingArguments,
            self,
            job,
            device,
            math.ceil(batches / _number(self.epochs)),
            "eval_loss" if self.best == "loss" else None,
            num_train_epochs=1,
            per_device_train_batch_size=1,
            per_device_eval_batch_size=1,
            train_sampling_strategy="sequential",
            prediction_loss_only=True,
        )

    def _samples(self, job: TrainingJob, training_examples: Sequence[TrainingExample]) -> Iterator[Row]:
        """Encoded prompts and outputs."""
        reader = job.reader
        for training_example in training_examples:
            request = training_example.request
            if isinstance(request, Generate):
                for reference in training_example.references:
                    yield reader.training_inputs(
                        request.prompt, reference, self.target_length or request.max_new_tokens
                    )
            elif isinstance(request, Classify):
                for prompt, word in reader.training_prompts(request, training_example.references[0]):
                    yield reader.reader.training_inputs(prompt, word)
        if pairs := pair_samples.sample(training_examples, self.pairs, job.seed):
            for first, second, is_same in pairs.texts():
                with suppress(TooLong):  # the question alone fills the limit, so there is nothing to learn
                    yield reader.reader.training_inputs(
                        reader.pair(first, second), reader.yes_and_no[0 if is_same else 1]
                    )


def _number(epochs: float | Mapping[str, float]) -> float:
    if isinstance(epochs, Mapping):
        raise UserError("epochs are given by task here; give one number, epochs=")
    return epochs


def _width(source: Any, window: int) -> int:
    """The tokens of a prompt when it is padded alone."""
    return -(-len(source.ids) // window) * window


def _collator(network: Any) -> Callable[[Sequence[Sequence[Row]]], dict[str, Any]]:
    def collate(batches: Sequence[Sequence[Row]]) -> dict[str, Any]:
        (batch,) = batches
        return dict(network.training_batch(batch))

    return collate


def _loss(validation_value: float) -> Callable[..., Any]:
    """The summed cross entropy of a step's tokens over their number.

    In validation, where batches count alike, over the mean number of a batch's tokens: the mean is that of all tokens.
    """

    def loss(given_value: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        from torch.nn.functional import cross_entropy

        total = cross_entropy(given_value["logits"].float().flatten(0, 1), labels.flatten(), reduction="sum")
        return total / (validation_value if num_items_in_batch is None else num_items_in_batch)

    return loss


def _describe(base: Path, out: Path) -> None:
    if (base / "generation_config.json").is_file():  # the reader drops lengths and sampling settings; they are restored
        shutil.copy(base / "generation_config.json", out / "generation_config.json")
    saved.describe(out, {"name": "seq2seq"})
