"""Questions whose evidence was taken out of their document: who answers them anyway, and what tells them apart?

Twins of HotpotQA, MuSiQue and ContractNLI, each behind the question that it was made of. The reader is `extractive`
with the recipe of the task: a reader without weights, which never refuses a question of its own accord. Answers are
withheld under a threshold of a score: BM25's score of the best 100 words for the question, or the support of the answer
by its document (of an option, that of the hypothesis). It is fitted on twins alone, so that at most a share α of a
document's twins is answered in expectation (conformal risk control), without the document that is judged.
Run: python -m benchmarks.twins [SUPPORT…] (LONGDOC_REALDATA); by default overlap and alignment.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from pathlib import Path
from tempfile import TemporaryDirectory

import chunkers
import pipelines
import retrievers
from benchmarks.results import FEWER, publish, realdata, share, table
from longdoc.errors import UserError
from models.refusals import refuses
from pipelines import metrics, sources, support, tasks
from pipelines.builders.without_evidence import SUFFIX
from pipelines.display.numbers import MISSING
from pipelines.evaluation._document_folds import NamedScores, fits_without_each, named_scores
from pipelines.records import Example, Prediction
from pipelines.results.run_folders.run import finished_run
from pipelines.statistics.sample import MeanRowAggregation
from pipelines.strategies.shared.calibration import CalibrationAnswer, certified_threshold
from pipelines.support import SupportedDocument, answer_support

TASKS = {  # the file, and the metric by which an answer is right
    "hotpotqa": ("hotpotqa/hotpot_distractor_80.jsonl", "f1"),
    "zero_scrolls/musique": ("musique/musique_80.jsonl", "f1_ascii"),
    "scrolls/contract_nli": ("contract_nli/dev.json", "exact_match"),
}
RISKS = (0.05, 0.1, 0.2)
RIGHT = 50  # of that metric, from which on an answer is right
RETRIEVER = "BM25"
ANYWAY, RIGHTLY = "twins answered anyway", "right answers shown"
BUILT_HEAD = ["task", "questions", "twins", "left out"]
HEAD = ["task", "score", "α", "twins, documents", f"{ANYWAY}, %", f"{RIGHTLY}, %", "of right answers"]


@dataclass(frozen=True, slots=True)
class Row:
    """An answer to a question or to its twin: the document that both are about, and the scores by name."""

    document: str
    is_twin: bool
    is_right: bool
    is_refusal: bool
    scores: Mapping[str, float]


class Shares(MeanRowAggregation):
    """The share of twins that are answered, and of right answers that are shown, 0–100."""

    def aggregate(self, rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Both, where there are twins and right answers."""
        sums = {name: fsum(row[name] for row in rows) for name in ("twins", "answered", "right", "shown")}
        shares = {ANYWAY: 100 * sums["answered"] / sums["twins"]} if sums["twins"] else {}
        return shares | ({RIGHTLY: 100 * sums["shown"] / sums["right"]} if sums["right"] else {})


def answered_rows(task: str, metric: str, data: Path, folder: Path, names: Sequence[str]) -> list[Row]:
    """The answers of `extractive` to questions and twins."""
    pipelines.run(task, data=data, split="validation", model="extractive", out=folder, metrics=[metric])
    examples = sources.load(task, tasks.get(task).dataset, data, "validation").examples()
    predictions = {prediction.id: prediction for prediction in finished_run(folder).predictions}
    scores = {name: support.get(name) for name in names}
    return [_row(example, predictions[example.id], scores, metrics.get(metric)) for example in examples]


def _row(
    example: Example, prediction: Prediction, scores: Mapping[str, support.Support], metric: metrics.Metric
) -> Row:
    """The row of an answer."""
    claim, query = (example.query, "") if example.options else (prediction.prediction, example.query)
    chunks = chunkers.get("tokens", size=100).split(example.document.text)
    values = {RETRIEVER: float(retrievers.get("bm25").index(chunks).scores([example.query]).max())}
    for name, score in scores.items():
        values[name] = answer_support(SupportedDocument(example.document.text, score).claims(claim, query))
    is_twin = example.id.endswith(SUFFIX)
    is_right = not is_twin and metric.first_score(prediction.prediction, example) >= RIGHT
    document = str(example.meta["metadata"]["document"])
    return Row(document, is_twin, is_right, refuses(prediction.prediction), values)


def shares(rows: Sequence[Row], score: str, risk: float) -> NamedScores:
    """What is answered and shown where each document's threshold is fitted on the twins of the others."""
    calibration = [
        CalibrationAnswer(row.document, row.scores[score], False, row.is_refusal) for row in rows if row.is_twin
    ]
    thresholds = fits_without_each(calibration, partial(certified_threshold, risk=risk))
    counts = [_counts(row, row.scores[score] >= thresholds[row.document]) for row in rows]
    return named_scores(score, Shares(), counts, [row.document for row in rows])


def _counts(row: Row, is_over: bool) -> dict[str, float]:
    """What a row counts for."""
    is_shown = is_over and not row.is_refusal
    numbers = {"twins": row.is_twin, "answered": row.is_twin and is_shown}
    numbers |= {"right": row.is_right, "shown": row.is_right and is_shown}
    return {name: float(number) for name, number in numbers.items()}


def lines(task: str, rows: Sequence[Row], names: Sequence[str]) -> Iterator[list[str]]:
    """The lines of a task: all answered, and each score at each risk."""
    twins = [row for row in rows if row.is_twin]
    size = f"{len(twins)}, {len({row.document for row in twins})}"
    right_count = sum(row.is_right for row in rows)
    counts, documents = [_counts(row, True) for row in rows], [row.document for row in rows]
    all_shown = named_scores("", Shares(), counts, documents).scores
    yield [task, "none", MISSING, size, share(all_shown, ANYWAY), share(all_shown, RIGHTLY), f"{right_count}"]
    for risk in RISKS:
        for name in (RETRIEVER, *names):
            try:
                result = shares(rows, name, risk).scores
                cells = [share(result, column) for column in (ANYWAY, RIGHTLY)]
            except UserError as error:
                cells = [str(error), MISSING]
            yield [task, name, f"{risk:g}", size, *cells, f"{right_count}"]


def main() -> None:
    names, folder = sys.argv[1:] or ["overlap", "alignment"], realdata()
    if folder is None:
        raise SystemExit("the real examples are not here: set LONGDOC_REALDATA to their folder")
    built_lines, result_lines = list[list[str]](), list[list[str]]()
    with TemporaryDirectory() as place:
        for task, (file, metric) in TASKS.items():
            data = Path(place) / task.replace("/", "-")
            manifest = pipelines.build(
                "without_evidence", folder / file, out=data, task=task, split="validation", originals=True
            ).manifest
            dropped = "; ".join(f"{reason}: {count}" for reason, count in manifest["dropped"].items()) or MISSING
            twin_count = manifest["kept"] // 2
            built_lines.append([task, f"{manifest['read'] - twin_count}", f"{twin_count}", dropped])
            rows = answered_rows(task, metric, data, Path(place) / f"{data.name}-run", names)
            result_lines += lines(task, rows, names)
    text = f"{table(BUILT_HEAD, built_lines)}\n\n{table(HEAD, result_lines)}\n\n{FEWER}"
    publish("twins", text, arguments=" ".join(sys.argv[1:]), title=": ".join(["twins", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
