"""Reads the scores of a finished run by example as a log, to set it beside logs of other harnesses."""

from functools import partial
from math import nan
from pathlib import Path

from longdoc.errors import UserError
from pipelines.plugins.study.logs.sample_text import SampleText
from pipelines.plugins.study.logs.score_log import ScoreLog, cluster_fields
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import finished_run

DOCUMENT_FIELD = "document"  # the field with the id of an example's document


def read(folder: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores that are means over examples. Raises `UserError` for a run that is not finished, or has none."""
    run = finished_run(folder)
    log = ScoreLog(
        folder, "longdoc", run.task, recipe_of_spec(run.spec), field_names=[DOCUMENT_FIELD], keeps_texts=keeps_texts
    )
    scores = run.sample_scores
    for number, prediction in enumerate(run.predictions):
        values = {
            name: nan if column[number] is None else float(column[number] or 0) for name, column in scores.items()
        }
        text = partial(SampleText, prediction.query, prediction.references, [prediction.prediction])
        log.add(prediction.id, values, fields=cluster_fields({DOCUMENT_FIELD: prediction.document}, cluster), text=text)
    other_scores = [name for name in run.scores if name not in scores]
    if other_scores:
        log.notes.append(f"{', '.join(other_scores)} left out: not means over examples")
    if not log.scores:
        raise UserError(f"{folder} has no score that is a mean over examples: score it first, longdoc score {folder}")
    return log
