"""Does a question find its sentence where it has other forms of the words, in twenty languages?

The texts were written for this (`languages.jsonl`): four or five sentences on as many things, and questions that name
one of these in another number, case or tense than the text does, or without its accents. Half of the texts may be
looked at when something is chosen; the other half is only measured. The leading sentence of `ask` without a model is
right where it has the words that the question's row gives; the ranker where the sentence that it ranks first has them.
Run: python -m benchmarks.languages
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chunkers
import pipelines
import retrievers
from benchmarks.results import publish, table
from pipelines.records import Document
from pipelines.tasks.own_data import RETRIEVER

FILE = Path(__file__).with_suffix(".jsonl")
HALVES = ("choose", "held")


def rows() -> Iterator[tuple[str, str, bool, bool]]:
    """Of each question its language and half, and whether the leading sentence and the first one ranked are right."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        chunks = chunkers.get("units:of=sentence").split(entry["text"])
        ranking = retrievers.get(RETRIEVER).index(chunks)
        documents = pipelines.index(Document("text", entry["text"]))
        for question, right in entry["questions"]:
            scores, ids = ranking.search([question], 1)
            ranked = scores[0, 0] > 0 and right in chunks[ids[0, 0]].text
            yield entry["language"], entry["half"], right in documents.ask(question).text, bool(ranked)


def main() -> None:
    """Count what is right by language."""
    counts: dict[str, Counter[str]] = {}
    for language, half, leads, ranked in rows():
        for name in (language, "all"):
            counts.setdefault(name, Counter()).update({half: 1, f"{half} leads": leads, f"{half} ranked": ranked})
    counts["all"] = counts.pop("all")
    head = ["language", *(f"{half}: {kind}" for half in HALVES for kind in ("leads", "ranked first"))]
    lines = [
        [language, *(f"{count[f'{half} {kind}']} of {count[half]}" for half in HALVES for kind in ("leads", "ranked"))]
        for language, count in counts.items()
    ]
    publish("languages", table(head, lines))


if __name__ == "__main__":
    main()
