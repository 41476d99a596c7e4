"""What does truncating passages at the encoder's limit cost, and how much do windows recover?

Chunks of 200 words, the encoder `minilm`, which reads 256 word pieces. For each family of real data: how many chunks
are longer, and the share of their word pieces that truncation loses. If the data have evidence: evidence recall of
`dense` with `long="cut"` and with `long="windows"` on the same questions, and the mean difference with its standard
error over documents. Run: python -m benchmarks.encoder_limit
"""

import ast
import json
import math
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chunkers
from benchmarks.results import publish, realdata, table
from chunkers import Chunk
from pipelines import sources, tasks
from pipelines.metrics.evidence_recall import EvidenceRecall
from pipelines.records import Document, Example
from retrievers.dense import Dense

CHUNKER = "tokens:size=200"
WAYS = ("cut", "windows")


@dataclass(frozen=True)
class Family:
    """`k` chunks of each document are retrieved; 0: none, because the data have no evidence."""

    name: str
    documents: list[list[Example]]
    k: int = 0


def by_task(task: str, path: Path, split: str = "test") -> list[list[Example]]:
    """The examples of a file or folder, grouped by document."""
    declared = tasks.get(task)
    return grouped(sources.load(declared.name, declared.dataset, path, split).examples())


def grouped(examples: Iterable[Example]) -> list[list[Example]]:
    groups: dict[str, list[Example]] = {}
    for example in examples:
        groups.setdefault(example.document.id, []).append(example)
    return list(groups.values())


def texts(folder: Path, pattern: str) -> list[list[Example]]:
    """Texts without questions."""
    files = sorted(folder.glob(pattern))
    return [[Example(file.name, Document(file.name, file.read_text("utf-8", "replace")))] for file in files]


def chunking_evaluation(folder: Path) -> Iterator[Example]:
    """Questions with evidence spans in a corpus."""
    for file in sorted(folder.glob("*.questions.jsonl")):
        name = file.name.partition(".")[0]
        document = Document(name, (folder / f"{name}.md").read_text("utf-8"))
        for number, line in enumerate(file.read_text("utf-8").splitlines()):
            row = json.loads(line)
            spans = tuple((one["start_index"], one["end_index"]) for one in row["references"])
            yield Example(f"{name}-{number}", document, row["question"], evidence=spans)


def loogle(file: Path) -> Iterator[Example]:
    """Questions with the sentences that answer them; a question whose sentences are not in the text is left out."""
    for index, line in enumerate(file.read_text("utf-8").splitlines()):
        row = json.loads(line)
        document = Document(f"loogle-{index}", row["input"])
        for number, pair in enumerate(ast.literal_eval(row["qa_pairs"])):
            sentence = pair["S"].strip() if isinstance(pair["S"], str) else ""
            start = document.text.find(sentence) if sentence else -1
            if start >= 0:
                spans = ((start, start + len(sentence)),)
                yield Example(f"{index}-{number}", document, pair["Q"], evidence=spans)


def families(folder: Path) -> list[Family]:
    return [
        Family("hotpotqa", by_task("hotpotqa", folder / "hotpotqa" / "hotpot_distractor_80.jsonl"), 2),
        Family("musique", by_task("zero_scrolls/musique", folder / "musique"), 2),
        Family("qasper", by_task("scrolls/qasper", folder / "qasper"), 5),
        Family("contract_nli", by_task("scrolls/contract_nli", folder / "contract_nli"), 2),
        Family("qmsum", by_task("scrolls/qmsum", folder / "qmsum"), 5),
        Family("chunking_evaluation", grouped(chunking_evaluation(folder / "chunking_evaluation")), 5),
        Family("loogle, short dependency", grouped(loogle(folder / "loogle" / "shortdep_qa.jsonl")), 5),
        Family("narrativeqa", by_task("narrativeqa", folder / "narrativeqa")),
        Family("quality", by_task("scrolls/quality", folder / "quality")),
        Family("squality", by_task("zero_scrolls/squality", folder / "squality", "validation")),
        Family("gov_report", by_task("scrolls/gov_report", folder / "gov_report")),
        Family("summ_screen", by_task("scrolls/summ_screen_fd", folder / "summ_screen")),
        Family("vlsp", by_task("vlsp", folder / "vlsp")),
        Family("character_archetype", by_task("character_types", folder / "character_archetype")),
        Family("style_change", by_task("style_change", folder / "style_change" / "pan23_hard")),
        Family("translation_en_de", by_task("opensubtitles", folder / "translation_en_de" / "films")),
        Family("lara", texts(folder / "lara" / "documents", "*.txt")),
        Family("nocha", texts(folder / "nocha", "*.txt")),
    ]


def chunks_of(document: Document) -> list[Chunk]:
    return chunkers.get(CHUNKER).split(document.text)


def shares(dense: Dense, documents: Sequence[Sequence[Example]]) -> tuple[int, int, float]:
    """Chunks, those over the limit, and the percentage of word pieces that truncation loses."""
    chunk_texts = [chunk.text for examples in documents for chunk in chunks_of(examples[0].document)]
    splits = dense.split(chunk_texts, "passage") or []
    over = sum(one.beyond > 0 for one in splits)
    return len(splits), over, 100 * sum(one.beyond for one in splits) / sum(one.tokens for one in splits)


def recalls(dense: Dense, examples: Sequence[Example], k: int) -> list[float]:
    """Evidence recall of each question of one document that has evidence."""
    chunks = chunks_of(examples[0].document)
    index, metric = dense.index(chunks), EvidenceRecall()
    questions = [example for example in examples if example.evidence and example.query.strip()]
    _, ids = index.search([example.query for example in questions], k)
    selected = [json.dumps([[chunks[i].start, chunks[i].end] for i in row]) for row in ids.tolist()]
    return [metric.statistics(spans, one)["evidence_recall"] for one, spans in zip(questions, selected, strict=True)]


def measured(family: Family) -> list[str]:
    """The family's row of the table."""
    counted, over, beyond = shares(Dense(), family.documents)
    line = [family.name, f"{len(family.documents)}", f"{counted:,}", f"{100 * over / counted:.1f}", f"{beyond:.1f}"]
    with_evidence = [some for some in family.documents if any(one.evidence and one.query.strip() for one in some)]
    if not family.k:
        return [*line, *["–"] * 5]
    values = {long: [recalls(Dense(long=long), some, family.k) for some in with_evidence] for long in WAYS}
    means = {long: statistics.fmean(value for some in values[long] for value in some) for long in WAYS}
    gain, error = difference(values["cut"], values["windows"])
    questions = sum(map(len, values["cut"]))
    columns = [f"{means[long]:.2f}" for long in WAYS]
    difference_text = f"{gain:+.2f}" if math.isnan(error) else f"{gain:+.2f} ± {error:.2f}"
    return [*line, f"{questions}", f"{family.k}", *columns, difference_text]


def _with_progress(family: Family) -> list[str]:
    line = measured(family)
    print(" ".join(line), file=sys.stderr)
    return line


def difference(cut: Sequence[Sequence[float]], windows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The mean gain over all questions, and its standard error with documents as the units (a ratio estimate)."""
    gains = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(cut, windows, strict=True)]
    total, n = sum(map(len, gains)), len(gains)
    mean = sum(map(sum, gains)) / total
    if n < 2:
        return mean, math.nan
    squares = sum((sum(some) - mean * len(some)) ** 2 for some in gains)
    return mean, math.sqrt(squares * n / (n - 1)) / total


def main() -> None:
    folder = realdata()
    if folder is None:
        sys.exit("encoder_limit: no folder of real examples (LONGDOC_REALDATA), nothing to measure")
    lines = [_with_progress(family) for family in families(folder)]
    head = ["family", "documents", "chunks", "% over", "% of pieces beyond", "questions", "k", *WAYS, "gain ± s.e."]
    about = (
        f"Retriever `dense` (minilm, {Dense().lengths([])[0].limit} word pieces), chunker `{CHUNKER}`. "
        f"Evidence recall of the k best chunks with `long=cut` and `long=windows`; a dash: the data have no evidence. "
        "The standard error is over documents.\n\n"
    )
    publish("encoder_limit", about + table(head, lines))


if __name__ == "__main__":
    main()
