"""Chroma's chunking evaluation: recall, precision and IoU of chunkers and retrievers, beside published figures.

Three of its five corpora, five chunks a question. Scores are those of its code (`chunking_scores`, `precision_omega`),
means over questions ± standard deviation; in the columns "sets" the formulas of its report over sets of characters. The
encoder is all-MiniLM-L6-v2, of whose tokens the sizes "minilm" are; as its library does, it reads the first 256 word
pieces of a chunk. Run: python -m benchmarks.chunking_evaluation
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pipelines
from benchmarks.results import publish, realdata, table, use_fp32
from models import hub

K = 5
STATE = "state_of_the_union"
ENCODER = "dense:long=cut"


@dataclass(frozen=True)
class Figure:
    """A published figure: its source, its chunks, the corpora, and recall, precision, IoU and PrecisionΩ."""

    source: str
    chunks: str
    on: str
    scores: tuple[str, str, str, str]


AUTHORS = "authors, in their repository"
OTHERS = "github.com/polinak1r/Chunking_Evaluation"
PUBLISHED = (
    Figure(AUTHORS, "250 tokens, 125 shared", "five corpora", ("82.2 ± 36.4", "3.5 ± 3.0", "3.5 ± 3.0", "11.4 ± 6.6")),
    Figure(
        AUTHORS, "recursive, 250, 125 shared", "five corpora", ("78.3 ± 39.5", "4.9 ± 4.5", "4.9 ± 4.5", "21.9 ± 14.9")
    ),
    Figure(OTHERS, "100 tokens (cl100k)", STATE, ("89.71 ± 23.91", "7.38 ± 5.36", "7.35 ± 5.35", "–")),
    Figure(OTHERS, "200 tokens (cl100k)", STATE, ("91.43 ± 24.54", "3.83 ± 2.74", "3.83 ± 2.73", "–")),
    Figure(OTHERS, "400 tokens (cl100k)", STATE, ("82.23 ± 37.75", "1.78 ± 1.48", "1.78 ± 1.48", "–")),
)


def chunkers() -> dict[str, str]:
    """Chunkers by the names they have in the table."""
    unit = f"unit={hub.folder('minilm').path}"
    return {
        "`tokens:size=250,stride=125`, minilm": f"tokens:size=250,stride=125,{unit}",
        "`tokens:size=250`, minilm": f"tokens:size=250,{unit}",
        "`tokens:size=100`, minilm": f"tokens:size=100,{unit}",
        "`tokens:size=200`, minilm": f"tokens:size=200,{unit}",
        "`tokens:size=400`, minilm": f"tokens:size=400,{unit}",
        "`sentences:size=250`, minilm": f"sentences:size=250,{unit}",
        "`sentences:size=200`, minilm": f"sentences:size=200,{unit}",
        "`tokens:size=200`, words": "tokens:size=200",
        "`tokens:size=400`, words": "tokens:size=400",
        "`paragraphs:size=200`, words": "paragraphs:size=200",
    }


def cells(data: Path, chunker: str, retriever: str, out: Path) -> list[str]:
    """The cells of a row: means ± standard deviations by the code, and means over sets."""
    run = pipelines.run("chunking_evaluation", data=data, chunker=chunker, retriever=retriever, k=K, out=out)
    run_scores = run.scores
    names = ("chunking_recall", "chunking_precision", "chunking_iou", "precision_omega")
    means = [f"{run_scores[name]:.2f} ± {run_scores[f'{name}_std']:.2f}" for name in names]
    sets = ("evidence_recall", "evidence_precision", "evidence_iou", "precision_omega_sets")
    return [*means, " / ".join(f"{run_scores[name]:.1f}" for name in sets)]


def rows(data: Path, retrievers: tuple[str, ...], folder: Path) -> list[list[str]]:
    """A row for each chunker and retriever."""
    return [
        [name, f"`{retriever}`", *cells(data, chunker, retriever, folder / f"{data.stem}-{number}-{place}")]
        for place, retriever in enumerate(retrievers)
        for number, (name, chunker) in enumerate(chunkers().items())
    ]


def main() -> int:
    """Measure, print and publish; 1 without the corpora."""
    use_fp32()
    data = realdata()
    if data is None or not (data / "chunking_evaluation").is_dir():
        print("the corpora are not there: set LONGDOC_REALDATA", file=sys.stderr)
        return 1
    folder = data / "chunking_evaluation"
    head = ["chunks", "ranked by", "recall", "precision", "IoU", "PrecisionΩ", "sets: recall / precision / IoU / Ω"]
    with tempfile.TemporaryDirectory() as runs:
        whole = rows(folder, (ENCODER, "bm25"), Path(runs))
        single = rows(folder / f"{STATE}.md", (ENCODER,), Path(runs))
    published = [[one.chunks, one.on, *one.scores, one.source] for one in PUBLISHED]
    text = "\n\n".join(
        (
            (__doc__ or "").partition(" Run:")[0].strip(),
            "Three corpora, 276 questions (chatlogs, state_of_the_union, wikitexts):",
            table(head, whole),
            f"{STATE} alone, 76 questions:",
            table(head, single),
            "Published, with the same encoder and five chunks:",
            table(["chunks", "on", "recall", "precision", "IoU", "PrecisionΩ", "source"], published),
            "What differs: the authors' figures are of five corpora, two of them (finance, pubmed) not here, whose "
            "chunks are ranked together, so that chunks of other corpora are retrieved too; here a question is asked "
            "of its own corpus. Their chunks are cut at tokens of GPT-4, wherever these end, and ours at words, with "
            "no more than the size in tokens of the encoder. The recursive splitter packs lines and sentences, as "
            "`sentences` does.",
        )
    )
    publish("chunking_evaluation", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
