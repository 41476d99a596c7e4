"""What published predictions say over the length of the document, where a score over all of them is a point.

LaRA's predictions with the whole document and by retrieval of the same model, over the shorter and the longer half of
the reports that are there: is there a length from which on retrieval wins? BABILong's by their lengths: up to which one
does a model keep 85% of its score without other text? Run: python -m benchmarks.published_curves [FOLDER]
(LONGDOC_REALDATA); in FOLDER are lara and babilong.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import FEWER, publish, realdata, table
from pipelines import curve
from pipelines.display.numbers import MISSING
from pipelines.results.curves.curve_set import Curve, CurveSet, crossover_interval

MODELS = ("gpt-4o", "gpt-4o-mini", "llama-3.1-8b", "qwen2.5-7b-instruct")
TASKS = {"location": "location", "reasoning": "reasoning", "comparison": "comp", "hallucination": "hallu"}
HALVES = 2
BABILONG = ("microsoft/Phi-3-mini-128k-instruct", "google/gemini-3-flash-preview")


def lara_rows(folder: Path) -> Iterator[list[str]]:
    """A row for each model and level: F1 in both halves by both ways, and the crossover."""
    for task, level in TASKS.items():
        for model in MODELS:
            files = [folder / "predictions" / model / f"{way}_32k_financial_{level}.jsonl" for way in ("full", "rag")]
            curves = curve(files, task=f"lara/{task}", data=folder, bins=HALVES)
            (row,) = curves.crossovers
            value = "" if row.crossover is None or row.crossover.value is None else f"{row.crossover.value:,.0f}"
            kind = "" if row.crossover is None or value else f"none: {row.crossover.kind}"
            scores = [point_text(each, number) for number in range(HALVES) for each in curves.curves]
            yield [task, model, *scores, value or kind, crossover_interval(row.crossover)]


def point_text(drawn: Curve, number: int) -> str:
    """A point's score with its interval; a dash where there is none."""
    point = drawn.points.get(number)
    return MISSING if point is None else f"{point.score:.1f} {point.interval or ''}".strip()


def babilong_rows(folder: Path) -> Iterator[list[str]]:
    """A row for each model and task: the score at each length, and the effective length."""
    for task in ("qa1", "qa3"):
        for model in BABILONG:
            curves = curve(sorted((folder / "predictions" / model).glob(f"{task}_*.csv")), task="babilong")
            (drawn,) = curves.curves
            points = ", ".join(
                f"{curves.bins[number].low:,.0f}: {point.score:.1f}" for number, point in drawn.points.items()
            )
            yield [task, model.partition("/")[2], points, *effective_texts(curves, drawn)]


def effective_texts(curves: CurveSet, drawn: Curve) -> list[str]:
    """The effective length and its interval."""
    last = drawn.effective
    if last is None or last.low is None or last.high is None:
        return [MISSING, MISSING]
    value, low, high = (f"{curves.bins[number].low:,.0f}" for number in (last.bin, last.low, last.high))
    return [value, f"{low} to {high}"]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else realdata()
    if folder is None:
        sys.exit("there are no published predictions here: give their folder")
    lara = list(lara_rows(folder / "lara"))
    heads = ["task", "model", "shorter, whole", "shorter, retrieval", "longer, whole", "longer, retrieval",
             "retrieval wins from", "interval"]  # fmt: skip
    text = (
        "LaRA: F1 of the shorter and the longer half of the reports, with the whole document and by retrieval, and the "
        f"number of words from which on retrieval wins. {FEWER}\n\n{table(heads, lara)}\n\n"
        "BABILong: right outputs by tokens of other text, and the last length with 85% of the first score.\n\n"
    )
    text += table(["task", "model", "right", "kept up to", "interval"], list(babilong_rows(folder / "babilong")))
    publish("published_curves", text)


if __name__ == "__main__":
    main()
