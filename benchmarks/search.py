"""Search among 100,000 vectors, or a million: FAISS by itself beside `dense`, exact and approximate.

Vectors of 384 numbers stand around 2,000 centres, as those of texts about some subjects do; queries are near vectors.
Each way is measured in a process of its own: its memory is what the process has more than before it got the vectors,
once the index is built. Queries a second are of a batch, and of one query after the other. recall@10 is the share of
the ten nearest by an exact search. `dense` ranks by scores in float64 with ties by position, whatever finds its
candidates. Run: python -m benchmarks.search [million]
"""

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.results import publish, table
from chunkers import Chunk
from models.encoders import Kind, Vectors

DIMENSIONS, CENTRES, BEST = 384, 2_000, 10
SPREAD = 0.06  # of each of the numbers around a centre, whose length is 1
SIZES = {"": (100_000, 500), "million": (1_000_000, 50)}  # vectors, queries in a batch
SINGLE = 30  # queries one after the other
CELLS, PROBES = 1_024, 16  # of an inverted file

Ids = npt.NDArray[np.int64]
Search = Callable[[Vectors], Ids]


@dataclass(frozen=True)
class Given:
    """An encoder of numbers: the vector of the text "7" is the seventh."""

    passages: Vectors
    queries: Vectors

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """float32 [texts, 384]."""
        return (self.queries if kind == "query" else self.passages)[list(map(int, texts))]

    def identity(self) -> Mapping[str, Any]:
        """Nothing is kept of these."""
        return {"given": len(self.passages)}


def drawn(size: int, queries: int) -> tuple[Vectors, Vectors]:
    """Vectors of length 1, and queries."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((CENTRES, DIMENSIONS), np.float32) / DIMENSIONS**0.5
    vectors = centres[rng.integers(0, CENTRES, size)]
    for start in range(0, size, 100_000):
        part = vectors[start : start + 100_000]
        part += SPREAD * rng.standard_normal(part.shape, np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    near = vectors[rng.integers(0, size, queries)]
    asked = near + SPREAD / 2 * rng.standard_normal(near.shape, np.float32)
    return vectors, asked / np.linalg.norm(asked, axis=1, keepdims=True)


def flat(vectors: Vectors, queries: Vectors) -> Search:
    """FAISS, every inner product."""
    import faiss

    index: Any = faiss.IndexFlatIP(DIMENSIONS)
    index.add(vectors)
    return lambda asked: np.asarray(index.search(asked, BEST)[1])


def inverted(vectors: Vectors, queries: Vectors) -> Search:
    """FAISS, the cells nearest to the query alone."""
    import faiss

    index: Any = faiss.index_factory(DIMENSIONS, f"IVF{CELLS},Flat", faiss.METRIC_INNER_PRODUCT)
    index.train(vectors[: 64 * CELLS])
    index.add(vectors)
    index.nprobe = PROBES
    return lambda asked: np.asarray(index.search(asked, BEST)[1])


def graph(vectors: Vectors, queries: Vectors) -> Search:
    """FAISS, a graph of neighbours."""
    import faiss

    index: Any = faiss.IndexHNSWFlat(DIMENSIONS, 32, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efSearch = 64
    index.add(vectors)
    return lambda asked: np.asarray(index.search(asked, BEST)[1])


def dense(backend: str) -> Callable[[Vectors, Vectors], Search]:
    """longdoc's retriever with one of its backends."""

    def build(vectors: Vectors, queries: Vectors) -> Search:
        import retrievers

        numbers = {query.tobytes(): str(number) for number, query in enumerate(queries)}
        retriever = retrievers.get({"name": "dense", "model": Given(vectors, queries), "backend": backend})
        index = retriever.index([Chunk(str(number), 0, 1) for number in range(len(vectors))])
        index.search(["0"], BEST)  # the backend is made at the first search

        def search(asked: Vectors) -> Ids:
            retriever._recent_queries.clear()  # type: ignore[attr-defined]
            return np.asarray(index.search([numbers[query.tobytes()] for query in asked], BEST)[1])

        return search

    return build


WAYS: dict[str, Callable[[Vectors, Vectors], Search]] = {
    "FAISS, `IndexFlatIP`": flat,
    "`dense:backend=faiss`": dense("faiss"),
    "`dense:backend=torch`": dense("torch"),
    f"FAISS, `IVF{CELLS}`, {PROBES} cells": inverted,
    "FAISS, `IndexHNSWFlat`": graph,
}
LEFT_OUT = {
    ("million", "FAISS, `IndexHNSWFlat`"): "not measured: its graph takes longer to build than this benchmark may last"
}


def resident() -> float:
    """MB of memory that the process has now."""
    status = Path("/proc/self/statm").read_text(encoding="ascii")
    return int(status.split()[1]) * resource.getpagesize() / 1e6


def measured(name: str, folder: str) -> tuple[Ids, list[str]]:
    """What a way finds, and its cells: seconds to build, MB, queries a second in a batch and one by one."""
    import faiss  # noqa: F401
    import torch  # noqa: F401

    before = resident()
    vectors, queries = (np.load(Path(folder) / f"{part}.npy") for part in ("vectors", "queries"))
    began = time.perf_counter()
    search = WAYS[name](vectors, queries)
    built = time.perf_counter() - began
    del vectors
    memory = resident() - before
    began = time.perf_counter()
    ids = search(queries)
    batch = len(queries) / (time.perf_counter() - began)
    began = time.perf_counter()
    for query in queries[:SINGLE]:
        search(query[None])
    single = SINGLE / (time.perf_counter() - began)
    return ids, [f"{built:,.1f}", f"{memory:,.0f}", f"{batch:,.1f}", f"{single:,.1f}"]


def rows(kind: str) -> list[list[str]]:
    """A row for each way."""
    size, queries = SIZES[kind]
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        for name, part in zip(("vectors", "queries"), drawn(size, queries), strict=True):
            np.save(Path(folder) / f"{name}.npy", part)
        exact: Ids | None = None
        for name in WAYS:
            if reason := LEFT_OUT.get((kind, name)):
                shown.append([name, reason, *["–"] * 4])
                continue
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                ids, cells = pool.apply(measured, (name, folder))
            exact = ids if exact is None else exact
            recall = np.mean([len(np.intersect1d(a, b)) / BEST for a, b in zip(ids, exact, strict=True)])
            shown.append([name, *cells, f"{recall:.1%}"])
    return shown


def main(arguments: Sequence[str]) -> None:
    """Measure and publish."""
    kind = "million" if "million" in arguments else ""
    size, queries = SIZES[kind]
    head = ["way", "seconds to build", "MB", "queries a second, batch", "one by one", f"recall@{BEST}"]
    about = f"{size:,} vectors of {DIMENSIONS} numbers ({size * DIMENSIONS * 4 / 1e6:,.0f} MB), {queries} queries."
    title = ": ".join(filter(None, ["search", kind]))
    publish("search", f"{about}\n\n{table(head, rows(kind))}", kind, title)


if __name__ == "__main__":
    main(sys.argv[1:])
