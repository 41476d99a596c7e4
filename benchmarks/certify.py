"""Does a bound on wrong answers hold, and what does it cost in right ones?

Quotes are looked up for published answers in their documents, and answers whose support is too little are withheld, by
a threshold that is calibrated by document and cross-validated. FinanceBench's answers have labels by people. LaRA's are
right from a word F1 of 50 on, or where a question has no answer, never: refusals are no answers. No model is asked.
Run: python -m benchmarks.certify [FOLDER] (LONGDOC_REALDATA); in FOLDER are financebench and lara. With `supports` in
place of FOLDER support scores are compared on the same answers: `python -m benchmarks.certify supports [SUPPORT…]`.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import mul
from pathlib import Path

from benchmarks.results import FEWER, publish, realdata, share, table
from longdoc.errors import UserError
from pipelines import certify, sources, tasks
from pipelines.display.numbers import MISSING
from pipelines.evaluation.certification.certified_answer import CertifiedAnswer
from pipelines.evaluation.certification.certify import (
    PRECISION,
    RIGHT_SHARE,
    SHOWN_SHARE,
    WRONG_SHARE,
    Certification,
)
from pipelines.statistics.separation import auc

LEVELS = {"location": "location", "reasoning": "reasoning", "comparison": "comp", "hallucination": "hallu"}
MODELS = ("gpt-4o", "gpt-4o-mini", "llama-3.1-8b", "qwen2.5-7b-instruct")
RISKS = (0.15, 0.2, 0.3)
SUPPORTS = "supports"  # the word for comparing support scores
SUPPORT_HEAD = [
    "answers",
    "support",
    "AUC",
    "AUC within tasks",
    "right, wrong",
    f"{WRONG_SHARE}, %",
    f"{RIGHT_SHARE}, %",
    "seconds",
]
HEAD = ["answers", "documents", "risk", SHOWN_SHARE, WRONG_SHARE, RIGHT_SHARE, PRECISION, "quotes", "verbatim"]


def sets(folder: Path) -> Iterator[tuple[str, Mapping[str, Sequence[Path]], Path]]:
    """The sets of answers: their names, files by task, and data."""
    if files := sorted((folder / "financebench" / "results").glob("*.jsonl")):
        yield "FinanceBench, all systems", {"financebench": files}, folder / "financebench"
    for model in MODELS:
        place = folder / "lara" / "predictions" / model
        if place.is_dir():
            paths = {f"lara/{task}": [place / f"rag_32k_financial_{level}.jsonl"] for task, level in LEVELS.items()}
            yield f"LaRA, {model}, retrieval", paths, folder / "lara"


def lines(name: str, predictions: Mapping[str, Sequence[Path]], data: Path) -> Iterator[list[str]]:
    """The lines of a set: all answers, and those that are left at each risk."""
    texts = _texts(predictions, data)
    for number, risk in enumerate(RISKS):
        certification = certify(predictions, data=data, risk=risk)
        for scores in certification.scores[number > 0 :]:
            cells = [share(scores.scores, column) for column in (SHOWN_SHARE, WRONG_SHARE, RIGHT_SHARE, PRECISION)]
            yield [name, f"{len(texts)}", scores.name.removeprefix("risk="), *cells, *_quotes(certification, texts)]


def _texts(predictions: Mapping[str, Sequence[Path]], data: Path) -> dict[str, str]:
    """The documents by id."""
    examples = (
        example for name in predictions for example in sources.load(name, tasks.get(name).dataset, data).examples()
    )
    return {example.document.id: example.document.text for example in examples}


def _quotes(certification: Certification, texts: Mapping[str, str]) -> list[str]:
    """How many quotes there are, and the share that is the document's text at its place."""
    quotes = [(answer.document, claim.quote) for answer in certification.answers for claim in answer.claims]
    equal = [texts[name][quote.start : quote.end] == quote.text for name, quote in quotes if quote is not None]
    return [f"{len(equal):,}", f"{100 * sum(equal) / len(equal):.1f}%"]


def support_lines(names: Sequence[str], folder: Path) -> Iterator[list[str]]:
    """How well each support score tells right answers from wrong ones, and what is shown at one risk."""
    for set_name, predictions, data in sets(folder):
        for name in names:
            start_time = time.monotonic()
            try:
                certification = certify(predictions, data=data, risk=RISKS[1], support=name)
            except UserError as error:
                yield [set_name, name, str(error), *[MISSING] * (len(SUPPORT_HEAD) - 3)]
                continue
            answers = [answer for answer in certification.answers if not answer.is_refusal]
            right, wrong = _supports(answers)
            scores = certification.scores[-1]
            cells = [share(scores.scores, column) for column in (WRONG_SHARE, RIGHT_SHARE)]
            areas = auc(right, wrong), _within_tasks(answers)
            seconds = f"{time.monotonic() - start_time:.0f}"
            yield [
                set_name,
                name,
                *(MISSING if area is None else f"{area:.3f}" for area in areas),
                f"{len(right)}, {len(wrong)}",
                *cells,
                seconds,
            ]


def _supports(answers: Iterable[CertifiedAnswer]) -> tuple[list[float], list[float]]:
    """Those of right answers, and those of wrong ones."""
    right: list[float] = []
    wrong: list[float] = []
    for answer in answers:
        (right if answer.is_right else wrong).append(answer.support)
    return right, wrong


def _within_tasks(answers: Sequence[CertifiedAnswer]) -> float | None:
    """The mean AUC of the tasks, by their pairs of a right and a wrong answer: what support tells within a task."""
    areas, pairs = list[float](), list[int]()
    for name in {answer.task for answer in answers}:
        right, wrong = _supports(answer for answer in answers if answer.task == name)
        if (area := auc(right, wrong)) is not None:
            areas.append(area)
            pairs.append(len(right) * len(wrong))
    return sum(map(mul, areas, pairs)) / sum(pairs) if pairs else None


def compare_supports(names: Sequence[str], folder: Path) -> None:
    """Publish the comparison of support scores."""
    lines = list(support_lines(names, folder))
    text = f"{table(SUPPORT_HEAD, lines)}\n\n{FEWER} Shares at a risk of {RISKS[1]:g}, cross-validated by document."
    publish("certify", text, arguments=" ".join([SUPPORTS, *names]), title="support scores")


def main() -> None:
    if sys.argv[1:2] == [SUPPORTS]:
        folder = realdata()
        if folder is None:
            raise SystemExit("the published answers are not here: set LONGDOC_REALDATA to their folder")
        compare_supports(sys.argv[2:] or ["overlap", "alignment", "embedding"], folder)
        return
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else realdata()
    rows = [line for answers in sets(folder) for line in lines(*answers)] if folder is not None else []
    if not rows:
        raise SystemExit("no published answers are here: set LONGDOC_REALDATA, or name the folder that has them")
    text = f"{table(HEAD, rows)}\n\n{FEWER} Answers withheld at a risk: cross-validated by document."
    publish("certify", text, arguments=" ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
