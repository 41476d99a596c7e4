"""Every registered chunker with its units, and what is wrong with the chunks that it makes of a text."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import chunkers
from chunkers import Chunk, Chunker
from tests.random_texts import PROSE, UNSPACED

ENDLESS = {"a": "a", "Han": "船は海を渡", "a name": "Anna."}
MEGABYTES = (2.5, 10)


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
