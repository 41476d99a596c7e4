"""What `prompt` and `train` return, which print themselves in a readable form, and a run's final files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc import checked_json, plain_json, record_checks
from longdoc.errors import UserError
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.records import Prediction, prediction_of
from pipelines.results import output_counts, over_limit
from pipelines.results.formats import CHECKED
from pipelines.results.judging import is_judging
from pipelines.statistics.intervals import is_interval

FILE = "predictions.jsonl"
ANEW = "start the same run again, which writes it anew from its log"
SCORED = {
    "examples": record_checks.count,
    **dict.fromkeys(
        ("signatures", "not_computed", "no_interval", "failures"), record_checks.mapping(record_checks.text)
    ),
    "intervals": record_checks.mapping(is_interval),
    "judging": is_judging,
    "usage": record_checks.mapping(record_checks.maybe(record_checks.number)),
    "files": record_checks.mapping(record_checks.text),
}


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The exact text that a reader gets for one example: its `tokens`, and the document `spans` that are in it."""

    id: str
    text: str
    tokens: int
    truncated_tokens: int
    spans: Sequence[tuple[int, int]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        """The text alone."""
        return self.text


def read_predictions(folder: Path, scored: Mapping[str, Any]) -> list[Prediction]:
    """The predictions in a folder's `predictions.jsonl`; `scored` is its `scores.json`, which has its digest.

    Raises `UserError` naming the first damaged line, or where these are other predictions than those of the scores.
    """
    predictions = []
    digest = sha256()
    with (folder / FILE).open("rb") as file:
        for number, line in enumerate(file, 1):
            digest.update(line)
            try:
                predictions.append(prediction_of(plain_json.loads(line.decode("utf-8", errors="surrogatepass"))))
            except ValueError as error:
                raise UserError(f"line {number} of {FILE} in {folder} is damaged ({error}): {ANEW}") from None
    if (expected := scored.get("examples")) not in (None, len(predictions)):
        raise UserError(f"{FILE} in {folder} is damaged ({len(predictions):,} of {expected:,} predictions): {ANEW}")
    check_digest(folder, FILE, digest.hexdigest(), scored)
    return predictions


def check_digest(folder: Path, name: str, digest: str, scored: Mapping[str, Any]) -> None:
    """Raise `UserError` for a file that has another SHA-256 than `scores.json` says; older folders say none."""
    if scored.get("files", {}).get(name, digest) != digest:
        why = "its SHA-256 is not that in scores.json, so it was damaged or edited"
        raise UserError(f"{name} in {folder} is damaged ({why}): {ANEW}")


def read_scores(folder: Path) -> dict[str, Any]:
    """A folder's `scores.json`. Raises `UserError` where it is damaged."""
    try:
        record = checked_json.load(folder / "scores.json", CHECKED)
        record_checks.check(record, {"scores": record_checks.mapping(record_checks.number)}, SCORED)
    except ValueError as error:
        raise UserError(f"scores.json in {folder} is damaged ({error}): {ANEW}") from None
    return record


def read_metrics(folder: Path) -> dict[str, Any]:
    """The metrics in a run's `run.json`. Raises `UserError` where it is damaged."""
    try:
        described: dict[str, Any] = checked_json.load(folder / "run.json", CHECKED)["metrics"]
    except (ValueError, KeyError) as error:
        raise UserError(f"run.json in {folder} is damaged ({error}): {ANEW}") from None
    return described


def remarks(predictions: Sequence[Prediction], spec: Mapping[str, Any]) -> list[str]:
    """What to know of predictions besides their scores: counts of the model's outputs, of long passages, of notes.

    `spec` is the run's: its `max_new_tokens` and `chunker` say what to type for longer outputs.
    """
    notes = Counter(p.notes[name] for p in predictions for name in ("chunks", "remark") if name in p.notes)
    lines = output_counts.messages(predictions, spec) + over_limit.messages(over_limit.total(predictions))
    lines += [f"{count} of {counted(len(predictions), 'example')}: {text}" for text, count in notes.items()]
    for name, what in (("lines", "lines were not kept"), ("long_lines", "lines longer than a chunk were split")):
        if count := sum(name in p.notes for p in predictions):
            lines.append(f"{count} of {counted(len(predictions), 'example')}: {what} (notes in predictions.jsonl)")
    return lines


def duration(seconds: float) -> str:
    """Rounded to the second, the minute, or a tenth of an hour."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def between(low: str, high: str) -> str:
    """`2 to 5`, or one of them where both are equal."""
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class TrainedReader:
    """A trained reader, `models.get(folder)`, or retriever, `retrievers.get(folder)`.

    `metrics` come from the training: losses, the best checkpoint.

    `validation` says what it was validated on, `command` runs it on inputs like those it was trained on.
    """

    task: str
    reader: str
    base: str
    folder: Path
    validation: str
    metrics: Mapping[str, Any]
    command: str
    seconds: float
    finished_earlier: bool = False
    warnings: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        when = "finished earlier" if self.finished_earlier else f"{self.seconds:.1f} s"
        metrics = {name: value for name, value in self.metrics.items() if not isinstance(value, (list, dict))}
        lines = [f"{self.task}: {self.reader} trained ({when}), validated on {self.validation}"]
        lines += [f"  {name:<20} {value}" for name, value in metrics.items()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join([*lines, f"  in {self.folder}: {self.command}"])
