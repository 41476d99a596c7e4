"""Runs of AA-LCR with the verdicts of a judge: `{question_id, question, gold_answer, llm_answer, judge_result}` a row.

They are `MODEL/RUN.jsonl`, in any order, as runshengdu/aa_lcr_exp has them. A first row `{_meta_stats, correct, total}`
sums the verdicts up. "SKIPPED" stands where a set did not fit a model.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.benchmarks.aa_lcr.layouts.aa_lcr import answer_text
from pipelines.metrics.judged import NAME as JUDGED
from pipelines.metrics.labels import Label
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import SKIPPED, GivenPrediction, PredictionFile
from pipelines.records import Document, Example, Prediction
from pipelines.sources.tables import Row
from pipelines.sources.warnings import Warnings
from pipelines.tasks import Task

FIELDS = ("question_id", "gold_answer", "llm_answer", "judge_result")
SUMMARY = "_meta_stats"
ACCEPTS = f"AA-LCR's runs ({', '.join(FIELDS)})"
LABELS: Mapping[str, Label] = {"CORRECT": "correct", "INCORRECT": "incorrect"}


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is AA-LCR's, or sums a run up."""
    return SUMMARY in fields or fields.keys() >= set(FIELDS)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, with the judge's verdict as its label; skipped questions have none.

    A warning says where the summary is not that of the rows.
    """
    folder = path.absolute().parent.name
    file = PredictionFile([], f"{folder} {path.stem}", task.dataset.counts.get(task.split))
    warnings, summary = Warnings(file.warnings), dict[str, Any]()
    for row in rows:
        if SUMMARY in row.fields:
            summary = dict(row.fields)
        else:
            file.given.append(_prediction_of(row, warnings))
    warnings.close()
    correct, total = sum(prediction.label == "correct" for prediction in file.given), len(file.given)
    if summary and (correct, total) != (summary.get("correct"), summary.get("total")):
        file.warnings.append(
            f"{path.name}: its first row says {summary.get('correct')} of {summary.get('total')} correct, its verdicts "
            f"{correct} of {total}: the verdicts count"
        )
    return file


def verdict_rows(predictions: Sequence[Prediction], unanswered: Sequence[Prediction]) -> list[dict[str, Any]]:
    """A run with a judge's verdicts, its summary first; a prediction that is unjudged has none."""
    rows = [_verdict_row(prediction, _verdict(prediction)) for prediction in predictions]
    rows += [_verdict_row(prediction, SKIPPED) for prediction in unanswered]
    correct, total = sum(row["judge_result"] == "CORRECT" for row in rows), len(rows)
    return [{SUMMARY: True, "accuracy": correct / max(total, 1), "correct": correct, "total": total}, *rows]


def _verdict(prediction: Prediction) -> str:
    """The judge's verdict as the benchmark writes it; "" where there is none."""
    counts = prediction.statistics.get(JUDGED, {})
    if not counts.get("judged"):
        return ""
    return "CORRECT" if counts["right"] else "INCORRECT"


def _verdict_row(prediction: Prediction, verdict: str) -> dict[str, Any]:
    return {
        "question_id": prediction.id,
        "question": prediction.query,
        "gold_answer": "\n".join(prediction.references),
        "llm_answer": prediction.prediction,
        "judge_result": verdict,
    }


def _prediction_of(row: Row, warnings: Warnings) -> GivenPrediction:
    fields = row.fields
    if not fields.keys() >= set(FIELDS):
        raise row.refusal(f"expected {ACCEPTS}")
    example = Example(
        id=row.string("question_id"),
        document=Document("", ""),
        query=row.string("question").strip(),
        references=tuple(map(answer_text, row.strings("gold_answer"))),
    )
    if SKIPPED in (fields["judge_result"], fields["llm_answer"]):
        return GivenPrediction(example, None, SKIPPED)
    text, refusal = predictions.output(fields["llm_answer"], row.location, "llm_answer")
    label = predictions.label_of(row.string("judge_result"), LABELS, row.location, warnings)
    return GivenPrediction(example, text, refusal, label)
