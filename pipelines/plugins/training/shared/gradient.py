"""Shared by recipes with gradient descent: hyperparameters, and training by a Trainer of `transformers`."""

import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Literal

from longdoc.errors import UserError
from longdoc.quiet import quiet
from models.neural.shared import limits
from pipelines.plugins.training.recipe import Recipe, TrainingJob
from pipelines.plugins.training.shared import ranks

TOKENIZER_FILES = (  # patterns of the files of published tokenizers
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "*.model",
    "*.spm",
)
DROPOUTS = ("dropout", "attention_dropout", "activation_dropout")  # attributes of transformers' modules


@dataclass(frozen=True)
class GradientRecipe(Recipe):
    """The hyperparameters of every gradient recipe; AdamW, with linear warm-up and decay to 0.

    - `epochs`: passes over the data; or their number by task.
    - `learning_rate`: "listed" is the one that the published code of the recipe lists for task, model and length.
    - `learning_rates`: rates to try in turn, keeping the reader that is best on the validation examples.
    - `batch_size`: examples per batch. A step sums the gradients of `accumulation` batches, shared among the devices.
    - `warmup`: share of the steps in which the learning rate rises.
    - `dropout`: everywhere in the network; None: the model's own.
    - `gradient_checkpointing`: activations are recomputed in the backward pass: less memory, more time.
    - `checkpoints`: how often per pass over the data everything is saved and validated.
    - `patience`: stop after so many validations without improvement, None: never. The best checkpoint is kept.
    - `dtype` of the computation: "auto" is bf16 where the hardware computes in it, else fp32. Weights stay in fp32.
    """

    epochs: float | Mapping[str, float] = 3.0
    learning_rate: float | Literal["listed"] = 2e-5
    learning_rates: tuple[float, ...] = ()
    batch_size: int = 16
    accumulation: int = 1
    warmup: float = 0.1
    weight_decay: float = 0.01
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-8
    dropout: float | None = None
    gradient_checkpointing: bool = False
    checkpoints: int = 1
    patience: int | None = 2
    dtype: Literal["auto", "bf16", "fp32"] = "auto"

    libraries: ClassVar[tuple[str, ...]] = ("torch", "transformers", "accelerate")

    def __post_init__(self) -> None:
        for name in ("batch_size", "accumulation", "checkpoints", "patience"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise UserError(f"{name} must be at least 1, got {value}")
        rate = () if self.learning_rate == "listed" else (self.learning_rate,)
        if not rate and not self.published:
            raise UserError('learning_rate="listed" is for recipes whose code lists them (scrolls-code): give a number')
        epochs = tuple(self.epochs.values()) if isinstance(self.epochs, Mapping) else (self.epochs,)
        for name, values in (
            ("epochs", epochs),
            ("learning_rate", rate),
            ("learning_rates", self.learning_rates),
            ("adam_epsilon", (self.adam_epsilon,)),
        ):
            if not all(0 < value < math.inf for value in values):
                raise UserError(f"{name} must be above 0, got {', '.join(map(str, values))}")
        if len(set(self.learning_rates)) < len(self.learning_rates):
            raise UserError(f"learning_rates names one twice: {', '.join(map(str, self.learning_rates))}")
        for name in ("adam_beta1", "adam_beta2", "dropout"):
            if (share := getattr(self, name)) is not None and not 0 <= share < 1:
                raise UserError(f"{name} must lie in [0, 1), got {share}")
        if not 0 <= self.warmup < 1 or self.weight_decay < 0:
            raise UserError(
                f"warmup ({self.warmup}) must lie in [0, 1) and weight_decay ({self.weight_decay}) not below 0"
            )


def for_task(recipe: Recipe, task: str) -> Recipe:
    """The recipe for this task. Raises `UserError` where its epochs are by task and do not include this one."""
    epochs = recipe.epochs
    if not isinstance(epochs, Mapping):
        return recipe
    if task not in epochs:
        raise UserError(f"the recipe has no number of epochs for {task} (only for {', '.join(epochs)}): give epochs=")
    return replace(recipe, epochs=float(epochs[task]))  # type: ignore[type-var]


def arguments(
    kind: Any,
    recipe: GradientRecipe,
    job: TrainingJob,
    device: str | None,
    batches: int,
    best: str | None,
    **further_fields: Any,
) -> Any:
    """The arguments of a Trainer, of the class `kind`. `batches` is the number of batches per pass over the data.

    `best` is the validation metric that chooses the best checkpoint, None to keep the last one.
    """
    device = limits.device(device)
    accumulation = math.ceil(recipe.accumulation / ranks.world_size())
    steps = max(1, math.ceil(batches / (accumulation * ranks.world_size())) // recipe.checkpoints)
    fields = {
        "output_dir": str(job.checkpoints),
        "num_train_epochs": recipe.epochs,
        "learning_rate": recipe.learning_rate,
        "per_device_train_batch_size": recipe.batch_size,
        "per_device_eval_batch_size": recipe.batch_size,
        "gradient_accumulation_steps": accumulation,
        "warmup_steps": recipe.warmup,  # below 1 it is a share
        "weight_decay": recipe.weight_decay,
        "adam_beta1": recipe.adam_beta1,
        "adam_beta2": recipe.adam_beta2,
        "adam_epsilon": recipe.adam_epsilon,
        "activation_checkpointing": recipe.gradient_checkpointing,
        "activation_checkpointing_kwargs": {"use_reentrant": False} if recipe.gradient_checkpointing else None,
        "bf16": recipe.dtype == "bf16" or (recipe.dtype == "auto" and limits.computes_bf16(device)),
        "use_cpu": device == "cpu",
        "dataloader_pin_memory": False,  # batches are made where the model is
        "seed": job.seed,
        "data_seed": job.seed,
        "save_strategy": "steps",
        "save_steps": steps,
        "save_total_limit": 2,
        "logging_steps": steps,
        "restore_callback_states_from_checkpoint": True,  # the patience used so far
        "report_to": "none",
        "disable_tqdm": True,
        "remove_unused_columns": False,
    }
    return kind(**{**fields, **(_validation(steps, best) if job.validation else {}), **further_fields})


def run(trainer: Any, recipe: GradientRecipe, job: TrainingJob) -> dict[str, Any]:
    """Train, resuming from the last complete checkpoint. Returns metrics; afterwards the trainer has the best model."""
    import transformers

    trainer.remove_callback(transformers.PrinterCallback)
    metric_names = {"loss": "loss", "eval_loss": "validation loss"}
    if best := trainer.args.metric_for_best_model:
        metric_names.setdefault(best, best.removeprefix("eval_").removeprefix("validation_").replace("_", " "))
    trainer.add_callback(_reporter(job.report, metric_names))
    if recipe.dropout is not None:
        _set_dropout(trainer.model, recipe.dropout)
    if best and recipe.patience is not None:
        trainer.add_callback(transformers.EarlyStoppingCallback(recipe.patience))
    if ranks.is_main():
        _delete_incomplete(job.checkpoints)
    ranks.wait()
    last = _last_checkpoint(job.checkpoints)
    with quiet():
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    state = trainer.state
    history = [
        {"step": row["step"], **_named_metrics(row, metric_names)}
        for row in state.log_history
        if "train_runtime" not in row
    ]
    metrics = {"steps": state.global_step, "history": history}
    if not job.validation:
        return metrics
    if best is None:
        return metrics | {"last validation loss": history[-1]["validation loss"]}
    return metrics | {f"best {metric_names[best]}": _rounded(state.best_metric), "best step": state.best_global_step}


def save(model: Any, source: Path, out: Path) -> None:
    """Write a network of `transformers` as safetensors, and beside it the tokenizer of the folder it came from.

    The main process writes; all wait until it is done.
    """
    if ranks.is_main():
        with quiet():
            model.save_pretrained(out)
        for pattern in TOKENIZER_FILES:
            for file in source.glob(pattern):
                shutil.copy(file, out / file.name)
    ranks.wait()


def _validation(steps: int, best: str | None) -> dict[str, Any]:
    """The Trainer's arguments for validation every so many steps."""
    fields: dict[str, Any] = {"eval_strategy": "steps", "eval_steps": steps}
    if best is None:
        return fields
    return {
        **fields,
        "load_best_model_at_end": True,
        "metric_for_best_model": best,
        "greater_is_better": not best.endswith("loss"),
    }


def _last_checkpoint(folder: Path) -> Path | None:
    """The checkpoint with the most steps; None without any."""
    checkpoints = [(int(path.name.rpartition("-")[2]), path) for path in folder.glob("checkpoint-*")]
    return max(checkpoints)[1] if checkpoints else None


def _delete_incomplete(folder: Path) -> None:
    """Delete incomplete checkpoints: their state is written last."""
    for path in folder.glob("checkpoint-*"):
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            shutil.rmtree(path)


def _set_dropout(model: Any, share: float) -> None:
    """Set the rate of every dropout module."""
    from torch import nn

    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = share
        for name in DROPOUTS:
            rate = getattr(module, name, None)
            if isinstance(rate, Real) and not isinstance(rate, bool):
                setattr(module, name, share)


def _reporter(report: Callable[[str], None], metric_names: Mapping[str, str]) -> Any:
    """A callback that reports training and validation losses, one line each."""
    import transformers

    class Reporter(transformers.TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
            if metrics := _named_metrics(logs or {}, metric_names):
                values = ", ".join(f"{name} {value:g}" for name, value in metrics.items())
                report(f"step {state.global_step} of {state.max_steps}: {values}")

    return Reporter()


def _named_metrics(row: Mapping[str, Any], metric_names: Mapping[str, str]) -> dict[str, Any]:
    """The metrics of a row of the Trainer's log by the names that are shown; `metric_names` is by key of the log."""
    return {name: _rounded(row[key]) for key, name in metric_names.items() if key in row}


def _rounded(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def dataset(rows: Sequence[Any]) -> Any:
    """The rows as a torch `Dataset`."""
    from torch.utils.data import Dataset

    class Rows(Dataset[Any]):
        def __len__(self) -> int:
            return len(rows)

        def __getitem__(self, index: int) -> Any:
            return rows[index]

    return Rows()
