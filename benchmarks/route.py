"""Does a rule that decides how much to read keep what the whole document scores, at a share of its tokens?

On LaRA's published predictions by four models, with the whole document and with retrieval: rules are fitted and
cross-validated by document, and compared with always, never, and Self-Route ("whole where retrieval refuses"). No model
is asked. Points are word F1, refusals are told by a stated rule (`models.refusals`). Tokens: a document's are its
characters / 4; LaRA's retrieval reads five passages of 600 tokens. Run: python -m benchmarks.route [FOLDER]
(LONGDOC_REALDATA); in FOLDER is lara.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import FEWER, publish, realdata, table
from pipelines import route_rule
from pipelines.display.numbers import MISSING
from pipelines.evaluation.routing.fit import documents_needed
from pipelines.evaluation.routing.route_rule import RouteComparison
from pipelines.evaluation.routing.route_scores import (
    COVERAGE,
    MEAN,
    REFUSED_SHARE,
    TOKENS,
    UNANSWERABLE_SHARE,
    RouteScores,
)  # fmt: skip

LEVELS = {"location": "location", "reasoning": "reasoning", "comparison": "comp", "hallucination": "hallu"}
CRITERIA = ({"budget": 0.3}, {"budget": 0.2}, {"risk": 0.15})
TOO_LITTLE = 0.05  # a risk that so few documents cannot give
RETRIEVED_TOKENS = 5 * 600
CHARACTERS = 4  # a token
UNANSWERABLE = "lara/hallucination"
LEAST_MEAN, LEAST_UNANSWERABLE = -1.0, -2.0  # points against the better single way that are aimed at


def comparisons(folder: Path, model: str) -> Iterator[RouteComparison]:
    """The comparison of each criterion for a model."""
    files = {
        f"lara/{task}": [
            folder / "predictions" / model / f"{way}_32k_financial_{level}.jsonl" for way in ("full", "rag")
        ]
        for task, level in LEVELS.items()
    }
    tokens = {
        path.name: len(path.read_text(encoding="utf-8")) / CHARACTERS for path in (folder / "documents").iterdir()
    }
    for criterion in CRITERIA:
        yield route_rule(files, tokens=tokens, retrieved_tokens=RETRIEVED_TOKENS, **criterion)


def too_little(documents: int) -> str:
    """What is said of a risk that so many documents cannot give."""
    needed_count = documents_needed(TOO_LITTLE)
    return f"risk={TOO_LITTLE:g} is refused: it needs {needed_count} documents, and there are {documents}."


def rows_of(model: str, compared: list[RouteComparison]) -> Iterator[list[str]]:
    """The lines of a model's rules: the fixed ones once, then the fitted ones."""
    for scores in (*compared[0].scores, *(comparison.scores[-1] for comparison in compared[1:])):
        names = [*(f"lara/{task}" for task in LEVELS), MEAN, REFUSED_SHARE, UNANSWERABLE_SHARE, TOKENS, COVERAGE]
        yield [model, scores.rule, *(cell(scores, name) for name in names)]


def cell(scores: RouteScores, name: str) -> str:
    """A value with its interval."""
    if name not in scores.values:
        return MISSING
    return f"{scores.values[name]:.1f} {scores.intervals.get(name) or MISSING}"


def target_row(model: str, comparison: RouteComparison) -> list[str]:
    """What a rule's scores are against the better single way, and whether that is what is aimed at."""
    whole, retrieved, _, route = (scores.values for scores in comparison.scores)
    differences = [route[name] - max(whole[name], retrieved[name]) for name in (MEAN, UNANSWERABLE, REFUSED_SHARE)]
    least_values = (LEAST_MEAN, LEAST_UNANSWERABLE, LEAST_UNANSWERABLE)
    cells = [
        f"{difference:+.2f}{'' if difference >= least else ' (missed)'}"
        for difference, least in zip(differences, least_values, strict=True)
    ]
    return [model, comparison.rule.name, f"{route[TOKENS]:.1f}%", *cells]


def text_of(folder: Path) -> str:
    """Both tables."""
    rows, targets = list[list[str]](), list[list[str]]()
    models = sorted(path.name for path in (folder / "predictions").iterdir() if path.is_dir())
    for model in models:
        compared = list(comparisons(folder, model))
        rows += rows_of(model, compared)
        targets += [target_row(model, comparison) for comparison in compared]
    head = [
        "model",
        "rule",
        *LEVELS,
        "mean of levels",
        "unanswerable refused",
        "unanswerable read whole",
        "tokens",
        "coverage",
    ]
    target_head = ["model", "rule", "tokens", "mean of levels", "unanswerable, F1", "unanswerable, refused"]
    least_text = (
        "Against the better of whole documents and retrieval; aimed at are at least "
        f"{LEAST_MEAN:g} point in the mean and {LEAST_UNANSWERABLE:g} on unanswerable questions."
    )
    notes = f"{FEWER} Fitted rules are cross-validated by document. {too_little(compared[0].documents)}"
    return "\n\n".join([table(head, rows), notes, least_text, table(target_head, targets)])


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else realdata()
    if folder is None or not (folder / "lara" / "predictions").is_dir():
        raise SystemExit("LaRA's predictions are not here: set LONGDOC_REALDATA, or name the folder that has lara")
    publish("route", text_of(folder / "lara"), arguments=" ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
