"""Whole document or retrieval: one reader by every way on QuALITY, LaRA and NoCha, and published systems beside.

The readers have no weights: `choices` picks an option, `extractive` a span; `dense` ranks by all-MiniLM-L6-v2. So the
first tables say what retrieval does to readers of words, not what a language model would do. The others are of the
published predictions of language models, which LaRA's and NoCha's authors got with whole documents and with retrieval.
Scores are as `longdoc versus` prints them; the part of the data is that of LONGDOC_REALDATA.
Run: python -m benchmarks.versus
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import INTERVALS_NOTE, publish, realdata, use_fp32
from pipelines.display import markdown
from pipelines.plugins.versus.condition_table import ConditionTable

RETRIEVERS = ["bm25", "dense"]
LEVELS = ("location", "reasoning", "comparison", "hallucination")
SHORT = {"comparison": "comp", "hallucination": "hallu"}
MODEL = "gpt-4o"  # of LaRA's predictions
SYSTEMS = {"whole": "gemini", "claude, whole": "claude", "bm25 top 5, gpt4o": "bm25-gpt4o-top5",
           "bm25 top 25, gpt4o": "bm25-gpt4o-top25", "bm25 top 50, gpt4o": "bm25-gpt4o-top50"}  # fmt: skip


def reader_tables(data: Path, folder: Path) -> list[tuple[str, ConditionTable]]:
    """The scores of readers without weights under every condition."""
    tables = []
    for task, reader, path, retriever_names, metrics in (
        ("scrolls/quality", "choices", "quality/quality_dev_50.json", RETRIEVERS, None),
        ("lara/location", "extractive", "lara", RETRIEVERS, ["f1"]),
        ("scrolls/qasper", "extractive", "qasper/qasper_5_papers.json", RETRIEVERS, ["f1"]),
        ("nocha", "extractive", "nocha", ["bm25"], None),
    ):
        arguments: dict[str, Any] = {
            "data": data / path,
            "retriever": retriever_names,
            "metrics": metrics,
            "report": False,
        }
        condition_table = pipelines.versus(task, model=reader, out=folder / task.replace("/", "-"), **arguments)
        command = f"`longdoc versus {task} --data {path} --model {reader} --retriever {','.join(retriever_names)}`"
        tables.append((f"{command} (reader without weights)", condition_table))
    return tables


def published_tables(data: Path, folder: Path) -> list[tuple[str, ConditionTable]]:
    """The published predictions of LaRA and NoCha."""
    tables = []
    for level in LEVELS:
        name = f"32k_financial_{SHORT.get(level, level)}.jsonl"
        files = {way: data / f"lara/predictions/{MODEL}/{way}_{name}" for way in ("full", "rag")}
        condition_table = pipelines.versus(
            f"lara/{level}", predictions=files, metrics=["f1"], out=folder / f"lara-{level}-given", report=False
        )
        options = ",".join(f"{way}={way}_{name}" for way in files)
        tables.append((f"`longdoc versus lara/{level} --predictions {options}` ({MODEL}, published)", condition_table))
    claims = data / "nocha/claims.jsonl"
    systems = {label: f"{claims}::{system}" for label, system in SYSTEMS.items()}
    condition_table = pipelines.versus("nocha", predictions=systems, out=folder / "nocha-given", report=False)
    options = ",".join(f'"{label}"=claims.jsonl::{system}' for label, system in SYSTEMS.items())
    tables.append((f"`longdoc versus nocha --predictions {options}` (published)", condition_table))
    return tables


def publish_tables(
    name: str, doc: str | None, compare: Callable[[Path, Path], list[tuple[str, ConditionTable]]]
) -> None:
    """Write to RESULTS.md the tables, with titles, that a function makes of the real data in a temporary folder."""
    data = realdata()
    if data is None:
        sys.exit("no real examples: name their folder in LONGDOC_REALDATA")
    with tempfile.TemporaryDirectory() as folder:
        text = [str(doc).rpartition("\nRun:")[0].strip(), INTERVALS_NOTE]
        text += [f"{title}\n\n{markdown.text(comparison)}" for title, comparison in compare(data, Path(folder))]
    publish(name, "\n\n".join(text))


def main() -> None:
    """Ask, compare, write the tables to RESULTS.md."""
    use_fp32()
    publish_tables(
        "versus", __doc__, lambda data, folder: [*reader_tables(data, folder), *published_tables(data, folder)]
    )


if __name__ == "__main__":
    main()
