"""LongBench's files of predictions, `pred/MODEL/DATASET.jsonl`, scored by the metric of the data set that names them.

They have no ids: predictions are paired by their order.
"""

from functools import partial
from math import nan
from pathlib import Path

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.evaluation._prediction_run import prediction_run
from pipelines.evaluation.score_logs.sample_text import sample_text
from pipelines.evaluation.score_logs.score_log import ScoreLog

GROUP = "longbench"


def read(path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a file. Raises `UserError` for one that is not called by its data set."""
    name = f"{GROUP}/{path.name.partition('.')[0]}"
    names = [task.name for task in tasks.group(GROUP)]
    if name not in names:
        datasets = ", ".join(task.removeprefix(f"{GROUP}/") for task in names)
        raise UserError(f"{path} has predictions of LongBench: call it by its data set, DATASET.jsonl ({datasets})")
    if cluster is not None:
        raise UserError(f"{path} names no documents, nor other fields: leave --cluster out")
    run, scored = prediction_run(tasks.get(name), path)
    notes = [f"{path}: {warning}" for warning in scored.warnings]
    log = ScoreLog(path, "LongBench", name, scored.system, notes, keeps_texts=keeps_texts)
    scores = run.sample_scores
    for row, prediction in enumerate(run.predictions):
        values = {key: nan if (value := column[row]) is None else value for key, column in scores.items()}
        log.add(prediction.id, values, text=partial(sample_text, prediction.references, prediction.prediction))
    if not log.scores:
        raise UserError(f"{path}: {name} is scored by no mean over examples: longdoc score {name} {path}")
    return log
