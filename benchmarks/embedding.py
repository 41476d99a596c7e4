"""How many chunks a second does `minilm` encode, and does it matter that this is done in bf16?

Chunks of 200 word pieces, and sentences, from all over nine novels and film scripts of real data. The ways take turns,
so that other load on the machine affects all of them; rates are medians of the rounds. "As people call it" is
`SentenceTransformer("…").encode(texts)`: fp32, 32 texts at a time. Cosines are with its vectors. Top-10 overlap: the
share of the ten best texts of a question's own story, by the vectors of one way for both, that are among its ten best
too. Run: python -m benchmarks.embedding [FASTER]: sentence-transformers is to be slower by this factor (1.5)
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import chunkers
from benchmarks.results import publish, realdata, table
from models import encoders, hub
from models.encoders import Kind, Vectors
from models.neural.shared.limits import computes_bf16
from models.quiet import quiet

PIECES, BEST, ROUNDS = 200, 10, 3
OF_A_STORY = {"chunks": 18, "sentences": 60}  # texts, evenly over the story
FASTER = 1.5

Encode = Callable[[list[str], Kind], Vectors]


@dataclass(frozen=True)
class Story:
    texts: list[str]
    questions: list[str]


def stories(folder: Path, chunker: chunkers.Chunker, texts: int) -> list[Story]:
    """Some of the chunks of each story, and its questions."""
    asked: dict[str, list[str]] = {}
    for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        asked.setdefault(row["story"], []).append(row["question"])
    found = []
    for name, questions in asked.items():
        chunks = chunker.split((folder / name).read_text("utf-8", "replace"))
        some = np.linspace(0, len(chunks) - 1, min(texts, len(chunks))).astype(int).tolist()
        found.append(Story([chunks[at].text for at in some], questions))
    return found


def theirs(dtype: str) -> Encode:
    """sentence-transformers as people call it; its vectors have length 1."""
    import sentence_transformers
    import torch

    options = {"dtype": getattr(torch, dtype)}
    with quiet():
        model = sentence_transformers.SentenceTransformer(str(hub.folder("minilm").path), model_kwargs=options)
    return lambda texts, kind: np.asarray(model.encode(texts, show_progress_bar=False), np.float32)


def ours(**fields: str | bool) -> Encode:
    encoder = encoders.get("minilm", **fields)
    return lambda texts, kind: encoder.encode(texts, kind)


def ways() -> dict[str, Encode]:
    return {
        "sentence-transformers, as people call it": theirs("float32"),
        "sentence-transformers in bf16": theirs("bfloat16"),
        "longdoc, dtype=fp32": ours(dtype="fp32", cache=False),
        "longdoc, dtype=auto": ours(cache=False),
        "longdoc, dtype=auto, vectors kept": ours(),
    }


def best(encode: Encode, known: Sequence[Story], vectors: Vectors) -> list[set[int]]:
    """The ten best texts of each question."""
    found, start = [], 0
    for story in known:
        own = vectors[start : start + len(story.texts)]
        start += len(story.texts)
        scores = encode(story.questions, "query") @ own.T
        found += [set(row.tolist()) for row in np.argsort(-scores, axis=1, kind="stable")[:, :BEST]]
    return found


def cosines(vectors: Vectors, exact: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(exact, axis=1)
    return np.asarray((vectors * exact).sum(axis=1) / lengths)


def measure(what: str, known: Sequence[Story], all_ways: dict[str, Encode]) -> tuple[str, float]:
    """A table of the ways, and how many times as fast as theirs ours is."""
    texts = [text for story in known for text in story.texts]
    seconds: dict[str, list[float]] = {name: [] for name in all_ways}
    vectors: dict[str, Vectors] = {}
    for name, encode in all_ways.items():
        encode(texts if name.endswith("kept") else texts[:32], "passage")  # loads the network, and fills the cache
    for _ in range(ROUNDS):
        for name, encode in all_ways.items():
            began = time.perf_counter()
            vectors[name] = encode(texts, "passage")
            seconds[name].append(time.perf_counter() - began)
    rates = {name: len(texts) / statistics.median(some) for name, some in seconds.items()}
    first, *_ = all_ways
    wanted = best(all_ways[first], known, vectors[first])
    rows = []
    for name, encode in all_ways.items():
        near = cosines(vectors[name], vectors[first])
        ranked = best(encode, known, vectors[name])
        overlap = sum(len(a & b) for a, b in zip(wanted, ranked, strict=True)) / sum(map(len, wanted))
        figures = [f"{rates[name]:,.1f}", f"{rates[name] / rates[first]:.2f}"]
        rows.append([name, *figures, f"{near.min():.5f}", f"{near.mean():.6f}", f"{overlap:.1%}"])
    head = [f"{len(texts):,} {what}", "a second", "times the first", "lowest cosine", "mean cosine", "top-10 overlap"]
    return table(head, rows), rates["longdoc, dtype=auto"] / rates[first]


def main(faster: float = FASTER) -> str:
    """Measure and check. Raises `SystemExit` where there is no data, and where ours is not so much faster."""
    import torch

    data = realdata()
    if data is None:
        raise SystemExit("no real data: set LONGDOC_REALDATA to their folder")
    tokenizer = str(hub.folder("minilm").path)
    units = {
        f"chunks of {PIECES} word pieces": (chunkers.get("tokens", size=PIECES, unit=tokenizer), OF_A_STORY["chunks"]),
        "sentences": (chunkers.get("units:of=sentence"), OF_A_STORY["sentences"]),
    }
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LONGDOC_CACHE"] = folder
        all_ways = ways()
        for what, (chunker, number) in units.items():
            shown, gain = measure(what, stories(data / "narrativeqa", chunker, number), all_ways)
            lines += [shown, ""]
            if gain < faster:
                raise SystemExit(f"{shown}\n\nlongdoc is {gain:.2f} times as fast, not {faster:.2f}")
    able = "computes" if computes_bf16("cpu") else "does not compute"
    lines.append(f"The processor {able} in bf16; torch {torch.__version__} uses {torch.get_num_threads()} threads.")
    return "\n".join(lines)


if __name__ == "__main__":
    publish("embedding", main(*map(float, sys.argv[1:2])))
