"""Does a rule gain by reading more passages where the first ones are too few, and not only by the whole document?

HotpotQA with the reader `extractive`: answers from the best 2 sentences, from the best 8, and from all ten paragraphs.
Rules are fitted on 80 questions, with and without the answers from 8 sentences, and cross-validated by question; then
they are run on the 100 questions of another file. Word F1; tokens are those of the prompts.
Run: python -m benchmarks.route_more (LONGDOC_REALDATA).
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import bounded, publish, realdata, table
from pipelines import route_rule
from pipelines.evaluation.routing.route_rule import RouteComparison
from pipelines.evaluation.routing.route_scores import MORE_SHARE, TOKENS, WHOLE_SHARE

TASK, BUDGET, FEW, MANY = "hotpotqa", 0.3, 2, 8
FITTED_ON, APPLIED_TO = "hotpot_distractor_80.jsonl", "meve_hotpot_dev_distractor_100.json"
SENTENCES: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "best:encoder=none"}
HEAD = ["rule", "F1", "tokens", "read more", "read whole"]


def answers(data: Path, place: Path, name: str, **fields: Any) -> Path:
    """The folder of a run over a file."""
    out = place / f"{data.stem}-{name}"
    return pipelines.run(TASK, data=data, model="extractive", metrics=["f1"], out=out, **fields).folder


def readings(data: Path, place: Path) -> dict[str, Path]:
    """The runs with 2 sentences, with 8, and with the whole document."""
    few, many = (answers(data, place, str(count), k=count, **SENTENCES) for count in (FEW, MANY))
    return {f"{FEW} sentences": few, f"{MANY} sentences": many, "whole": answers(data, place, "whole", retriever="all")}


def fitted(folders: dict[str, Path], place: Path, has_more: bool) -> tuple[Path, RouteComparison]:
    """A rule's file, and its comparison with fixed rules."""
    few, many, whole = (folder / "predictions.jsonl" for folder in folders.values())
    file = place / f"rule-{has_more}.json"
    more_predictions = {TASK: [many]} if has_more else None
    return file, route_rule({TASK: [whole, few]}, more_predictions=more_predictions, budget=BUDGET, out=file)


def cross_validated_rows(name: str, comparison: RouteComparison) -> list[list[str]]:
    """The lines of the fixed rules and of the fitted one; `name` says what that may read."""
    rows = []
    for scores in comparison.scores:
        values = (f"{scores.scores[score]:.1f}" for score in (TOKENS, MORE_SHARE, WHOLE_SHARE))
        label = f"{scores.name}, {name}" if scores is comparison.scores[-1] else scores.name
        rows.append([label, f"{scores.scores[TASK]:.1f} {scores.intervals[TASK]}", *values])
    return rows


def applied_row(name: str, folder: Path, whole_tokens: int) -> list[str]:
    """The line of a run on the other file."""
    rows = [json.loads(line) for line in (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    decisions = Counter(row["notes"].get("decision") for row in rows)
    shares = (100 * decisions[decision] / len(rows) for decision in ("more", "whole"))
    tokens = 100 * sum(row["tokens_in"] for row in rows) / whole_tokens
    return [name, bounded(folder, "f1"), f"{tokens:.1f}", *(f"{share:.1f}" for share in shares)]


def text_of(folder: Path, place: Path) -> str:
    """Both tables."""
    folders = readings(folder / FITTED_ON, place)
    rules = {name: fitted(folders, place, has_more) for name, has_more in (("whole", False), ("more or whole", True))}
    *_, whole_row = cross_validated_rows("whole", rules["whole"][1])
    rows = [*cross_validated_rows("more or whole", rules["more or whole"][1]), whole_row]
    applied = readings(folder / APPLIED_TO, place)
    lines = (applied["whole"] / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    whole_tokens = sum(json.loads(line)["tokens_in"] for line in lines)
    for name, (file, _) in rules.items():
        strategy = {"name": "route", "rule": str(file), "factor": MANY // FEW}
        run = answers(folder / APPLIED_TO, place, f"rule, {name}", k=FEW, strategy=strategy, **SENTENCES)
        applied[f"budget={BUDGET:g}, {name}"] = run
    applied_rows = [applied_row(name, run, whole_tokens) for name, run in applied.items()]
    return (
        f"Fitted and cross-validated on {rules['whole'][1].questions} questions.\n\n{table(HEAD, rows)}\n\n"
        f"Applied to {len(lines)} questions of another file.\n\n{table(HEAD, applied_rows)}\n"
    )


def main() -> None:
    folder = realdata()
    if folder is None or not (folder / TASK).is_dir():
        sys.exit("HotpotQA's questions are not here: set LONGDOC_REALDATA to the folder that has hotpotqa")
    with tempfile.TemporaryDirectory() as name:
        publish("route_more", text_of(folder / TASK, Path(name)))


if __name__ == "__main__":
    main()
