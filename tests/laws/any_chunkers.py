"""Every registered chunker with each unit, and a check of the chunks that it makes of a text."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import chunkers
from chunkers import Chunk, Chunker
from tests.random_texts import PROSE, UNSPACED

ENDLESS = {"a": "a", "Han": "船は海を渡", "a name": "Anna."}
MEGABYTES = (2.5, 10)


class Case(NamedTuple):
    """A chunker, a name for its settings, and the name of the unit that it counts in ("" if none)."""

    name: str
    chunker: Chunker
    unit: str = ""


def byte_level() -> Any:
    """A byte-level tokenizer like GPT-2's, trained on the prose that random texts are made of."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([PROSE, *UNSPACED], trainer)
    return tokenizer


def cases() -> Iterator[Case]:
    """Every registered chunker, in each unit that it can count in, with and without overlap."""
    units: dict[str, Any] = {"words": "words", "characters": len, "bytes": byte_level()}
    for name in chunkers.names():
        names = {field.name for field in fields(chunkers.registry.component(name))}
        if name == "units":
            yield from (Case(f"units:of={of}", chunkers.get(name, of=of)) for of in ("sentence", "paragraph", "turn"))
        elif name == "truncate":
            yield Case(name, chunkers.get(name, tokens=512))
        elif "unit" not in names:
            yield Case(name, chunkers.get(name))
        else:
            for label, unit in units.items():
                size = 8 if label == "words" else 40
                yield Case(f"{name}, {label}", chunkers.get(name, size=size, unit=unit), label)
                if "stride" in names:
                    overlapping = chunkers.get(name, size=size, stride=size // 3, unit=unit)
                    yield Case(f"{name}, {label}, overlap", overlapping, label)


def faults(text: str, chunks: Iterable[Chunk], chunker: Chunker) -> int:
    """The number of chunks with wrong offsets, out of order, empty, or after text that was lost."""
    count, start, end = 0, -1, 0
    must_cover = chunker.covers_document and not chunker.per_query
    for chunk in chunks:
        is_text_at_offsets = text[chunk.start : chunk.end] == chunk.text != ""
        is_in_order = chunk.start > start and chunk.end >= end
        count += not (is_text_at_offsets and is_in_order and not (must_cover and text[end : chunk.start].strip()))
        start, end = chunk.start, chunk.end
    return count + bool(must_cover and text[end:].strip())


def growth(chunker: Chunker, piece: str) -> list[float]:
    """CPU seconds for each size of `MEGABYTES` of a repeated piece. Asserts that the chunks have no faults."""
    seconds = []
    for size in MEGABYTES:
        text = piece * int(size * 1e6 / len(piece.encode()))
        start = time.process_time()
        chunks = chunker.split(text, "Anna" if chunker.per_query else None)
        seconds.append(time.process_time() - start)
        assert faults(text, chunks, chunker) == 0
    return seconds
