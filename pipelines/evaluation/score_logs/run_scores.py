"""The scores of a finished run of this program, by example, to be set beside a log of another harness."""

from functools import partial
from math import nan
from pathlib import Path

from longdoc.errors import UserError
from pipelines.evaluation.score_logs.sample_text import SampleText
from pipelines.evaluation.score_logs.score_log import ScoreLog, cluster_fields
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import finished_run

FIELD = "document"  # of an example: its document's id


def read(folder: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores that are means over examples. Raises `UserError` for a run that is not finished, or has none."""
    run = finished_run(folder)
    log = ScoreLog(folder, "longdoc", run.task, recipe_of_spec(run.spec), field_names=[FIELD], keeps_texts=keeps_texts)
    scores = run.sample_scores
    for row, prediction in enumerate(run.predictions):
        values = {name: nan if column[row] is None else float(column[row] or 0) for name, column in scores.items()}
        text = partial(SampleText, prediction.query, prediction.references, [prediction.prediction])
        log.add(prediction.id, values, fields=cluster_fields({FIELD: prediction.document}, cluster), text=text)
    other_names = [name for name in run.scores if name not in scores]
    if other_names:
        log.notes.append(f"{', '.join(other_names)} left out: no means over examples")
    if not log.scores:
        raise UserError(f"{folder} has no score that is a mean over examples: score it first, longdoc score {folder}")
    return log
