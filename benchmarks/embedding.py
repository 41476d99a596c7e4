"""How many chunks a second does `minilm` encode, and does it matter that this is done in bf16?

Chunks of 200 word pieces, and sentences, from all over nine novels and film scripts of real data. The ways take turns,
so that other load on the machine affects all of them; rates are medians of the rounds, and "times the first" that of
the ratios within a round, by the clock and by the processor time of all threads. "As people call it" is
`SentenceTransformer("…").encode(texts)`: fp32, 32 texts at a time. Cosines are with its vectors. Top-10 overlap: the
share of its ten best texts of a question's own story that are also among the ten best by the vectors of another way.
Run: python -m benchmarks.embedding [AUTO [FP32]]. AUTO and FP32 say how many times as fast as sentence-transformers
longdoc must encode chunks, by processor time: with dtype=auto (1.5) and with dtype=fp32 (1.25). The cosines of fp32
must be at least 0.9999.
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
from longdoc.quiet import quiet
from models import encoders, hub
from models.encoders import Kind, Vectors
from models.neural.shared.limits import computes_bf16

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
    questions_by_story: dict[str, list[str]] = {}
    for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        questions_by_story.setdefault(row["story"], []).append(row["question"])
    result = []
    for name, questions in questions_by_story.items():
        chunks = chunker.split((folder / name).read_text("utf-8", "replace"))
        places = np.linspace(0, len(chunks) - 1, min(texts, len(chunks))).astype(int).tolist()
        result.append(Story([chunks[at].text for at in places], questions))
    return result


def with_sentence_transformers(dtype: str) -> Encode:
    """sentence-transformers as people call it; its vectors have length 1."""
    import sentence_transformers
    import torch

    options = {"dtype": getattr(torch, dtype)}
    with quiet():
        model = sentence_transformers.SentenceTransformer(str(hub.folder("minilm").path), model_kwargs=options)
    return lambda texts, kind: np.asarray(model.encode(texts, show_progress_bar=False), np.float32)


def with_longdoc(**fields: str | bool) -> Encode:
    encoder = encoders.get("minilm", **fields)
    return lambda texts, kind: encoder.encode(texts, kind)


def ways() -> dict[str, Encode]:
    return {
        "sentence-transformers, as people call it": with_sentence_transformers("float32"),
        "sentence-transformers in bf16": with_sentence_transformers("bfloat16"),
        FP32: with_longdoc(dtype="fp32", cache=False),
        AUTO: with_longdoc(cache=False),
        "longdoc, dtype=auto, vectors kept": with_longdoc(),
    }


def best(encode: Encode, all_stories: Sequence[Story], vectors: Vectors) -> list[set[int]]:
    """The ten best texts of each question."""
    best_texts, start = [], 0
    for story in all_stories:
        own = vectors[start : start + len(story.texts)]
        start += len(story.texts)
        scores = encode(story.questions, "query") @ own.T
        best_texts += [set(row.tolist()) for row in np.argsort(-scores, axis=1, kind="stable")[:, :BEST]]
    return best_texts


def cosines(vectors: Vectors, exact: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(exact, axis=1)
    return np.asarray((vectors * exact).sum(axis=1) / lengths)


def measure(
    unit: str, all_stories: Sequence[Story], all_ways: dict[str, Encode]
) -> tuple[str, dict[str, float], float]:
    """The table of the ways, their speeds relative to the first (by processor time), and the lowest cosine in fp32."""
    texts = [text for story in all_stories for text in story.texts]
    for name, encode in all_ways.items():
        encode(texts if name.endswith("kept") else texts[:32], "passage")  # loads the network, and fills the cache
    vectors: dict[str, Vectors] = {}
    rounds = [{name: timed(encode, texts, vectors, name) for name, encode in all_ways.items()} for _ in range(ROUNDS)]
    first, *_ = all_ways
    best_of_first = best(all_ways[first], all_stories, vectors[first])
    rows, gains, lowest = [], {}, {}
    for name, encode in all_ways.items():
        rate = len(texts) / statistics.median(times[name][0] for times in rounds)
        wall, gains[name] = (statistics.median(a / b for a, b in pairs) for pairs in paired(rounds, first, name))
        near = cosines(vectors[name], vectors[first])
        lowest[name] = float(near.min())
        best_of_way = best(encode, all_stories, vectors[name])
        overlap = sum(len(a & b) for a, b in zip(best_of_first, best_of_way, strict=True)) / sum(
            map(len, best_of_first)
        )
        figures = [f"{rate:,.1f}", f"{wall:.2f}", f"{gains[name]:.2f}"]
        rows.append([name, *figures, f"{near.min():.5f}", f"{near.mean():.6f}", f"{overlap:.1%}"])
    head = [f"{len(texts):,} {unit}", "a second", "times the first", "by processor time", "lowest cosine",
            "mean cosine", "top-10 overlap"]  # fmt: skip
    return table(head, rows), gains, lowest[FP32]


def wait_passively() -> None:
    """Let threads sleep while they wait, so that processor time is work. To be called before torch is imported."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def timed(encode: Encode, texts: list[str], vectors: dict[str, Vectors], name: str) -> tuple[float, float]:
    """Seconds by the clock, and of processor time; the vectors are stored in `vectors` under the name."""
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
    """Measure and check. Raises `SystemExit` without data, and where longdoc is too slow or its cosines too low."""
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
        for unit, (chunker, number) in units.items():
            text, gains, lowest = measure(unit, stories(data / "narrativeqa", chunker, number), all_ways)
            lines += [text, ""]
            for name, factor in ((AUTO, faster), (FP32, faster_fp32)):
                failure = f"{text}\n\n{name} is {gains[name]:.2f} times as fast, not {factor:.2f}"
                judge(gains[name] < factor, failure)
            if lowest < NEAR:
                raise SystemExit(f"{text}\n\ncosines in fp32 are {lowest:.6f} at the lowest, not {NEAR}")
    computes = "computes" if computes_bf16("cpu") else "does not compute"
    lines.append(f"The processor {computes} in bf16; torch {torch.__version__} uses {torch.get_num_threads()} threads.")
    return "\n".join(lines)


if __name__ == "__main__":
    publish("embedding", main(*map(float, sys.argv[1:2])))
