"""How fast is each encoder, and how much gold evidence does it find: a network in fp32, bf16 or int8, or a table.

Speed is that of chunks of 200 word pieces from nine novels and film scripts, as in `benchmarks.embedding`, whose ways
take turns; the ratios are medians of those within a round, by the clock and by the processor time of all threads.
Evidence recall is that of `dense` over `tokens:size=100` on some of ContractNLI's contracts, at 300 words a question
(`benchmarks.evidence`). int8 is torch's dynamic quantization of the linear layers of sentence-transformers' network,
which longdoc does not offer; the time of `static` leaves out its distillation, which is done once. The time of `tfidf`
is that of its index. Run: python -m benchmarks.encoders
"""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import chunkers
import retrievers
from benchmarks.embedding import PIECES, cosines, stories, wait_passively
from benchmarks.evidence_families import FAMILIES, Asked, System, measure, questions
from benchmarks.results import FEWER, publish, realdata, table
from chunkers import Chunk
from models import encoders, hub
from models.encoders import Kind, Vectors
from models.neural.shared.limits import computes_bf16
from models.quiet import quiet

OF_A_STORY, ROUNDS, CONTRACTS, SEED = 6, 5, 24, 0
FAMILY = next(family for family in FAMILIES if family.name == "ContractNLI")
CHUNKER = "tokens:size=100"
FIRST = "sentence-transformers, fp32"


@dataclass(frozen=True)
class Theirs:
    """An encoder that calls sentence-transformers' own `encode`."""

    name: str
    model: Any

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """float32 [texts, dimensions]."""
        return np.asarray(self.model.encode(list(texts), show_progress_bar=False), np.float32)

    def identity(self) -> Mapping[str, Any]:
        """The name."""
        return {"theirs": self.name}


@dataclass(frozen=True)
class TfIdf:
    """The ranker by words, of which the index takes the place of vectors."""

    def encode(self, texts: Sequence[str], kind: Kind) -> None:
        """Index the texts."""
        retrievers.get("tfidf").index([Chunk(text, 0, len(text)) for text in texts])


def theirs() -> Theirs:
    """sentence-transformers in fp32."""
    import sentence_transformers

    with quiet():
        return Theirs("fp32", sentence_transformers.SentenceTransformer(str(hub.folder("minilm").path), device="cpu"))


def int8() -> Theirs:
    """sentence-transformers with linear layers in int8."""
    import torch
    from torch.ao import quantization

    model = theirs().model
    return Theirs("int8", quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8))


def bf16() -> encoders.Encoder:
    """longdoc's in bf16, where that is computed by the processor itself."""
    if not computes_bf16("cpu"):
        raise RuntimeError("this processor does not compute in bf16")
    return encoders.get("minilm", dtype="bf16", device="cpu", cache=False)


WAYS: dict[str, Callable[[], Any]] = {
    FIRST: theirs,
    "`minilm`, fp32": lambda: encoders.get("minilm", dtype="fp32", device="cpu", cache=False),
    "`minilm`, bf16": bf16,
    "sentence-transformers, int8": int8,
    "`static`": lambda: encoders.get("static"),
    "`tfidf`": TfIdf,
}


def loaded() -> tuple[dict[str, Any], dict[str, str]]:
    """The encoders by their names, each called once; and why the others are missing."""
    systems, reasons = {}, {}
    for name, load in WAYS.items():
        try:
            systems[name] = load()
            systems[name].encode(["a first text"], "passage")
        except (RuntimeError, ImportError, AttributeError, NotImplementedError) as error:
            systems.pop(name, None)
            reasons[name] = str(error).partition("\n")[0][:200]
    return systems, reasons


def timed(encoder: Any, texts: Sequence[str]) -> tuple[float, float, Any]:
    """Seconds by the clock and of processor time, and the vectors."""
    began, cpu = time.perf_counter(), time.process_time()
    vectors = encoder.encode(texts, "passage")
    return time.perf_counter() - began, time.process_time() - cpu, vectors


def speeds(systems: Mapping[str, Any], texts: Sequence[str]) -> dict[str, list[str]]:
    """Chunks a second, times the first by both kinds of time, and the cosines with its vectors."""
    rounds = [{name: timed(encoder, texts) for name, encoder in systems.items()} for _ in range(ROUNDS)]
    exact, cells = rounds[0][FIRST][2], {}
    for name in systems:
        rate = len(texts) / statistics.median(times[name][0] for times in rounds)
        ratios = [statistics.median(times[FIRST][kind] / times[name][kind] for times in rounds) for kind in range(2)]
        vectors = rounds[0][name][2]
        is_alike = vectors is not None and vectors.shape == exact.shape
        near = cosines(vectors, exact) if is_alike else None
        shown = ["–", "–"] if near is None else [f"{near.min():.5f}", f"{near.mean():.6f}"]
        cells[name] = [f"{rate:,.1f}", *(f"{ratio:,.2f}" for ratio in ratios), *shown]
    return cells


def contracts(folder: Path) -> list[Asked]:
    """Some of the contracts, drawn by a seed."""
    every = questions(FAMILY, folder)
    return random.Random(SEED).sample(every, min(CONTRACTS, len(every)))


def recalls(systems: Mapping[str, Any], documents: Sequence[Asked]) -> dict[str, str]:
    """Evidence recall by name."""
    rankers = [
        System(name, CHUNKER, "tfidf" if isinstance(encoder, TfIdf) else {"name": "dense", "model": encoder})
        for name, encoder in systems.items()
    ]
    measured = measure(documents, rankers, [FAMILY.budget])
    return {name: ranking.recall(FAMILY.budget) for name, ranking in measured.items()}


def main() -> None:
    """Measure and publish."""
    wait_passively()
    data = realdata()
    if data is None:
        raise SystemExit("no real data: set LONGDOC_REALDATA to their folder")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LONGDOC_CACHE"] = folder
        began = time.perf_counter()
        encoders.get("static").encode(["a first text"], "passage")
        distilled = time.perf_counter() - began
        systems, reasons = loaded()
    chunker = chunkers.get("tokens", size=PIECES, unit=str(hub.folder("minilm").path))
    texts = [text for story in stories(data / "narrativeqa", chunker, OF_A_STORY) for text in story.texts]
    documents = contracts(data)
    cells, recall = speeds(systems, texts), recalls(systems, documents)
    rows = [
        [name, *cells[name], recall[name]] if name in cells else [name, f"not measured: {reasons[name]}", *["–"] * 5]
        for name in WAYS
    ]
    head = ["encoder", "chunks a second", "times the first", "by processor time", "lowest cosine", "mean cosine",
            "evidence recall"]  # fmt: skip
    asked = sum(len(examples) for _, examples in documents)
    about = f"{len(texts)} chunks; {len(documents)} contracts, {asked:,} questions. {FEWER}"
    publish("encoders", f"{about}\n\n{table(head, rows)}\n\nDistilling `static` took {distilled:.0f} seconds.")


if __name__ == "__main__":
    main()
