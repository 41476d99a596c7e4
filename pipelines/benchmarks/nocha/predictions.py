"""NoCha's claims with the responses of many systems, a field each: `response-gpt4o`, `response-claude` and so on.

"SKIPPED" stands where a system was not asked, because the book does not fit its window (Karpinska et al. 2024).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import unknown
from pipelines.benchmarks.nocha.layouts import nocha
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document
from pipelines.sources.tables import Row
from pipelines.sources.warnings import Warnings
from pipelines.tasks import Task

ACCEPTS = "NoCha's claims with responses (book_title, claim, type, index, response-SYSTEM)"
PREFIX = "response-"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a claim with responses."""
    return nocha.recognizes(fields) and bool(systems(fields))


def systems(fields: Mapping[str, Any]) -> Sequence[str]:
    """The systems whose responses a row has."""
    return [name.removeprefix(PREFIX) for name in fields if name.startswith(PREFIX)]


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """The responses of one system; a row without one has no prediction.

    Raises `UserError` where the system is not one of those that the rows have.
    """
    claims = list(rows)
    known_systems = list(dict.fromkeys(name for row in claims for name in systems(row.fields)))
    if system not in known_systems:
        raise unknown(f"system in {path.name}", system, known_systems)
    file = PredictionFile([_prediction_of(row, system) for row in claims], system)
    warnings = Warnings(file.warnings)
    nocha.count_lone([prediction.example for prediction in file.given], warnings)
    warnings.close()
    return file


def _prediction_of(row: Row, system: str) -> GivenPrediction:
    book = nocha.title(row.fields)
    example = nocha.claim(row, Document(book, "", book))
    return GivenPrediction(example, *predictions.output(row.fields.get(PREFIX + system), row.location, PREFIX + system))
