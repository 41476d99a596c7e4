"""Does a rule gain by reading more passages where the first ones are too few, and not only by the whole document?

HotpotQA with the reader `extractive`: answers from the best 2 sentences, from the best 8, and from all ten paragraphs.
Rules are fitted on 80 questions, with and without the answers from 8 sentences, and cross-validated by question; then
they are run on the 100 questions of another file. Each is fitted with and without what is known of the selection: its
agreement with that of another retriever, and the share of the expected evidence in it. How well each feature alone
tells the questions that gain by reading on is the area under its ROC curve. Word F1; tokens are those of the prompts.
Run: python -m benchmarks.route_more (LONGDOC_REALDATA).
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import bounded, interval, publish, realdata, table
from pipelines import route_rule
from pipelines.display.numbers import MISSING
from pipelines.evaluation.routing.calibration_rows import PredictionFiles, TokenCounts, calibration_rows
from pipelines.evaluation.routing.route_rule import RouteComparison
from pipelines.evaluation.routing.route_scores import MORE_SHARE, TOKENS, WHOLE_SHARE
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.sample import Row
from pipelines.statistics.separation import auc
from pipelines.strategies.shared.route_rule import FEATURES, READINGS

TASK, BUDGET, FEW, MANY = "hotpotqa", 0.3, 2, 8
FITTED_ON, APPLIED_TO = "hotpot_distractor_80.jsonl", "meve_hotpot_dev_distractor_100.json"
SENTENCES: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "best:encoder=none"}
MEASURED = {
    "name": "route",
    "rule": "retrieved",
    "second": "bm25",
}  # reads as `stuff` does, with notes on the selection
HEAD = ["rule", "F1", "tokens", "read more", "read whole"]
RULES = {
    f"{readings}{features}": (readings != "whole", bool(features))
    for readings in ("whole", "more or whole")
    for features in ("", ", knows the selection")
}


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs over a file: with 2 sentences, the same with notes on the selection, with 8, and with everything."""

    few: Path
    measured: Path
    many: Path
    whole: Path

    def prediction_files(self, has_features: bool, has_more: bool) -> PredictionFiles:
        """Their files of predictions."""
        retrieved, many, whole = (
            folder / "predictions.jsonl"
            for folder in (self.measured if has_features else self.few, self.many, self.whole)
        )
        return PredictionFiles(whole, retrieved, many if has_more else None)


def answers(data: Path, place: Path, name: str, **fields: Any) -> Path:
    """The folder of a run over a file."""
    out = place / f"{data.stem}-{name}"
    return pipelines.run(TASK, data=data, model="extractive", metrics=["f1"], out=out, **fields).folder


def runs_over(data: Path, place: Path) -> Runs:
    """The runs over a file."""
    return Runs(
        answers(data, place, "few", k=FEW, **SENTENCES),
        answers(data, place, "measured", k=FEW, strategy=MEASURED, **SENTENCES),
        answers(data, place, "many", k=MANY, **SENTENCES),
        answers(data, place, "whole", retriever="all"),
    )


def fitted(files: PredictionFiles, file: Path) -> RouteComparison:
    """A rule, written to its file, and its comparison with fixed rules."""
    more_predictions = {TASK: [files.more_path]} if files.more_path else None
    predictions = {TASK: [files.whole_path, files.retrieved_path]}
    return route_rule(predictions, more_predictions=more_predictions, budget=BUDGET, out=file)


def cross_validated_rows(comparisons: Mapping[str, RouteComparison]) -> list[list[str]]:
    """The lines of the fixed rules, and of the fitted ones by what they may read."""
    *fixed, _ = comparisons["more or whole"].scores
    scored = [(scores.name, scores) for scores in fixed]
    scored += [(f"budget={BUDGET:g}, {name}", comparison.scores[-1]) for name, comparison in comparisons.items()]
    rows = []
    for name, scores in scored:
        values = (f"{scores.scores[score]:.1f}" for score in (TOKENS, MORE_SHARE, WHOLE_SHARE))
        rows.append([name, f"{scores.scores[TASK]:.1f} {scores.intervals[TASK]}", *values])
    return rows


def applied_row(name: str, folder: Path, whole_tokens: int) -> list[str]:
    """The line of a run on the other file."""
    rows = [json.loads(line) for line in (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    decisions = Counter(row["notes"].get("decision") for row in rows)
    shares = (100 * decisions[decision] / len(rows) for decision in ("more", "whole"))
    tokens = 100 * sum(row["tokens_in"] for row in rows) / whole_tokens
    return [name, bounded(folder, "f1"), f"{tokens:.1f}", *(f"{share:.1f}" for share in shares)]


@dataclass(frozen=True, slots=True)
class Separation:
    """The area under each feature's ROC curve for the rows that gain, 0–100, for the bootstrap."""

    bootstrap_on = "rows"

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """By feature; without those that are equal in all rows, or where all gain or none."""
        values = {}
        for name in FEATURES:
            gaining, others = ([row[name] for row in rows if bool(row["gains"]) is gains] for gains in (True, False))
            if len({*gaining, *others}) > 1 and (area := auc(gaining, others)) is not None:
                values[name] = 100 * area
        return values

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows themselves."""
        return rows


def separation_cells(runs: Runs) -> list[dict[str, str]]:
    """For each reading, how well each feature alone tells the questions that gain by it."""
    rows = calibration_rows(TASK, runs.prediction_files(True, True), None, "f1", TokenCounts({}))
    columns = []
    for reading in READINGS:
        gains = [{**row.features, "gains": float(row.gain(reading) > 0)} for row in rows]
        areas, bounds = Separation().aggregate(gains), intervals(Separation(), gains)
        columns.append({name: f"{area:.0f} {interval(bounds.get(name))}" for name, area in areas.items()})
    return columns


def separation_table(fitted_runs: Runs, applied_runs: Runs) -> str:
    """The features, for both readings and both files."""
    columns = [*separation_cells(fitted_runs), *separation_cells(applied_runs)]
    names = [name for name in FEATURES if any(name in column for column in columns)]
    head = ["feature", *(f"{reading}, {file}" for file in ("fitted on", "other file") for reading in READINGS)]
    return table(head, [[name, *(column.get(name, MISSING) for column in columns)] for name in names])


def text_of(folder: Path, place: Path) -> str:
    """The tables."""
    fitted_runs, applied_runs = (runs_over(folder / name, place) for name in (FITTED_ON, APPLIED_TO))
    files = {name: place / f"rule-{number}.json" for number, name in enumerate(RULES)}
    comparisons = {
        name: fitted(fitted_runs.prediction_files(has_features, has_more), files[name])
        for name, (has_more, has_features) in RULES.items()
    }
    lines = (applied_runs.whole / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    whole_tokens = sum(json.loads(line)["tokens_in"] for line in lines)
    applied = {
        f"{FEW} sentences": applied_runs.few,
        f"{MANY} sentences": applied_runs.many,
        "whole": applied_runs.whole,
    }
    for name, file in files.items():
        strategy = {"name": "route", "rule": str(file), "factor": MANY // FEW}
        run = answers(folder / APPLIED_TO, place, f"rule, {name}", k=FEW, strategy=strategy, **SENTENCES)
        applied[f"budget={BUDGET:g}, {name}"] = run
    applied_rows = [applied_row(name, run, whole_tokens) for name, run in applied.items()]
    return (
        f"Fitted and cross-validated on {comparisons['whole'].questions} questions.\n\n"
        f"{table(HEAD, cross_validated_rows(comparisons))}\n\n"
        f"Applied to {len(lines)} questions of another file.\n\n{table(HEAD, applied_rows)}\n\n"
        "The area under the ROC curve of each feature alone, in per cent, for the questions that gain by reading on "
        "(50: it does not tell them; under 50: they have lower values). Features without a value here are left out.\n\n"
        f"{separation_table(fitted_runs, applied_runs)}\n"
    )


def main() -> None:
    folder = realdata()
    if folder is None or not (folder / TASK).is_dir():
        sys.exit("HotpotQA's questions are not here: set LONGDOC_REALDATA to the folder that has hotpotqa")
    with tempfile.TemporaryDirectory() as name:
        publish("route_more", text_of(folder / TASK, Path(name)))


if __name__ == "__main__":
    main()
