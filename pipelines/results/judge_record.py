"""What a judge's verdicts took, and how they agree with other scores: `judging` in `scores.json`.

Agreement, over the predictions that are judged: the point-biserial correlation r (Pearson's of a score with the
verdict as 0 and 1), and Cohen's kappa (Cohen 1960) of the verdict with "the score is 50 or more", a threshold that
nothing was tuned for; both are what studies of judges and of metrics report.
"""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.plurals import counted
from pipelines.statistics.kappa import kappa

FILE = "judgements.jsonl"  # verdict and replies of each prediction, beside the scores
EMPTY_NOTE = "it is empty, so the judge was not asked"
THRESHOLD = 50.0
_NUMBER = record_checks.maybe(record_checks.number)
FIELDS = {
    **dict.fromkeys(("judge", "prompt"), record_checks.text),
    **dict.fromkeys(
        ("right", "wrong", "unjudged", "asked_again", "requests", "tokens_in", "tokens_out"), record_checks.count
    ),
    "failures": record_checks.mapping(record_checks.text),
    "cost": _NUMBER,
    "agreement": record_checks.mapping(record_checks.mapping(_NUMBER)),
}
# of predictions, those that are wrong for being empty and those that the judge said nothing of; left out where none are
OPTIONAL = dict.fromkeys(("empty", "silent"), record_checks.count)
CELLS = ("both", "judge_only", "score_only", "neither")  # who calls a prediction right


def is_judge_record(record: Any) -> bool:
    """Whether a value that was read from a file is a record of a judging; an empty one says that there was none."""
    try:
        record_checks.check(record, FIELDS if record else {}, OPTIONAL if record else {})
    except record_checks.Malformed:
        return False
    return True


def agreement(verdicts: Sequence[bool | None], values: Sequence[float | None]) -> dict[str, Any]:
    """How verdicts agree with a score of the same predictions; those that lack either are left out.

    `r` and `kappa` are None where they are not defined: where all verdicts, or all values, are equal.
    """
    pairs = [
        (verdict, value)
        for verdict, value in zip(verdicts, values, strict=True)
        if verdict is not None and value is not None
    ]
    calls = [(verdict, value >= THRESHOLD) for verdict, value in pairs]
    cells = [calls.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))]
    return {
        "examples": len(pairs),
        "r": _correlation([float(verdict) for verdict, _ in pairs], [value for _, value in pairs]),
        "kappa": kappa(*cells),
        **dict(zip(CELLS, cells, strict=True)),
    }


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    if not first:
        return None
    means = fsum(first) / len(first), fsum(second) / len(second)
    values, other = [x - means[0] for x in first], [y - means[1] for y in second]
    spread = sqrt(fsum(x * x for x in values)) * sqrt(fsum(y * y for y in other))
    return fsum(x * y for x, y in zip(values, other, strict=True)) / spread if spread > 1e-12 else None


def verdict_line(folder: Path, id: str) -> str:
    """The verdict on an example and the judge's replies, as in `right: "Yes."`; empty where there is none."""
    file = folder / FILE
    for line in file.read_bytes().splitlines() if file.is_file() else ():
        try:
            record = plain_json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            continue  # a damaged line is another example's, or says nothing
        if isinstance(record, dict) and record.get("id") == id:
            replies = " then ".join(f'"{reply}"' for reply in record.get("replies", ()))
            return f"{record.get('verdict')}: {replies or EMPTY_NOTE}"
    return ""


def lines(record: Mapping[str, Any]) -> list[str]:
    """The record of a judging in words: what was judged, and what it took."""
    if not record:
        return []
    judged = record["right"] + record["wrong"]
    parts = [f"{record['right']:,} of {judged:,} judged right"]
    if empty := record.get("empty", 0):
        parts.append(f"{empty:,} empty, not judged: wrong")
    if record["asked_again"]:
        parts.append(f"{record['asked_again']:,} asked once more")
    if record["unjudged"]:
        parts.append(f"{record['unjudged']:,} unjudged (neither yes nor no, twice)")
    if silent := record.get("silent", 0):
        parts.append(f"{silent:,} with empty replies: a judge that thinks needs room, thinking=2048 among its fields")
    if record["failures"]:
        name, reason = next(iter(record["failures"].items()))
        failed = counted(len(record["failures"]), "example")
        parts.append(f"{failed} failed ({name}: {reason}); the same command again asks for these alone")
    cost = "" if record["cost"] is None else f", cost {record['cost']:.6g}"
    usage = f"{counted(record['requests'], 'reply', 'replies')}, {record['tokens_in']:,} tokens in, "
    return [
        f"judge {record['judge']}, prompt {record['prompt']}: {', '.join(parts)}",
        f"judge, beside the reader: {usage}{record['tokens_out']:,} out{cost}",
    ]


def agreement_lines(record: Mapping[str, Any]) -> list[str]:
    """How the verdicts agree with other scores, a line each; the first says what the numbers are."""
    texts = [
        _agreement_line(name, value) for name, value in record.get("agreement", {}).items() if value.get("examples")
    ]
    if texts:
        texts[0] += f" (r: point-biserial; kappa: Cohen's, a score of {THRESHOLD:g} or more being right)"
    return texts


def _agreement_line(name: str, fields: Mapping[str, Any]) -> str:
    numbers = [f"{key} {fields[key]:.2f}" for key in ("r", "kappa") if fields.get(key) is not None]
    both_count, judge_count, score_count, neither_count = (fields.get(cell) for cell in CELLS)
    counts = (
        f"{both_count} right by both, {judge_count} by the judge alone, {score_count} by {name} alone, "
        f"{neither_count} by neither"
    )
    return f"judge and {name}: {', '.join([*numbers, counts])}"
