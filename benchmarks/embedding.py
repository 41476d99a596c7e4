"""How many chunks a second does `minilm` encode, and does it matter that this is done in bf16?

Chunks of 200 word pieces, and sentences, from all over nine novels and film scripts of real data. The ways take turns,
so that other load on the machine affects all of them; rates are medians of the rounds, and "times the first" that of
the ratios within a round, by the clock and by the processor time of all threads. "As people call it" is
`SentenceTransformer("…").encode(texts)`: fp32, 32 texts at a time. Cosines are with its vectors. Top-10 overlap: the
share of the ten best texts of a question's own story, by the vectors of one way for both, that are among its ten best
too. Run: python -m benchmarks.embedding [AUTO [FP32]]: by how much less processor time than sentence-transformers
longdoc is to encode chunks with dtype=auto (1.5) and with dtype=fp32 (1.25), whose cosines are to be 0.9999 at least
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import chunkers
from benchmarks.results import judge, publish, realdata, table
from models import encoders, hub
from models.encoders import Kind, Vectors
from models.neural.shared.limits import computes_bf16
from models.quiet import quiet

PIECES, BEST, ROUNDS = 200, 10, 3
OF_A_STORY = {"chunks": 18, "sentences": 60}  # texts, evenly over the story
FASTER, FASTER_FP32, NEAR = 1.5, 1.25, 0.9999
AUTO, FP32 = "longdoc, dtype=auto", "longdoc, dtype=fp32"

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
        FP32: ours(dtype="fp32", cache=False),
        AUTO: ours(cache=False),
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


def measure(what: str, known: Sequence[Story], all_ways: dict[str, Encode]) -> tuple[str, dict[str, float], float]:
    """A table of the ways; how many times as fast as the first each is by processor time; the lowest cosine in fp32."""
    texts = [text for story in known for text in story.texts]
    for name, encode in all_ways.items():
        encode(texts if name.endswith("kept") else texts[:32], "passage")  # loads the network, and fills the cache
    vectors: dict[str, Vectors] = {}
    rounds = [{name: timed(encode, texts, vectors, name) for name, encode in all_ways.items()} for _ in range(ROUNDS)]
    first, *_ = all_ways
    wanted = best(all_ways[first], known, vectors[first])
    rows, gains, lowest = [], {}, {}
    for name, encode in all_ways.items():
        rate = len(texts) / statistics.median(times[name][0] for times in rounds)
        wall, gains[name] = (statistics.median(a / b for a, b in pairs) for pairs in paired(rounds, first, name))
        near = cosines(vectors[name], vectors[first])
        lowest[name] = float(near.min())
        ranked = best(encode, known, vectors[name])
        overlap = sum(len(a & b) for a, b in zip(wanted, ranked, strict=True)) / sum(map(len, wanted))
        figures = [f"{rate:,.1f}", f"{wall:.2f}", f"{gains[name]:.2f}"]
        rows.append([name, *figures, f"{near.min():.5f}", f"{near.mean():.6f}", f"{overlap:.1%}"])
    head = [f"{len(texts):,} {what}", "a second", "times the first", "by processor time", "lowest cosine",
            "mean cosine", "top-10 overlap"]  # fmt: skip
    return table(head, rows), gains, lowest[FP32]


def wait_passively() -> None:
    """Before torch is imported: threads that wait for another sleep, so that processor time is work, not waiting."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def timed(encode: Encode, texts: list[str], vectors: dict[str, Vectors], name: str) -> tuple[float, float]:
    """Seconds by the clock, and of processor time; the vectors are kept by the name."""
    began, cpu = time.perf_counter(), time.process_time()
    vectors[name] = encode(texts, "passage")
    return time.perf_counter() - began, time.process_time() - cpu


def paired(
    rounds: Sequence[dict[str, tuple[float, float]]], first: str, name: str
) -> Iterator[list[tuple[float, float]]]:
    """The seconds of the first way and of another in each round: by the clock, then of processor time."""
    for kind in range(2):
        yield [(times[first][kind], times[name][kind]) for times in rounds]


def main(faster: float = FASTER, faster_fp32: float = FASTER_FP32) -> str:
    """Measure and check. Raises `SystemExit` where there is no data, and where ours is not so much faster, or near."""
    wait_passively()
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
            shown, gains, lowest = measure(what, stories(data / "narrativeqa", chunker, number), all_ways)
            lines += [shown, ""]
            for name, wanted in ((AUTO, faster), (FP32, faster_fp32)):
                goal = f"{shown}\n\n{name} is {gains[name]:.2f} times as fast, not {wanted:.2f}"
                judge(gains[name] < wanted, goal)
            if lowest < NEAR:
                raise SystemExit(f"{shown}\n\ncosines in fp32 are {lowest:.6f} at the lowest, not {NEAR}")
    able = "computes" if computes_bf16("cpu") else "does not compute"
    lines.append(f"The processor {able} in bf16; torch {torch.__version__} uses {torch.get_num_threads()} threads.")
    return "\n".join(lines)


if __name__ == "__main__":
    publish("embedding", main(*map(float, sys.argv[1:2])))
