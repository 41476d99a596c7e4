"""Whole document or retrieval, of a small model behind a local server, on QuALITY, LaRA and NoCha.

The server (benchmarks/small_server.py) refuses prompts over 30,000 words, so that NoCha's whole books have no answer.
The model picks sentences and options by all-MiniLM-L6-v2; prices (a dollar per million words in, ten per million out)
are made up. So this shows the table, not what a language model would do. QuALITY's first 12 examples, LaRA's first 15;
the part of the data is that of LONGDOC_REALDATA.
Run: python -m benchmarks.versus_served
"""

import os
from pathlib import Path

import pipelines
from benchmarks import small_server
from benchmarks.versus import publish_tables
from pipelines.results.conditions.condition_table import ConditionTable


def served(data: Path, folder: Path) -> list[tuple[str, ConditionTable]]:
    """A small model behind a local server, the first examples of each task."""
    tables = []
    os.environ.setdefault("OPENAI_API_KEY", "none")  # the server asks for none
    with small_server.serving(small_server.SmallModel()) as url:
        model = {"name": "openai", "model": "minilm", "base_url": url, "prices": {"input": 1.0, "output": 10.0}}
        for task, place, limit, select, asks in (
            ("scrolls/quality", "quality/quality_dev_50.json", 12, [300, 1000], "{query}\n{options}"),
            ("lara/location", "lara", 15, [300, 1000], "{query}"),
            ("nocha", "nocha", None, [100, 300], "CLAIM: {query}"),
        ):
            found = pipelines.versus(
                task, data=data / place, model=model, prompt=asks + small_server.DOCUMENT, limit=limit, select=select,
                metrics=["f1"] if task.startswith("lara") else None, out=folder / f"{task.replace('/', '-')}-served",
                report=False,
            )  # fmt: skip
            words = ",".join(map(str, select))
            named = f"`longdoc versus {task} --data {place} --model openai:minilm,base_url=… --select {words}`"
            tables.append((f"{named} (small model behind a server)", found))
    return tables


def main() -> None:
    """Ask, compare, write the tables to RESULTS.md."""
    publish_tables("versus_served", __doc__, served)


if __name__ == "__main__":
    main()
