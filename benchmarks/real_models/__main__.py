"""What real models answer by each way to read a document, at equal numbers of words shown.

Run: python -m benchmarks.real_models [--ask MODEL=ADDRESS] [--cells NAME …] [--questions N] (LONGDOC_REALDATA).
MODEL names the folder of the outputs, ADDRESS is a server's, such as http://127.0.0.1:8091. Cells are asked whose name
begins with one of NAME, "hotpotqa-bm25" say; all by default. Every part that ends is kept below `outputs`, and the
table is made of what is kept.
"""

import argparse
from collections.abc import Iterator

from benchmarks.real_models import outputs
from benchmarks.real_models.cells import SETS, Cell, cells
from benchmarks.real_models.outputs import Output, ask, kept
from benchmarks.results import FEWER, interval, publish, realdata, table
from models.apis.sending.server_address import reader_at
from pipelines import metrics
from pipelines.display.numbers import MISSING
from pipelines.records import Example
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.paired import paired

BASELINES = ("bm25", "bm25 sentences")
HEAD = [
    "questions", "way", "words shown", "n", "score", *(f"less {name}" for name in BASELINES), "evidence shown",
    "prompt tokens", "cached",
]  # fmt: skip
ABOUT = f"""Models behind llama.cpp's server, Q4_K_M, greedy, longdoc's own words. The passages of first, tfidf and bm25
have 100 words, bm25 sentences ranks sentences, oracle shows the sentences that the data mark as evidence. Score: F1 of
HotpotQA, MuSiQue and NarrativeQA, correct options of QuALITY. Questions are drawn by seed by their documents, and the
same for every way; cells that were not asked are left out. The differences are paired, p is two-sided by exchange
within documents. Evidence shown is the share of the gold evidence's characters; prompt tokens are a question's, as the
server counts them. {FEWER}"""


def main(asked: str | None, names: list[str], number: int) -> None:
    folder = realdata()
    if folder is None:
        raise SystemExit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    sets = {name: of_set.examples(folder) for name, of_set in SETS.items()}
    if asked is not None:
        model, _, address = asked.partition("=")
        reader = reader_at(address)
        for name, examples in sets.items():
            for cell in cells(name):
                if not names or cell.file_name.startswith(tuple(names)):
                    ask(model, reader, cell, examples[:number])
    models = sorted(path.name for path in outputs.FOLDER.iterdir()) if outputs.FOLDER.exists() else []
    tables = [f"### {model}\n\n{table(HEAD, list(lines(model, sets)))}" for model in models]
    publish("real_models", "\n\n".join([ABOUT, *tables]))


def lines(model: str, sets: dict[str, list[Example]]) -> Iterator[list[str]]:
    """The rows of a model's table: the cells that were asked."""
    for name, examples in sets.items():
        by_id = {example.id: example for example in examples}
        for cell in cells(name):
            if found := kept(model, cell):
                baselines = [kept(model, Cell(name, way, cell.budget)) if way != cell.way else {} for way in BASELINES]
                yield line(cell, found, baselines, by_id)


def line(
    cell: Cell, found: dict[str, Output], baselines: list[dict[str, Output]], examples: dict[str, Example]
) -> list[str]:
    """A cell's row: its score, and how it differs from each baseline at the same budget on the questions of both."""
    metric = metrics.get(SETS[cell.set_name].metric)
    rows = outputs.rows(cell, found, examples)
    documents = {name: examples[name].document.id for name in rows}
    bounds = intervals(metric, list(rows.values()), list(documents.values()))
    score, value = next(iter(metric.aggregate(list(rows.values())).items()))
    row = [cell.set_name, cell.way, str(cell.budget or 0), str(len(rows)), f"{value:.1f} {interval(bounds.get(score))}"]
    for baseline in baselines:
        others = outputs.rows(cell, baseline, examples)
        both = [name for name in rows if name in others]
        row.append(MISSING)
        if both:
            pair = [others[name] for name in both], [rows[name] for name in both]
            apart = paired(metric, *pair, [documents[name] for name in both])[score]
            row[-1] = f"{apart.value:+.1f} {interval(apart.interval)}, p = {apart.p:.3f}"
    return [*row, *_counts(list(found.values()))]


def _counts(found: list[Output]) -> list[str]:
    """The share of the evidence that was shown, tokens of a prompt, and the share of them from the server's cache."""
    marked = [output.shown / output.evidence for output in found if output.evidence]
    tokens = sum(output.tokens for output in found)
    return [
        f"{100 * sum(marked) / len(marked):.1f} %" if marked else MISSING,
        f"{tokens / len(found):.0f}",
        f"{100 * sum(output.cached for output in found) / max(tokens, 1):.0f} %",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", metavar="MODEL=ADDRESS")
    parser.add_argument("--cells", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    main(given.ask, given.cells, given.questions)
