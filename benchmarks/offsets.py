"""Are the offsets of chunks right? A million random chunks of every chunker, and other libraries on the same texts.

- A million: every chunker splits texts of every Unicode plane (`benchmarks.random_texts`), made by a seed, in words, by
  a function that counts and by a byte-level tokenizer, until a million chunks are there. `document[start:end]` must be
  the chunk's text, chunks in document order, and nothing but white space lost where the chunker says so.
- Without white space: 10 MB of it, against a quarter: what takes quadratic time takes 16 times as long.
- Libraries (`--peers PYTHON`, a Python of its own with `pip install langchain-text-splitters llama-index-core chonkie
  haystack-ai semchunk transformers`): their splitters and ours on real prose, on passages that come again and again,
  and on a random text. Offsets are read as each library documents them (`benchmarks.splitters`).

Run: python -m benchmarks.offsets [--chunks N], python -m benchmarks.offsets --peers PYTHON
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chunkers
from benchmarks.random_texts import KINDS, PROSE, UNSPACED, random_text
from benchmarks.reliability import publish as publish_reliability
from benchmarks.results import realdata, table
from chunkers import Chunk, Chunker
from longdoc import __version__

SEED = 18
MILLION = 1_000_000
LENGTH = 4_000  # characters of a random text
SINGLE = 5_000  # chunks of chunkers that make one of a text, each of a short one
BOOK, STORY = 300_000, "narrativeqa/stories/2500.txt"
HOSTILE = 300_000
ENDLESS = {"a": "a", "Han": "船は海を渡", "a name": "Anna."}
MEGABYTES = (2.5, 10)

Offsets = list[tuple[str, int | None, int | None]]


class Condition(NamedTuple):
    """A chunker with its settings in words, and the name of its unit; "" where it counts nothing."""

    name: str
    chunker: Chunker
    unit: str = ""


def byte_level() -> Any:
    """A byte-level tokenizer like GPT-2's, of the prose that random texts are made of."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([PROSE, *UNSPACED], trainer)
    return made


def ways() -> Iterator[Condition]:
    """Every registered chunker, those that count in each unit, with and without overlap."""
    from dataclasses import fields

    units: dict[str, Any] = {"words": "words", "characters": len, "bytes": byte_level()}
    for name in chunkers.names():
        known = {field.name for field in fields(chunkers.registry.component(name))}
        if name == "units":
            yield from (
                Condition(f"units:of={of}", chunkers.get(name, of=of)) for of in ("sentence", "paragraph", "turn")
            )
        elif name == "truncate":
            yield Condition(name, chunkers.get(name, tokens=512))
        elif "unit" not in known:
            yield Condition(name, chunkers.get(name))
        else:
            for label, unit in units.items():
                size = 8 if label == "words" else 40
                yield Condition(f"{name}, {label}", chunkers.get(name, size=size, unit=unit), label)
                if "stride" in known:
                    overlapping = chunkers.get(name, size=size, stride=size // 3, unit=unit)
                    yield Condition(f"{name}, {label}, overlap", overlapping, label)


def faults(text: str, chunks: Iterable[Chunk], chunker: Chunker) -> int:
    """Chunks with wrong offsets, out of order or empty, or after text that was lost."""
    wrong, start, reached = 0, -1, 0
    all_of_it = chunker.covers_document and not chunker.per_query
    for chunk in chunks:
        same = text[chunk.start : chunk.end] == chunk.text != ""
        later = chunk.start > start and chunk.end >= reached
        wrong += not (same and later and not (all_of_it and text[reached : chunk.start].strip()))
        start, reached = chunk.start, chunk.end
    return wrong + bool(all_of_it and text[reached:].strip())


def added(one: list[int], other: list[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]


def million(wanted: int) -> str:
    """Every chunker's chunks of random texts, and how many are wrong."""
    every = list(ways())
    many = [way for way in every if not way.chunker.single_chunk]
    rows, totals = [], [0, 0, 0]
    for way in every:
        length = LENGTH if way in many else 200
        quota = SINGLE * wanted // MILLION if way not in many else (wanted - totals[1]) // len(many) + 1
        if way in many:
            many = many[1:]
        counts = [0, 0, 0]  # characters, chunks, wrong
        for seed in range(10**9):
            if counts[1] >= quota:
                break
            text = random_text(f"{SEED} {seed}", length)
            chunks = way.chunker.split(text, "Anna" if way.chunker.per_query else None)
            counts = [
                a + b for a, b in zip(counts, (len(text), len(chunks), faults(text, chunks, way.chunker)), strict=True)
            ]
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        rows.append([way.name, *(f"{number:,}" for number in counts)])
        print(*rows[-1], file=sys.stderr, flush=True)
    rows.append(["**all**", *(f"{number:,}" for number in totals)])
    return table(["chunker, unit", "characters", "chunks", "wrong"], rows)


def growth(chunker: Chunker, piece: str) -> list[float]:
    """CPU seconds on each number of `MEGABYTES` of a piece again and again. Asserts that offsets are right."""
    seconds = []
    for size in MEGABYTES:
        text = piece * int(size * 1e6 / len(piece.encode()))
        before = time.process_time()
        chunks = chunker.split(text, "Anna" if chunker.per_query else None)
        seconds.append(time.process_time() - before)
        assert faults(text, chunks, chunker) == 0
    return seconds


def endless() -> str:
    """Seconds of every chunker on 10 MB without white space, against those of a quarter."""
    rows = []
    for way in ways():
        if way.unit not in ("", "words") or "overlap" in way.name:
            continue
        cells = []
        for piece in ENDLESS.values():
            quarter, whole = growth(way.chunker, piece)
            cells.append(f"{whole:.1f}" + (f" ×{whole / quarter:.0f}" if whole > 0.5 else ""))
        rows.append([way.name.partition(",")[0], *cells])
        print(*rows[-1], file=sys.stderr, flush=True)
    return table(["chunker", *ENDLESS], rows)


def texts() -> dict[str, str]:
    """Real prose, passages of it that come again and again, and a random text without surrogates (JSON carries them,
    most libraries' tokenizers do not)."""
    data = realdata()
    if data is None:
        sys.exit("no real data: set LONGDOC_REALDATA to its folder, see benchmarks/results.py")
    book = (data / STORY).read_text(encoding="utf-8")[:BOOK]
    passages = [part for part in book.split("\n\n") if 80 < len(part) < 400][:40]
    draw = random.Random(SEED)
    again = "\n\n".join(draw.choices(passages, k=BOOK // 250))[:BOOK]
    return {"prose": book, "repeats": again, "random": random_text(SEED, HOSTILE, surrogates=False)}


def ours() -> Iterator[tuple[str, Chunker]]:
    """Ours of about the same sizes: 500 characters, 100 of them shared."""
    yield "longdoc tokens, characters, overlap 100", chunkers.get("tokens", size=500, stride=400, unit=len)
    yield "longdoc tokens, words, overlap 18", chunkers.get("tokens", size=90, stride=72)
    yield "longdoc sentences", chunkers.get("sentences", size=500, unit=len)
    yield "longdoc paragraphs", chunkers.get("paragraphs", size=500, unit=len)
    yield "longdoc sections", chunkers.get("sections", size=500, unit=len)
    yield "longdoc units:of=sentence", chunkers.get("units:of=sentence")


class Counted(NamedTuple):
    """Chunks, those without an offset, with another text at it, and those whose text stands elsewhere."""

    chunks: int
    missing: int
    wrong: int
    elsewhere: int

    def __str__(self) -> str:
        """The last three per 10,000 chunks."""
        return " / ".join(f"{1e4 * number / max(self.chunks, 1):,.0f}" for number in self[1:])


def counted(text: str, chunks: Offsets, gaps: bool) -> Counted:
    """What is wrong with the offsets; `gaps`: text between a chunk and the next is wrong, since nothing is left out."""
    missing = wrong = elsewhere = 0
    before = (-1, 0)
    for content, start, end in chunks:
        if start is None or end is None:
            missing += 1
            before = (-1, len(text))  # where the next one should start is not known
            continue
        if text[start:end] != content:
            wrong += 1
        elif start <= before[0] or (gaps and text[before[1] : start].strip()):
            elsewhere += 1
        before = (start, max(end, start))
    return Counted(len(chunks), missing, wrong, elsewhere)


def libraries(python: Path) -> str:
    """Wrong offsets per 10,000 chunks of every library, and of ours, by text."""
    samples = texts()
    script = str(Path(__file__).with_name("splitters.py"))
    done = subprocess.run([python, script], input=json.dumps(list(samples.values())), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{python} {script} failed: {done.stderr[-500:]}")
    found = json.loads(done.stdout)
    rows: list[list[str]] = []
    for name, chunker in ours():
        splits = ([(one.text, one.start, one.end) for one in chunker.split(text)] for text in samples.values())
        rows.append([name, *_cells(samples, splits, chunker.covers_document)])
    for way in found["ways"]:
        rows.append([way["name"], *_cells(samples, way["chunks"], True)])
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    lengths = ", ".join(f"{name} {len(text):,}" for name, text in samples.items())
    return (
        f"Versions: longdoc {__version__}, {versions}. Characters: {lengths}.\n\n{table(['splitter', *samples], rows)}"
    )


def _cells(samples: dict[str, str], splits: Iterable[Any], gaps: bool) -> Iterator[str]:
    for text, chunks in zip(samples.values(), splits, strict=True):
        yield f"fails: {chunks[:60]}" if isinstance(chunks, str) else str(counted(text, chunks, gaps))


def by_chunker(wanted: int) -> str:
    """The section of the million and of texts without white space."""
    return (
        f"Texts of {len(KINDS) + 1} kinds of stretches, seed {SEED}: every plane, combining marks, lone surrogates, "
        "directions, emoji sequences, NUL, every line end, scripts without spaces, words of 2,000 characters, repeats. "
        "Wrong: `document[start:end]` is not the chunk's text, the chunk is out of order or empty, or text before it "
        f"was lost.\n\n{million(wanted)}\n\n"
        f"CPU seconds on {MEGABYTES[1]} MB (UTF-8) without white space, and how many times those of {MEGABYTES[0]} MB "
        f"where they are over half a second (4: linear, 16: quadratic); no offset is wrong.\n\n{endless()}\n"
    )


def by_library(python: Path) -> str:
    """The section of other libraries."""
    return (
        "Per 10,000 chunks, for each text: without an offset (also LangChain's −1) / another text at the offset than "
        "the chunk's / the chunk's text but elsewhere: not after the start of the chunk before, or with text between "
        "the two where none is left out. Texts: a novel, 40 of its passages again and again, and a random one of all "
        "planes without surrogates. About 500 characters a chunk. Offsets as each library documents them: LangChain's "
        "`start_index` (`add_start_index=True`), LlamaIndex's `start_char_idx` and `end_char_idx`, Chonkie's "
        "`start_index` and `end_index`, Haystack's `split_idx_start`, semchunk's `offsets=True`; where a library gives "
        f"no end, the chunk ends where its text does.\n\n{libraries(python)}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=MILLION)
    parser.add_argument("--peers", type=Path, help="a Python with the other libraries: compare with these alone")
    given = parser.parse_args()
    command = "python -m benchmarks.offsets"
    if given.peers:
        title = "Offsets of other libraries' chunks"
        publish_reliability(title, f"{command} --peers PYTHON", by_library(given.peers))
    else:
        publish_reliability("Offsets of chunks", command, by_chunker(given.chunks))


if __name__ == "__main__":
    main()
