"""LongBench's files of predictions, `pred/MODEL/DATASET.jsonl`, scored by the metric of the data set that names them.

They have no ids: predictions are paired by their order.
"""

from functools import partial
from math import nan
from pathlib import Path

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.benchmarks.longbench.predictions import recognizes as recognizes
from pipelines.plugins.scoring._prediction_run import prediction_run
from pipelines.plugins.study.logs.sample_text import sample_text
from pipelines.plugins.study.logs.score_log import ScoreLog

GROUP = "longbench"


def read(path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a file. Raises `UserError` for one that is not called by its data set."""
    name = f"{GROUP}/{path.name.partition('.')[0]}"
    task_names = [task.name for task in tasks.group(GROUP)]
    if name not in task_names:
        datasets = ", ".join(task_name.removeprefix(f"{GROUP}/") for task_name in task_names)
        raise UserError(
            f"{path} has predictions of LongBench: rename it after its data set, DATASET.jsonl ({datasets})"
        )
    if cluster is not None:
        raise UserError(f"{path} has no fields to cluster by: leave --cluster out")
    run, file = prediction_run(tasks.get(name), path)
    notes = [f"{path}: {warning}" for warning in file.warnings]
    log = ScoreLog(path, "LongBench", name, file.system, notes, keeps_texts=keeps_texts)
    scores = run.sample_scores
    for row, prediction in enumerate(run.predictions):
        row_scores = {key: nan if (score := column[row]) is None else score for key, column in scores.items()}
        log.add(prediction.id, row_scores, text=partial(sample_text, prediction.references, prediction.prediction))
    if not log.scores:
        raise UserError(f"{path}: the score of {name} is not a mean over examples; type: longdoc score {name} {path}")
    return log
