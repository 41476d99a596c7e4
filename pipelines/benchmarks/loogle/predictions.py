"""LooGLE's files of predictions: a row for each document, `{qa_pairs, llm_output, output}` (Li et al. 2024).

`llm_output` and `output` are lists, predictions and labels of the document's questions in their order; files of the
reordering questions have `question` in place of `qa_pairs`. The file is called `TASK_MODEL.jsonl`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources import parsing
from pipelines.sources.own_data import loogle
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "LooGLE's predictions (qa_pairs, llm_output, output)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LooGLE's."""
    return isinstance(fields.get("llm_output"), list) and isinstance(fields.get("output"), list)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """The predictions of all documents. Raises `UserError` for rows with more or fewer predictions than labels."""
    system_name = path.stem.removeprefix(f"{task.name.rpartition('/')[2]}_")
    file = PredictionFile([], system_name, task.dataset.counts.get(task.split))
    contents = []
    for row in rows:
        file.given += _predictions_of(row, task)
        contents.append(json.dumps([row.fields.get("qa_pairs"), row.fields["output"]]))
    if repeated_count := len(contents) - len(set(contents)):
        file.warnings.append(
            f"{counted(repeated_count, 'row has', 'rows have')} the questions and labels of an earlier one: every row "
            "counts, as in LooGLE's scorer"
        )
    return file


def _predictions_of(row: Row, task: Task) -> Iterator[GivenPrediction]:
    """The predictions for the questions on a row's document."""
    if not recognizes(row.fields):
        raise row.refusal(f"expected {ACCEPTS}")
    outputs, labels = row.fields["llm_output"], row.fields["output"]
    if len(outputs) != len(labels):
        raise UserError(f"{row.location}: {len(outputs)} predictions (llm_output) for {len(labels)} labels (output)")
    pairs = row.fields.get("qa_pairs", row.fields.get("question"))
    questions = pairs if isinstance(pairs, list) and len(pairs) == len(labels) else [{}] * len(labels)
    document = Document(f"document {row.number}", "")
    for number, (output, label, question) in enumerate(zip(outputs, labels, questions, strict=True), 1):
        location = f"{row.location}, question {number}"
        name = f"{task.split}-{row.number}" + (f"-{number}" if task.dataset.has_query else "")
        text = loogle.entities(label) if isinstance(label, Mapping) else parsing.string(label, location, "output")
        query = str(question.get("Q") or "") if isinstance(question, Mapping) else ""
        example = Example(name, document, query, (text,))
        if isinstance(output, Mapping) and "error" not in output:  # a cloze that is filled in already
            output = str(dict(output))
        yield GivenPrediction(example, *predictions.output(output, location, "llm_output"))
