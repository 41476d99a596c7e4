"""Does a rule that decides how much to read keep what the whole document scores, at a share of its tokens?

On LaRA's published predictions by four models, with the whole document and with retrieval: rules are fitted on
questions about financial reports and cross-validated by document, and compared with always, never, and Self-Route
("whole where retrieval refuses"). Of two models there are questions about books: there the rule that was fitted on the
reports is applied, and one of their own cross-validated. No model is asked. Points are word F1, refusals are told by a
stated rule (`models.refusals`). Tokens: a document's are its characters / 4; LaRA's retrieval reads five passages of
600 tokens. On NoCha's published responses of GPT-4o the rules that were fitted on its answers about reports are
applied, not calibrated: no book fits its window, so the longest reading is the one of 50 passages, after one of 5.
Run: python -m benchmarks.route [FOLDER] (LONGDOC_REALDATA); in FOLDER are lara, lara_books and nocha.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.results import FEWER, publish, realdata, table
from pipelines import metrics, route_rule, tasks
from pipelines.display.numbers import MISSING
from pipelines.evaluation import predictions
from pipelines.evaluation._document_folds import NamedScores
from pipelines.evaluation.routing.calibration_rows import (
    CalibrationRow,
    PredictionFiles,
    TokenCounts,
    calibration_rows,
)
from pipelines.evaluation.routing.fit import Criterion, documents_needed
from pipelines.evaluation.routing.route_rule import RouteComparison, held_out_decisions
from pipelines.evaluation.routing.route_scores import (
    COVERAGE,
    MEAN,
    REFUSED_SHARE,
    TOKENS,
    UNANSWERABLE_SHARE,
    decisions,
    route_scores,
)  # fmt: skip
from pipelines.strategies.shared.route_rule import RETRIEVED_RULE, SELF_ROUTE, WHOLE_RULE, ReadingOn

LEVELS = {"location": "location", "reasoning": "reasoning", "comparison": "comp", "hallucination": "hallu"}
WAYS = ("full", "rag")
BUDGET = 0.3
CRITERIA = ({"budget": BUDGET}, {"budget": 0.2}, {"risk": 0.15})
TOO_LITTLE = 0.05  # a risk that so few documents cannot give
RETRIEVED_TOKENS = 5 * 600
NOCHA_MODEL, NOCHA_SYSTEM = "gpt-4o", "bm25-gpt4o-top"
NOCHA_PASSAGES = (5, 25, 50)
CHARACTERS = 4  # a token
UNANSWERABLE = "lara/hallucination"
LEAST_MEAN, LEAST_UNANSWERABLE = -1.0, -2.0  # points against the better single way that are aimed at
AIM = (
    "Against the better of whole documents and retrieval; aimed at are at least "
    f"{LEAST_MEAN:g} point in the mean and {LEAST_UNANSWERABLE:g} on unanswerable questions. "
    f"The best choice knows the gain of each question, within {BUDGET:.0%} of the tokens."
)
SHARES = ("unanswerable refused", "unanswerable read whole", "tokens", "coverage")
HEAD = ["model", "rule", *LEVELS, "mean of levels", *SHARES]
NOCHA_SCORES = ("pair_accuracy", "claim_accuracy")
NOCHA_HEAD = ["rule", "pairs", "claims", "passages read of a claim"]
TARGET_HEAD = ["model", "rule", "tokens", "mean of levels", "unanswerable, F1", "unanswerable, refused"]


def comparisons(folder: Path, model: str) -> Iterator[RouteComparison]:
    """The comparison of each criterion for a model."""
    tokens = token_counts(folder / "documents")
    for criterion in CRITERIA:
        yield route_rule(report_files(folder, model), tokens=tokens, retrieved_tokens=RETRIEVED_TOKENS, **criterion)


def report_files(folder: Path, model: str) -> dict[str, list[Path]]:
    """A model's files about reports, of whole documents and of retrieval, by task."""
    return {
        f"lara/{task}": [folder / "predictions" / model / f"{way}_32k_financial_{level}.jsonl" for way in WAYS]
        for task, level in LEVELS.items()
    }


def token_counts(folder: Path) -> dict[str, float]:
    """The tokens of the documents of a folder and its folders, by the names of their files."""
    return {path.name: len(path.read_text(encoding="utf-8")) / CHARACTERS for path in folder.rglob("*.txt")}


def report_rows(folder: Path, model: str) -> list[CalibrationRow]:
    """The questions about reports that a model answered both ways."""
    counts = TokenCounts(token_counts(folder / "documents"), RETRIEVED_TOKENS)
    files = {task: PredictionFiles(*paths) for task, paths in report_files(folder, model).items()}
    return [row for task, paths in files.items() for row in calibration_rows(task, paths, None, "f1", counts)]


def best_choice(rows: list[CalibrationRow], budget: float) -> NamedScores:
    """The scores of whoever knows what the whole document adds, and takes the most of it within the budget."""
    left = budget * sum(row.whole_reading.tokens for row in rows) - sum(row.retrieved_reading.tokens for row in rows)
    readings: list[ReadingOn | None] = [None] * len(rows)
    for number in sorted(range(len(rows)), key=lambda i: -rows[i].gain("whole") / rows[i].whole_reading.tokens):
        tokens = rows[number].whole_reading.tokens
        if rows[number].gain("whole") > 0 and tokens <= left:
            readings[number], left = "whole", left - tokens
    return route_scores("best choice", rows, readings)


def book_rows(folder: Path, model: str) -> list[CalibrationRow]:
    """The questions about books that a model answered both ways; empty for a model without files."""
    counts, rows = TokenCounts(token_counts(folder / "datasets"), RETRIEVED_TOKENS), list[CalibrationRow]()
    for task, level in LEVELS.items():
        for whole_path in sorted((folder / "evaluation" / "prediction" / model).glob(f"full_*_book_{level}.jsonl")):
            retrieved_path = whole_path.with_name(whole_path.name.replace("full_", "rag_"))
            paths = PredictionFiles(whole_path, retrieved_path)
            rows += calibration_rows(f"lara/{task}", paths, None, "f1", counts)
    return rows


def book_scores(rows: list[CalibrationRow], fitted: RouteComparison) -> Iterator[NamedScores]:
    """The scores on books: of fixed rules, of the rule that was fitted on reports, and of a cross-validated one."""
    yield route_scores(WHOLE_RULE.name, rows, decisions(WHOLE_RULE, rows), has_retrieved=False)
    for rule in (RETRIEVED_RULE, SELF_ROUTE):
        yield route_scores(rule.name, rows, decisions(rule, rows))
    yield route_scores(f"{fitted.rule.name}, of the reports", rows, decisions(fitted.rule, rows))
    yield route_scores(fitted.rule.name, rows, held_out_decisions(rows, Criterion(**CRITERIA[0]), seed=0))


def nocha_text(folder: Path, compared: list[RouteComparison]) -> str:
    """The table of NoCha's claims: each number of passages, Self-Route, and the rules that were fitted on reports."""
    task, metric = tasks.get("nocha"), metrics.get("pair_accuracy")
    few, _, many = files = [
        predictions.read(task, f"{folder / 'claims.jsonl'}::{NOCHA_SYSTEM}{count}").given for count in NOCHA_PASSAGES
    ]
    chosen = {f"{count} passages": file for count, file in zip(NOCHA_PASSAGES, files, strict=True)}
    passages: dict[str, float] = dict(zip(chosen, NOCHA_PASSAGES, strict=True))
    for rule in (SELF_ROUTE, *(comparison.rule for comparison in compared)):
        decided = [rule.decide(entry.example.query, entry.prediction or "") == "whole" for entry in few]
        chosen[rule.name] = [
            pair[is_whole] for pair, is_whole in zip(zip(few, many, strict=True), decided, strict=True)
        ]
        passages[rule.name] = NOCHA_PASSAGES[0] + NOCHA_PASSAGES[-1] * sum(decided) / len(decided)
    rows = []
    for name, entries in chosen.items():
        scores = metric.aggregate([metric.statistics(entry.prediction or "", entry.example) for entry in entries])
        rows.append([name, *(f"{scores[score]:.1f}" for score in NOCHA_SCORES), f"{passages[name]:.1f}"])
    text = f"NoCha, {len(few)} claims about 2 books: {NOCHA_MODEL}'s answers from passages of BM25; no intervals."
    return f"{text}\n\n{table(NOCHA_HEAD, rows)}"


def too_little(documents: int) -> str:
    """What is said of a risk that so many documents cannot give."""
    needed_count = documents_needed(TOO_LITTLE)
    return f"risk={TOO_LITTLE:g} is refused: it needs {needed_count} documents, and there are {documents}."


def line(model: str, scores: NamedScores) -> list[str]:
    """A rule's line."""
    names = [*(f"lara/{task}" for task in LEVELS), MEAN, REFUSED_SHARE, UNANSWERABLE_SHARE, TOKENS, COVERAGE]
    return [model, scores.name, *(cell(scores, name) for name in names)]


def cell(scores: NamedScores, name: str) -> str:
    """A value with its interval."""
    if name not in scores.scores:
        return MISSING
    return f"{scores.scores[name]:.1f} {scores.intervals.get(name) or MISSING}"


def target_row(model: str, comparison: RouteComparison) -> list[str]:
    """What a rule's scores are against the better single way, and whether that is what is aimed at."""
    return target_cells(model, comparison.rule.name, comparison.scores[-1].scores, comparison, is_aimed=True)


def target_cells(
    model: str, name: str, scores: Mapping[str, float], comparison: RouteComparison, is_aimed: bool
) -> list[str]:
    """The line of any choice; `is_aimed` where it says what is missed."""
    whole, retrieved = (fixed.scores for fixed in comparison.scores[:2])
    differences = [scores[value] - max(whole[value], retrieved[value]) for value in (MEAN, UNANSWERABLE, REFUSED_SHARE)]
    least_values = (LEAST_MEAN, LEAST_UNANSWERABLE, LEAST_UNANSWERABLE)
    cells = [
        f"{difference:+.2f}{' (missed)' if is_aimed and difference < least else ''}"
        for difference, least in zip(differences, least_values, strict=True)
    ]
    return [model, name, f"{scores[TOKENS]:.1f}%", *cells]


def text_of(folder: Path) -> str:
    """The tables of reports, of what is aimed at, and of books."""
    rows, targets, books = list[list[str]](), list[list[str]](), list[list[str]]()
    nocha = ""
    for model in sorted(path.name for path in (folder / "lara" / "predictions").iterdir() if path.is_dir()):
        compared = list(comparisons(folder / "lara", model))
        rows += [line(model, scores) for scores in compared[0].scores]
        rows += [line(model, comparison.scores[-1]) for comparison in compared[1:]]
        targets += [target_row(model, comparison) for comparison in compared]
        choice = best_choice(report_rows(folder / "lara", model), BUDGET).scores
        targets.append(target_cells(model, "best choice", choice, compared[0], is_aimed=False))
        if of_books := book_rows(folder / "lara_books", model):
            books += [line(model, scores) for scores in book_scores(of_books, compared[0])]
        if model == NOCHA_MODEL and (folder / "nocha").is_dir():
            nocha = nocha_text(folder / "nocha", compared)
    notes = f"{FEWER} Fitted rules are cross-validated by document. {too_little(compared[0].documents)}"
    parts = [f"Financial reports.\n\n{table(HEAD, rows)}", notes, f"{AIM}\n\n{table(TARGET_HEAD, targets)}"]
    return "\n\n".join([*parts, *([f"Books.\n\n{table(HEAD, books)}"] if books else []), *filter(None, [nocha])])


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else realdata()
    if folder is None or not (folder / "lara" / "predictions").is_dir():
        raise SystemExit("LaRA's predictions are not here: set LONGDOC_REALDATA, or name the folder that has lara")
    publish("route", text_of(folder), arguments=" ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
