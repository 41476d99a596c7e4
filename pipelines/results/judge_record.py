"""The cost of a judge's verdicts and their agreement with other scores: `judging` in `scores.json`.

Agreement, over the predictions that are judged: the point-biserial correlation r (Pearson's of a score with the
verdict as 0 and 1), and Cohen's kappa (Cohen 1960) of the verdict with "the score is 50 or more", a threshold that
nothing was tuned for; both are what studies of judges and of metrics report.
"""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from pathlib import Path
from typing import Any

from longdoc import checked_json, plain_json
from longdoc.messages import counted
from pipelines.statistics.kappa import kappa

FILE = "judgements.jsonl"  # verdict and replies of each prediction, beside the scores
EMPTY_NOTE = "the output is empty, so the judge was not asked"
THRESHOLD = 50.0
_NUMBER = checked_json.maybe(checked_json.number)
FIELDS = {
    **dict.fromkeys(("judge", "prompt"), checked_json.text),
    **dict.fromkeys(
        ("right", "wrong", "unjudged", "asked_again", "requests", "tokens_in", "tokens_out"), checked_json.count
    ),
    "failures": checked_json.mapping(checked_json.text),
    "cost": _NUMBER,
    "agreement": checked_json.mapping(checked_json.mapping(_NUMBER)),
}
# numbers of predictions that are wrong because they are empty, and that the judge gave empty replies to; absent for 0
OPTIONAL = dict.fromkeys(("empty", "silent"), checked_json.count)
CELLS = ("both", "judge_only", "score_only", "neither")  # numbers of predictions by who calls them right


def is_judge_record(record: Any) -> bool:
    """Whether a value from a file is a record of a judge; an empty one means that there was no judge."""
    try:
        checked_json.check(record, FIELDS if record else {}, OPTIONAL if record else {})
    except checked_json.Malformed:
        return False
    return True


def agreement(verdicts: Sequence[bool | None], values: Sequence[float | None]) -> dict[str, Any]:
    """Agreement of verdicts with a score of the same predictions; those that lack either are left out.

    `r` and `kappa` are None where they are undefined, as when all verdicts or all values are equal.
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
    """Pearson's correlation; None where one of the two does not vary."""
    if not first:
        return None
    means = fsum(first) / len(first), fsum(second) / len(second)
    deviations, other_deviations = [x - means[0] for x in first], [y - means[1] for y in second]
    spread = sqrt(fsum(x * x for x in deviations)) * sqrt(fsum(y * y for y in other_deviations))
    return fsum(x * y for x, y in zip(deviations, other_deviations, strict=True)) / spread if spread > 1e-12 else None


def verdict_line(folder: Path, id: str) -> str:
    """The verdict on an example and the judge's replies: `right: "Yes."`; empty if it has none."""
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
    """The record in two lines: the verdicts, and the judge's requests and cost; none without a judge."""
    if not record:
        return []
    judged = record["right"] + record["wrong"]
    parts = [f"{record['right']:,} of {judged:,} judged right"]
    if empty_count := record.get("empty", 0):
        parts.append(f"{empty_count:,} empty, not judged: wrong")
    if record["asked_again"]:
        parts.append(f"{record['asked_again']:,} asked once more")
    if record["unjudged"]:
        parts.append(f"{record['unjudged']:,} unjudged (neither yes nor no, twice)")
    if silent_count := record.get("silent", 0):
        parts.append(
            f"{silent_count:,} with empty replies: a judge that thinks needs room, thinking=2048 among its fields"
        )
    if record["failures"]:
        name, reason = next(iter(record["failures"].items()))
        failures = counted(len(record["failures"]), "example")
        parts.append(f"{failures} failed ({name}: {reason}); run the same command again to ask for these alone")
    cost = "" if record["cost"] is None else f", cost {record['cost']:.6g}"
    usage = f"{counted(record['requests'], 'reply', 'replies')}, {record['tokens_in']:,} tokens in, "
    return [
        f"judge {record['judge']}, prompt {record['prompt']}: {', '.join(parts)}",
        f"judge, beside the reader: {usage}{record['tokens_out']:,} out{cost}",
    ]


def agreement_lines(record: Mapping[str, Any]) -> list[str]:
    """A line on the agreement with each other score; the first explains the numbers."""
    agreements = [
        _agreement_line(name, fields) for name, fields in record.get("agreement", {}).items() if fields.get("examples")
    ]
    if agreements:
        agreements[0] += f" (r: point-biserial; kappa: Cohen's, a score of {THRESHOLD:g} or more being right)"
    return agreements


def _agreement_line(name: str, fields: Mapping[str, Any]) -> str:
    numbers = [f"{key} {fields[key]:.2f}" for key in ("r", "kappa") if fields.get(key) is not None]
    both, judge_only, score_only, neither = (fields.get(cell) for cell in CELLS)
    counts = (
        f"{both} right by both, {judge_only} by the judge alone, {score_only} by {name} alone, {neither} by neither"
    )
    return f"judge and {name}: {', '.join([*numbers, counts])}"
