"""Readers without weights on very long papers, whole or by sections, and Table 2 of MuLD (Hudson and Al Moubayed 2022).

Our scores are on 16 of its papers, the table's on all. METEOR needs WordNet (`benchmarks.wordnet`).
Run: python -m benchmarks.vlsp (LONGDOC_REALDATA).
"""

import json
import sys
import tempfile
from pathlib import Path

import pipelines
from benchmarks.results import FEWER, bounded, command, publish, realdata, table
from benchmarks.wordnet import wordnet
from chunkers.sections import Sections

METRICS = ("bleu-1", "bleu-4", "rouge-l", "meteor")
READERS = ("lead", "textrank", "naive")
WAYS = (  # strategy, chunker, output length of a request
    ("stuff", "whole", 256),
    ("map", "sections:level=1,keep=body", 32),
    ("map", "sections:level=1,keep=body", 16),
    ("map", "sections:level=1,keep=body,size=512", 32),
    ("map", "sections:keep=body,size=512", 32),
)
PAPER = (["T5, Table 2", "", "", "", "", "", "28.85", "0.84", "16.55", "7.98", "", ""],
         ["Longformer, Table 2", "", "", "", "", "", "46.74", "3.05", "19.52", "9.58", "", ""])  # fmt: skip
HEAD = ["reader", "strategy", "chunker", "length", "requests", "words out", *METRICS, "seconds", "command"]


def row(data: Path, reader: str, strategy: str, chunker: str, length: int) -> list[str]:
    """A row of the table: requests and words of output per paper, scores, and seconds from the call to its end."""
    arguments = {"model": reader, "strategy": strategy, "chunker": chunker, "max_new_tokens": length}
    with tempfile.TemporaryDirectory() as folder:
        result = pipelines.run("vlsp", data=data, out=Path(folder) / "run", **arguments)
        with (result.folder / "predictions.jsonl").open(encoding="utf-8") as lines:
            predictions = [json.loads(line) for line in lines]
        scores = [bounded(result.folder, name) if name in result.scores else "–" for name in METRICS]
    words = sum(len(one["prediction"].split()) for one in predictions) / len(predictions)
    requests = sum(one["requests"] for one in predictions) / len(predictions)
    return [
        reader, strategy, chunker, str(length), f"{requests:.0f}", f"{words:.0f}", *scores, f"{result.seconds:.1f}",
        command("vlsp", "vlsp", **arguments),
    ]  # fmt: skip


def remarks(papers: list[Path]) -> str:
    """Remarks on papers that were not split as usual."""
    by_paper = [(path.name, Sections(level=1, keep="body").remark(path.read_text(encoding="utf-8"))) for path in papers]
    return "\n".join(f"- {name.split('.main')[0]}: {remark}" for name, remark in by_paper if remark)


def main() -> None:
    folder = realdata()
    if folder is None:
        sys.exit("no papers found: set LONGDOC_REALDATA to the folder of real data, with vlsp/<id>.main.txt in it")
    wordnet()
    papers = sorted((folder / "vlsp").glob("*.main.txt"))
    rows = [row(folder / "vlsp", reader, *way) for reader in READERS for way in WAYS]
    head = (
        f"{len(papers)} papers, two references each (where they differ); length: of each request's output, in words. "
        "Ours copy sentences, and theses repeat phrases of their abstracts: hence four-grams that T5 and Longformer "
        "lack. A chapter is one request; with size=512 one of more words is split, as a reader of that limit needs. "
        "METEOR is by nltk's rules, which weigh recall 9 to 1, so that long outputs lose little; the paper has Meteor "
        f"1.3, whose numbers differ from nltk's by many points: do not compare the two. {FEWER}\n\n"
    )
    publish("vlsp", head + table(HEAD, [*rows, *map(list, PAPER)]) + "\n\n" + remarks(papers))


if __name__ == "__main__":
    main()
