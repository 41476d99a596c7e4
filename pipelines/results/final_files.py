"""Reading the final files of a run: its predictions, its scores, and the metrics in its record."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc import checked_json, plain_json
from longdoc.errors import UserError
from pipelines.records import Prediction, prediction_of
from pipelines.results.formats import READ
from pipelines.results.judge_record import is_judge_record
from pipelines.statistics.intervals import is_interval

FILE = "predictions.jsonl"
REMEDY = "start the same run again, which writes it from its log"
SCORE_FIELDS = {
    "examples": checked_json.count,
    **dict.fromkeys(("signatures", "not_computed", "no_interval", "failures"), checked_json.mapping(checked_json.text)),
    "intervals": checked_json.mapping(is_interval),
    "judging": is_judge_record,
    "usage": checked_json.mapping(checked_json.maybe(checked_json.number)),
    "files": checked_json.mapping(checked_json.text),
}


def read_predictions(folder: Path, scored: Mapping[str, Any]) -> list[Prediction]:
    """The predictions in a folder's `predictions.jsonl`; `scored` is the content of its `scores.json`.

    Raises `UserError` naming the first damaged line, or if these are not the predictions that were scored.
    """
    predictions = []
    digest = sha256()
    with (folder / FILE).open("rb") as file:
        for number, line in enumerate(file, 1):
            digest.update(line)
            try:
                predictions.append(prediction_of(plain_json.loads(line.decode("utf-8", errors="surrogatepass"))))
            except ValueError as error:
                raise UserError(f"line {number} of {FILE} in {folder} is damaged ({error}): {REMEDY}") from None
    if (expected := scored.get("examples")) not in (None, len(predictions)):
        raise UserError(f"{FILE} in {folder} is damaged ({len(predictions):,} of {expected:,} predictions): {REMEDY}")
    check_digest(folder, FILE, digest.hexdigest(), scored)
    return predictions


def check_digest(folder: Path, name: str, digest: str, scored: Mapping[str, Any]) -> None:
    """Raise `UserError` if a file's SHA-256 is not that in `scores.json`; older folders have none."""
    if scored.get("files", {}).get(name, digest) != digest:
        reason = "its SHA-256 is not that in scores.json, so it was damaged or edited"
        raise UserError(f"{name} in {folder} is damaged ({reason}): {REMEDY}")


def read_scores(folder: Path) -> dict[str, Any]:
    """The content of a folder's `scores.json`. Raises `UserError` if it is damaged."""
    try:
        record = checked_json.load(folder / "scores.json", READ)
        checked_json.check(record, {"scores": checked_json.mapping(checked_json.number)}, SCORE_FIELDS)
    except ValueError as error:
        raise UserError(f"scores.json in {folder} is damaged ({error}): {REMEDY}") from None
    return record
