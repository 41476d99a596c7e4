"""Trains readers and retrievers on a task."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.files import output_folder
from pipelines.engine.planning.argument_types import ReaderSpec, TaskSpec
from pipelines.engine.planning.options import command_line_options, default_of, planned_arguments
from pipelines.plugins.training.recipe import Recipe
from pipelines.plugins.training.trained_reader import TrainedReader

RUN_ARGUMENTS = planned_arguments() & {"split", *command_line_options("train")} - {"model"}  # of `run`, in `train` too


def train(
    task: TaskSpec,
    *,
    model: ReaderSpec,
    out: str | Path,
    validation: str | None = None,
    recipe: str | Mapping[str, Any] | Recipe | None = None,
    **arguments: Any,
) -> TrainedReader:
    """Train a reader on a task, from inputs that are made as `run` makes them. `models.get(out)` loads the result.

    Or a retriever, on the questions' gold evidence; `retrievers.get(out)` loads it.

    - `model`: what to start from: a hub id or folder of any encoder or sequence-to-sequence model, `minilm`, or a
      reader (`linear`, `stylometry`, `bi_encoder`, `span_extractor:minilm` …). An encoder becomes a classifier, or a
      classifier of pairs, as the task's strategy needs. "evidence_ranker" becomes a retriever.
    - `out`: a folder for the reader. The same training started again continues from its last checkpoint.
    - `split`: of the data, "train" by default; `validation`: what decides when to stop, by default the split of that
      name, and where there is none a tenth of the training documents.
    - `data`, `limit`, `chunker`, `retriever`, `k`, `budget`, `strategy`, `prompt`, `seed` … as for `run`.
    - `recipe`: how it learns (`pipelines.training.names()`), by default the one for this kind of reader; further
      `arguments` are the recipe's (`epochs`, `learning_rate`, `batch_size` …).

    Weights are kept as safetensors, scikit-learn's models by skops; nothing is pickled. Raises `UserError`.
    """
    from pipelines.plugins.training.shared import job

    run_arguments = {name: arguments.pop(name, default_of(name)) for name in RUN_ARGUMENTS}
    return job.train(
        task,
        model=model,
        out=output_folder(out),
        recipe=recipe,
        fields=arguments,
        validation=validation,
        **run_arguments,
    )
