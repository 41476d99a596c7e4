"""Changes that must not change any score: the order of the data, their parts, batches, workers, caches, engines.

A run of made examples is done once as it is and once for each change; the predictions and rows of every example are
compared, and the scores of the whole with those of the halves' rows together.
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
    """What is run: `given` are arguments of `pipelines.run`, with `model` a mapping where it has a `network`.

    `network` is the tiny model of `tests.tiny_models` that the reader loads.
    """

    name: str
    given: Mapping[str, Any]
    network: str | None = None

    def arguments(self, folders: Mapping[str, Path]) -> dict[str, Any]:
        """The arguments, with the network's folder."""
        given = dict(self.given)
        if self.network:
            given["model"] = given["model"] | {"model": str(folders[self.network])}
        return given


class Outcome(NamedTuple):
    """The records of all predictions by id, and the scores."""

    rows: Rows
    scores: Mapping[str, float]


def examples(documents: int) -> list[Example]:
    """Three questions about each document: prose, hostile stretches, and a sentence with the answer to each."""
    made = []
    for d in range(documents):
        answers = [f"chest {d * 3 + q}" for q in range(3)]
        parts = [random_text(f"{SEED} {d} {q}", 300, surrogates=False) for q in range(4)]
        told = [f"\nRoom {d}{q} holds {answer}. " for q, answer in enumerate(answers)]
        document = Document(f"d{d}", parts[0] + "".join(one + part for one, part in zip(told, parts[1:], strict=True)))
        made += [
            Example(f"{d}-{q}", document, f"What does Room {d}{q} hold?", (answer, f"a {answer}"))
            for q, answer in enumerate(answers)
        ]
    return made


def run(data: Sequence[Example], out: Path, **given: Any) -> Outcome:
    """The outcome of a run, without the times and places in it."""
    result = pipelines.run("qa", data=list(data), out=out, metrics=list(METRICS), report=False, **given)
    lines = (out / "predictions.jsonl").read_text(encoding="utf-8").split("\n")
    return Outcome({one["id"]: one for one in map(json.loads, filter(None, lines))}, result.scores)


@contextmanager
def cache(folder: Path) -> Iterator[None]:
    """LONGDOC_CACHE for a while: a new folder has nothing in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGDOC_CACHE", str(folder))
        yield


Change = Callable[[list[Example], Path, dict[str, Any]], Outcome]


def with_engine(engine: str) -> Change:
    return lambda data, out, given: run(data, out, **given, engine=engine)


def other_order(data: list[Example], out: Path, given: dict[str, Any]) -> Outcome:
    """Documents in another order, and the questions of each."""
    return run(random.Random(SEED).sample(data, len(data)), out, **given)


def in_halves(data: list[Example], out: Path, given: dict[str, Any]) -> Outcome:
    """Two runs; the scores are those of the rows of both."""
    middle = len(data) // 6 * 3  # between two documents
    halves = [run(part, out / str(i), **given).rows for i, part in enumerate((data[:middle], data[middle:]))]
    rows = halves[0] | halves[1]
    scores: dict[str, float] = {}
    for name in METRICS:
        scores |= metrics.get(name).aggregate([row["statistics"][name] for row in rows.values()])
    return Outcome(rows, scores)


def in_batches(tokens: int) -> Change:
    """The network reads so many padded tokens together."""

    def change(data: list[Example], out: Path, given: dict[str, Any]) -> Outcome:
        return run(data, out, **given | {"model": given["model"] | {"batch_tokens": tokens}})

    return change


def two_threads(data: list[Example], out: Path, given: dict[str, Any]) -> Outcome:
    """Two threads of torch's compute each operation."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        return run(data, out, **given)
    finally:
        torch.set_num_threads(before)


def cache_read_only(data: list[Example], out: Path, given: dict[str, Any]) -> Outcome:
    """Nothing that was computed is kept."""
    os.environ["LONGDOC_CACHE"] = "/proc/nowhere"  # put back by `cache`
    return run(data, out, **given)


CHANGES: dict[str, Change] = {
    "other order": other_order,
    "in halves": in_halves,
    "one worker": with_engine("local:workers=1"),
    "four workers": with_engine("local:workers=4"),
    "two processes": with_engine("local:processes=2"),
    "ray": with_engine("ray:readers=1"),
    "no cache": cache_read_only,
}
OF_NETWORKS: dict[str, Change] = {
    "other order": other_order,
    "in halves": in_halves,
    "batches of 60 tokens": in_batches(60),
    "batches of 2,000 tokens": in_batches(2000),
    "two threads": two_threads,
}


def _settings(dtype: str) -> tuple[Setting, ...]:
    of_both = {"device": "cpu", "dtype": dtype}
    passages = {"chunker": "sentences:12", "retriever": "bm25", "k": 2, "max_new_tokens": 12}
    return (
        Setting(f"seq2seq {dtype}, stuff", {"model": {"name": "seq2seq"} | of_both} | passages, "t5"),
        Setting(
            f"seq2seq {dtype}, map_reduce",
            {"model": {"name": "seq2seq"} | of_both, "strategy": "map_reduce"} | passages, "bart",
        ),
        Setting(f"causal {dtype}, stuff", {"model": {"name": "causal"} | of_both} | passages, "llama"),
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


def difference(one: Outcome, other: Outcome) -> Difference:
    """What differs between two outcomes. Raises `AssertionError` where an example is missing."""
    assert one.rows.keys() == other.rows.keys()
    assert one.scores.keys() == other.scores.keys()
    pairs = [(one.rows[id], other.rows[id]) for id in one.rows]
    return Difference(
        len(pairs),
        sum(a != b for a, b in pairs),
        sum(a["prediction"] != b["prediction"] for a, b in pairs),
        max(abs(one.scores[name] - other.scores[name]) for name in one.scores),
    )


def changes_of(setting: Setting) -> dict[str, Change]:
    """The changes of a setting: how documents are prepared for a network is what runs without weights show."""
    return OF_NETWORKS if setting.network else CHANGES


def tried(
    setting: Setting, names: Sequence[str], documents: int, folder: Path, folders: Mapping[str, Path]
) -> dict[str, Difference]:
    """What each of some changes does to a setting."""
    data, given = examples(documents), setting.arguments(folders)
    with cache(folder / "cache"):
        whole = run(data, folder / "run", **given)
    found = {}
    for number, name in enumerate(names):
        with cache(folder / f"cache {number}"):
            found[name] = difference(whole, changes_of(setting)[name](data, folder / str(number), given))
    return found
