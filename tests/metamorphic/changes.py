"""Changes that must not change any score: the order of the data, their parts, batches, workers, caches, engines.

Generated examples are run once without and once with each change. The records and predictions of every example are
compared, and so are the scores; for halves, those of the rows of both.
"""

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pipelines
from pipelines import metrics
from pipelines.records import Document, Example
from tests.random_texts import random_text

SEED = 18
METRICS = ("f1", "rouge", "bleu-4", "meteor:wordnet=false", "answer_recall")
Rows = Mapping[str, dict[str, Any]]


@dataclass(frozen=True)
class Setting:
    """Arguments of `pipelines.run`, and the tiny model of `tests.tiny_models` that the reader loads, if any.

    With a `network`, the argument `model` is a mapping without the folder.
    """

    name: str
    base_arguments: Mapping[str, Any]
    network: str | None = None

    def arguments(self, folders: Mapping[str, Path]) -> dict[str, Any]:
        """The arguments, with the network's folder."""
        arguments = dict(self.base_arguments)
        if self.network:
            arguments["model"] = arguments["model"] | {"model": str(folders[self.network])}
        return arguments


class Outcome(NamedTuple):
    """The records of all predictions by id, and the scores."""

    rows: Rows
    scores: Mapping[str, float]


def examples(documents: int) -> list[Example]:
    """Three questions about each document, which has random text and a sentence with the answer to each."""
    result = []
    for d in range(documents):
        answers = [f"chest {d * 3 + q}" for q in range(3)]
        parts = [random_text(f"{SEED} {d} {q}", 300, surrogates=False) for q in range(4)]
        sentences = [f"\nRoom {d}{q} holds {answer}. " for q, answer in enumerate(answers)]
        text = parts[0] + "".join(sentence + part for sentence, part in zip(sentences, parts[1:], strict=True))
        document = Document(f"d{d}", text)
        result += [
            Example(f"{d}-{q}", document, f"What does Room {d}{q} hold?", (answer, f"a {answer}"))
            for q, answer in enumerate(answers)
        ]
    return result


def run(data: Sequence[Example], out: Path, **arguments: Any) -> Outcome:
    """Run the examples; return the outcome, which has no times and paths."""
    result = pipelines.run("qa", data=list(data), out=out, metrics=list(METRICS), report=False, **arguments)
    lines = (out / "predictions.jsonl").read_text(encoding="utf-8").split("\n")
    return Outcome({row["id"]: row for row in map(json.loads, filter(None, lines))}, result.scores)


@contextmanager
def cache(folder: Path) -> Iterator[None]:
    """Set LONGDOC_CACHE to a folder within the context."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGDOC_CACHE", str(folder))
        yield


Change = Callable[[list[Example], Path, dict[str, Any]], Outcome]


def with_engine(engine: str) -> Change:
    return lambda data, out, arguments: run(data, out, **arguments, engine=engine)


def other_order(data: list[Example], out: Path, arguments: dict[str, Any]) -> Outcome:
    """The examples in a random order."""
    return run(random.Random(SEED).sample(data, len(data)), out, **arguments)


def in_halves(data: list[Example], out: Path, arguments: dict[str, Any]) -> Outcome:
    """Two runs of half the examples; the scores are computed from the rows of both."""
    middle = len(data) // 6 * 3  # between two documents
    halves = [run(part, out / str(i), **arguments).rows for i, part in enumerate((data[:middle], data[middle:]))]
    rows = halves[0] | halves[1]
    scores: dict[str, float] = {}
    for name in METRICS:
        scores |= metrics.get(name).aggregate([row["statistics"][name] for row in rows.values()])
    return Outcome(rows, scores)


def in_batches(tokens: int) -> Change:
    """Batches of so many padded tokens."""

    def change(data: list[Example], out: Path, arguments: dict[str, Any]) -> Outcome:
        return run(data, out, **arguments | {"model": arguments["model"] | {"batch_tokens": tokens}})

    return change


def two_threads(data: list[Example], out: Path, arguments: dict[str, Any]) -> Outcome:
    """Two threads of torch for each operation."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        return run(data, out, **arguments)
    finally:
        torch.set_num_threads(threads)


def cache_read_only(data: list[Example], out: Path, arguments: dict[str, Any]) -> Outcome:
    """A cache folder that cannot be written to."""
    os.environ["LONGDOC_CACHE"] = "/proc/nowhere"  # `cache` restores it
    return run(data, out, **arguments)


CHANGES: dict[str, Change] = {
    "other order": other_order,
    "in halves": in_halves,
    "one worker": with_engine("local:workers=1"),
    "four workers": with_engine("local:workers=4"),
    "two processes": with_engine("local:processes=2"),
    "ray": with_engine("ray:readers=1"),
    "no cache": cache_read_only,
}
NETWORK_CHANGES: dict[str, Change] = {
    "other order": other_order,
    "in halves": in_halves,
    "batches of 60 tokens": in_batches(60),
    "batches of 2,000 tokens": in_batches(2000),
    "two threads": two_threads,
}


def _settings(dtype: str) -> tuple[Setting, ...]:
    shared = {"device": "cpu", "dtype": dtype}
    passages = {"chunker": "sentences:12", "retriever": "bm25", "k": 2, "max_new_tokens": 12}
    return (
        Setting(f"seq2seq {dtype}, stuff", {"model": {"name": "seq2seq"} | shared} | passages, "t5"),
        Setting(
            f"seq2seq {dtype}, map_reduce",
            {"model": {"name": "seq2seq"} | shared, "strategy": "map_reduce"} | passages, "bart",
        ),
        Setting(f"causal {dtype}, stuff", {"model": {"name": "causal"} | shared} | passages, "llama"),
    )  # fmt: skip


WITHOUT_WEIGHTS = (
    Setting("extractive, bm25", {"model": "extractive", "chunker": "sentences:20", "retriever": "bm25", "k": 3}),
    Setting("textrank, tfidf, map_reduce", {
        "model": "textrank", "chunker": "tokens:30", "retriever": "tfidf", "k": 3, "strategy": "map_reduce",
    }),
    Setting("naive, truncate", {"model": "naive", "chunker": "truncate:60"}),
    Setting("extractive, random, vote", {
        "model": "extractive", "chunker": "paragraphs:40", "retriever": "random", "k": 3, "strategy": "vote",
    }),
    Setting("lead, links, refine", {
        "model": "lead", "chunker": "units:of=sentence", "retriever": "links", "k": 3, "strategy": "refine",
    }),
)  # fmt: skip
FP32, BF16 = _settings("fp32"), _settings("bf16")


class Difference(NamedTuple):
    """How many examples have another record or another prediction, and the largest difference of a score."""

    examples: int
    records: int
    predictions: int
    score: float


def difference(first: Outcome, second: Outcome) -> Difference:
    """The difference of two outcomes. Raises `AssertionError` if an example is missing."""
    assert first.rows.keys() == second.rows.keys()
    assert first.scores.keys() == second.scores.keys()
    pairs = [(first.rows[id], second.rows[id]) for id in first.rows]
    return Difference(
        len(pairs),
        sum(a != b for a, b in pairs),
        sum(a["prediction"] != b["prediction"] for a, b in pairs),
        max(abs(first.scores[name] - second.scores[name]) for name in first.scores),
    )


def changes_of(setting: Setting) -> dict[str, Change]:
    """The changes that are tried with a setting: runs without weights already cover the preparation of documents."""
    return NETWORK_CHANGES if setting.network else CHANGES


def differences_of(
    setting: Setting, names: Sequence[str], documents: int, folder: Path, folders: Mapping[str, Path]
) -> dict[str, Difference]:
    """Run a setting without and with each of these changes; return the differences by change."""
    data, arguments = examples(documents), setting.arguments(folders)
    with cache(folder / "cache"):
        unchanged = run(data, folder / "run", **arguments)
    differences = {}
    for number, name in enumerate(names):
        with cache(folder / f"cache {number}"):
            differences[name] = difference(unchanged, changes_of(setting)[name](data, folder / str(number), arguments))
    return differences
