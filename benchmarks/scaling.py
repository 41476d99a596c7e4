"""How do time and memory of a run grow with the length of documents, the number of questions and documents?

Books are made of paragraphs of real novels and film scripts (NarrativeQA's), each from another place on; a question is
ten words in a row of its book, the answer the three words after them. A run of `qa` ranks the passages of each book
with BM25 for its questions, and `lead` answers with the first words of the best: everything of a run but a model. The
sizes of an axis are run in one process, the smallest first, after a small run, so that imports are not timed; axes take
turns, and the median of the repeats is shown. The exponent is the slope of log(CPU seconds) over log(size) with its
95% interval (least squares, Student's t), over all sizes and over the four largest, where what a run takes in any case
weighs less: 1 is proportional. CPU seconds are those of the process: other load on the machine counts little. Memory is
the largest resident set of the process, libraries included.

    python -m benchmarks.scaling                                      # length, questions, documents
    python -m benchmarks.scaling memory                               # 100 and 350 books, 30 questions each

`memory` makes one run of each size with its report; `benchmarks.engines` has the workers. LONGDOC_REALDATA is the
folder of the real texts.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.results import publish, realdata, table
from longdoc.messages import counted

FACTORS = (1, 2, 4, 8, 16, 32, 64)
REPEATS = 3
QUESTION_WORDS, ANSWER_WORDS = 10, 3
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "scaling.svg"
RUN = """
import json, resource, sys, tempfile, time
from pathlib import Path
import pipelines
report, *folders = sys.argv[1:]
def run(data, out, report):
    start, used = time.perf_counter(), time.process_time()
    pipelines.run("qa", data=data, model="lead", retriever="bm25", k=10, out=out, report=report)
    return time.perf_counter() - start, time.process_time() - used
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
def measured(folder, out):
    seconds, cpu = run(folder / "rows.jsonl", out / "run", report == "report")
    return [seconds, cpu, peak(), before, {file.name: file.stat().st_size for file in (out / "run").iterdir()}]
if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as out:
        run(Path(folders[0]) / "small" / "rows.jsonl", Path(out) / "run", False)
    before = peak()
    for folder in folders:
        with tempfile.TemporaryDirectory() as out:
            print(json.dumps(measured(Path(folder), Path(out))), flush=True)
"""


@dataclass(frozen=True)
class Size:
    """The size of a run: documents, words of each, and questions about each."""

    documents: int
    words: int
    questions: int


SMALL = Size(1, 2_000, 2)
AXES: dict[str, Callable[[int], Size]] = {
    "length": lambda factor: Size(4, 5_625 * factor, 10),
    "questions": lambda factor: Size(2, 22_500, 10 * factor),
    "documents": lambda factor: Size(2 * factor, 22_500, 10),
}
MANY = (Size(100, 90_000, 30), Size(350, 90_000, 30))


@dataclass(frozen=True)
class RunCosts:
    """Seconds, CPU seconds and peak memory (MB) of a run; `before` is the peak before it, libraries and a small run."""

    seconds: float
    cpu: float
    peak: float
    before: float
    files: dict[str, int]  # bytes of those in the run's folder


@cache
def paragraphs() -> list[str]:
    """The paragraphs of the real texts, in order."""
    folder = realdata()
    if folder is None:
        sys.exit("the real texts are needed: set LONGDOC_REALDATA to their folder")
    files = sorted((folder / "narrativeqa" / "stories").glob("*.txt"))
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    return [one for text in texts for one in text.split("\n\n") if one.strip()]


def book(number: int, words: int) -> str:
    """A text of `words` words or more, up to the end of a paragraph; books of other numbers begin elsewhere."""
    parts, size, at = list[str](), 0, 1009 * number
    while size < words:
        paragraph = paragraphs()[at % len(paragraphs())]
        parts.append(paragraph)
        size, at = size + len(paragraph.split()), at + 1
    return "\n\n".join(parts)


def write(folder: Path, size: Size) -> Path:
    """The documents and the rows."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as file:
        for number in range(size.documents):
            text = book(number, size.words)
            (folder / f"{number}.txt").write_text(text, encoding="utf-8")
            words = text.split()
            for place in rng.integers(0, len(words) - QUESTION_WORDS - ANSWER_WORDS, size.questions).tolist():
                end = place + QUESTION_WORDS
                question, answer = " ".join(words[place:end]), " ".join(words[end : end + ANSWER_WORDS])
                row = {"document_path": f"{number}.txt", "question": f"{question}?", "answer": answer}
                file.write(json.dumps(row) + "\n")
    return folder


def data(root: Path, size: Size) -> Path:
    """A folder with the data of a run, and of the small one before it."""
    folder = root / f"{size.documents}-{size.words}-{size.questions}"
    if not folder.exists():
        write(folder, size)
        write(folder / "small", SMALL)
    return folder


def measure(folders: Sequence[Path], report: bool = False) -> list[RunCosts]:
    """The costs of runs in one process. The smaller runs come first, so that the peak after each is its own."""
    script = folders[0] / "run.py"
    script.write_text(RUN, encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, str(script), "report" if report else "", *map(str, folders)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"the run of {folders[0].name} failed:\n{process.stderr[-2000:]}")
    return [RunCosts(*json.loads(line)) for line in process.stdout.splitlines()[-len(folders) :]]


def median_run(runs: Sequence[RunCosts]) -> RunCosts:
    """The medians."""
    names = ("seconds", "cpu", "peak", "before")
    medians = {name: statistics.median(getattr(run, name) for run in runs) for name in names}
    return RunCosts(**medians, files=runs[0].files)


def exponent(factors: Sequence[int], seconds: Sequence[float]) -> str:
    """The slope of log(seconds) over log(factor), with its 95% interval."""
    from scipy import stats

    fitted = stats.linregress(np.log(factors), np.log(seconds))
    half = stats.t.ppf(0.975, len(factors) - 2) * fitted.stderr
    return f"{fitted.slope:.2f} [{fitted.slope - half:.2f}, {fitted.slope + half:.2f}]"


def axes(root: Path) -> None:
    """Length, questions and documents, ×1 to ×64; published after each repeat."""
    runs_by_point: dict[tuple[str, int], list[RunCosts]] = {(axis, factor): [] for axis in AXES for factor in FACTORS}
    for _ in range(REPEATS):
        for axis, size in AXES.items():
            runs = measure([data(root, size(factor)) for factor in FACTORS])
            for factor, run in zip(FACTORS, runs, strict=True):
                runs_by_point[axis, factor].append(run)
        medians = {point: median_run(runs) for point, runs in runs_by_point.items()}
        publish_axes(medians, len(runs_by_point["length", 1]))


def publish_axes(medians: dict[tuple[str, int], RunCosts], repeats: int) -> None:
    """The exponents, the points and the plot."""
    slopes, rows = [], []
    for axis, size in AXES.items():
        seconds = [medians[axis, factor].cpu for factor in FACTORS]
        slopes.append([axis, exponent(FACTORS, seconds), exponent(FACTORS[-4:], seconds[-4:])])
        for factor in FACTORS:
            run, point_size = medians[axis, factor], size(factor)
            counts = [
                f"{point_size.documents:,}",
                f"{point_size.words:,}",
                f"{point_size.documents * point_size.questions:,}",
            ]
            rows.append([f"{axis} ×{factor}", *counts, f"{run.cpu:.2f}", f"{run.seconds:.2f}", f"{run.peak:.0f}"])
    head = f"{unit_costs(medians)} Medians of {counted(repeats, 'run')}; "
    head += f"load of the machine at the end {os.getloadavg()[0]:.1f}.\n\n"
    text = table(["axis", "exponent, all sizes", "the four largest"], slopes) + "\n\n"
    text += table(["point", "documents", "words each", "questions", "CPU seconds", "seconds", "peak MB"], rows)
    publish("scaling", head + text)
    draw({axis: [medians[axis, factor].cpu for factor in FACTORS] for axis in AXES})


def unit_costs(medians: dict[tuple[str, int], RunCosts]) -> str:
    """What words and questions cost, from the differences between two sizes."""

    def cost_per(axis: str, count: Callable[[Size], int]) -> float:
        small, large = FACTORS[3], FACTORS[-1]
        more = count(AXES[axis](large)) - count(AXES[axis](small))
        return (medians[axis, large].cpu - medians[axis, small].cpu) / more

    words = 1e6 * cost_per("length", lambda size: size.documents * size.words)
    questions = 1e3 * cost_per("questions", lambda size: size.documents * size.questions)
    return f"A million words cost {words:.2f} CPU seconds, a question {questions:.1f} CPU milliseconds."


def draw(seconds: dict[str, list[float]]) -> None:
    """The plot, logarithmic on both axes, with a line of what is proportional."""
    from pipelines.display.plot_style import COLOURS, GREY, MARKERS
    from pipelines.display.plot_style import axes as plot_axes

    with plot_axes(PICTURE, (5.2, 3.4), "Time of a run without a model") as ax:
        low = min(min(line) for line in seconds.values())
        ax.plot(FACTORS, [low * factor for factor in FACTORS], color=GREY, linestyle="--", label="proportional")
        for number, (axis, line) in enumerate(seconds.items()):
            ax.plot(FACTORS, line, color=COLOURS[number], marker=MARKERS[number], label=axis)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_xticks(FACTORS, [f"×{factor}" for factor in FACTORS])
        ax.set_xlabel("size, times the smallest")
        ax.set_ylabel("CPU seconds")
        ax.grid(axis="both")
        ax.legend()


def memory(root: Path) -> None:
    """Many questions: the peak of a run with its report, and the size of its files."""
    (few, many) = measure([data(root, size) for size in MANY], report=True)
    rows = []
    for size, run in zip(MANY, (few, many), strict=True):
        title = f"{size.documents:,} books, {size.documents * size.questions:,} questions"
        peaks = (run.peak, run.before, run.peak - run.before)
        rows.append([title, f"{run.seconds:.0f}", f"{run.cpu:.0f}", *(f"{value:.0f}" for value in peaks)])
    fewer, more = MANY
    questions = more.documents * more.questions
    per_question = 1e3 * (many.peak - few.peak) / (questions - fewer.documents * fewer.questions)
    head = f"Books of {MANY[0].words:,} words; the report is written too. "
    head += "Before the run there are libraries and a run of two questions. "
    head += f"A question more takes {per_question:.1f} kB of memory.\n\n"
    text = head + table(["what", "seconds", "CPU seconds", "peak MB", "before it MB", "the run's own MB"], rows)
    sizes = [[f"`{name}`", f"{size / questions:,.0f}"] for name, size in sorted(many.files.items()) if size > questions]
    publish("scaling", f"{text}\n\n{table(['file', 'bytes a question'], sizes)}", "memory", "scaling: memory")


def main(arguments: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if arguments[:1] == ["memory"]:
            memory(root)
        else:
            axes(root)


if __name__ == "__main__":
    main(sys.argv[1:])
