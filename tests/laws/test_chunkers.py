"""The contract of chunkers, for every registered one, texts of every script, and three kinds of tokenizer."""

import dataclasses
import random
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
import regex

import chunkers
from chunkers import Chunk, Chunker

UNITS = ("words", "bytes", "word_pieces", "unigrams", "function")  # "function": a function that counts syllables
SIZES = (6, 40)
TRAINING = [
    "The ship sailed at dawn. Captain Lacroix counted the crew, and counted them again; nobody answered.",
    "“Where is Mr. Ortega?” she asked. “Below,” said the cook. In 1871, at 5 p.m., the storm began.",
    "Ein Schiff fuhr über das Meer. Une île apparut. Корабль плыл. 船は海を渡った。 השלום עליך.",
] * 20
ALONE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]")
LETTER = regex.compile(r"[\p{L}\p{N}]")
ALPHABETS = (
    "abc ",
    "ab. AB! \n",
    'He said "no." \n\n(Why?) ',
    "the ship 3.14 Dr. \r\n",
    "e\u0301o\u0308 \u200d\u0301a ",
    "👩\u200d👩\u200d👧😀🇫🇷 ",
    "船は海を渡った。「はい」 ",
    "使う3a「」、 \u0e01\u0e48\u1019\u103c。",
    "שלום עליך. مرحبا؟ ",
    "\x00\x07a \u2028\u2029\x85\u3000\ufeff",
    "\ud83d a.\udc00",
    "aaaaaaaa",
)
TEXTS = {
    "nothing": "",
    "white space": " \t\r\n\u2028\u3000\x85",
    "one character": "x",
    "one emoji": "👩",
    "one NUL": "\x00",
    "outer white space": "\n\n  A word.  \n",
    "a family": "👩\u200d👩\u200d👧\u200d👦" * 9,
    "combining": "a" + "\u0301" * 30 + " b",
    "repeats": "the same the same. " * 60,
    "a long word": "Start. " + "Donaudampfschifffahrt" * 40 + " end.",
    "a long line": "word, " * 300,
    "windows lines": "One.\r\nTwo three.\r\n\r\nFour five six.\r\n" * 8,
    "no white space": "船は海を渡った。" * 60,
    "scripts without spaces": "ปลาวาฬเป็นสัตว์ อยู่ในทะเล ປາວານ ភាសាខ្មែរ។ မြန်မာစာ။ 「使うPython3を（2024年）」" * 9,
    "marks": "हिन्दी में किताब। தமிழ் எழுத்து. বাংলা বই। কেন? ውሃ። " * 9,
    "prose": "\n\n".join(TRAINING[:9]),
    "across pieces": "a longer text, of more than ten thousand characters. " * 260,
} | {
    f"random {seed}": "".join(random.Random(seed).choices(ALPHABETS[seed % len(ALPHABETS)], k=40 + 17 * seed))
    for seed in range(2 * len(ALPHABETS))
}


@cache
def tokenizer(kind: str) -> Any:
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    if kind == "bytes":
        trained, trainer = tokenizers.Tokenizer(models.BPE()), trainers.BpeTrainer(vocab_size=500, show_progress=False)
        trainer.initial_alphabet = pre_tokenizers.ByteLevel.alphabet()
        trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    elif kind == "word_pieces":
        trained = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False)
        trained.normalizer, trained.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    else:
        trained = tokenizers.Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(
            vocab_size=200, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        )
        trained.normalizer, trained.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
    trained.train_from_iterator(TRAINING, trainer)
    return trained


def count(unit: str, text: str) -> int:
    """The number of units in a text, counted without the code under test."""
    if unit == "words":
        return words(text)
    if unit == "function":
        return syllables(text)
    plain = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return len(tokenizer(unit).encode(plain, add_special_tokens=False).ids)


def words(text: str) -> int:
    """The number of words: one for each stretch without spaces, plus one per change to or from a letter of ALONE."""
    pairs = (pairwise(LETTER.findall(stretch)) for stretch in text.split())
    return len(text.split()) + sum(bool(ALONE.match(a) or ALONE.match(b)) for inside in pairs for a, b in inside)


def syllables(text: str) -> int:
    """The number of syllables, of three characters each: the unit "function"."""
    return sum((len(word) + 2) // 3 for word in text.split())


def make_chunker(name: str, unit: str = "words", size: int = 7) -> Chunker:
    """The chunker, with this unit and size if it has such fields, and with the fields that it requires."""
    units: dict[str, Any] = {"words": "words", "function": syllables}
    values = {"size": size, "unit": units.get(unit) or tokenizer(unit), "tokens": 512}
    fields = {field.name for field in dataclasses.fields(chunkers.registry.component(name))}
    return chunkers.get(name, **{key: value for key, value in values.items() if key in fields})


def split(chunker: Chunker, text: str) -> list[Chunk]:
    words = text.split()
    query = words[len(words) // 2] if words else "anybody"  # a word of the text
    return chunker.split(text, query if chunker.per_query else None)


def has_field(name: str, field: str) -> bool:
    return field in {field.name for field in dataclasses.fields(chunkers.registry.component(name))}


class Case(NamedTuple):
    unit: str
    size: int
    chunker: Chunker
    text: str
    chunks: list[Chunk]


@cache
def cases(name: str) -> list[Case]:
    """Every unit, size and text that the chunker takes; split once for all tests."""
    result = []
    for unit in UNITS if has_field(name, "unit") else UNITS[:1]:
        sizes = (1, *SIZES) if unit == "words" else SIZES  # tokenizers take long over chunks of one token
        for size in sizes if has_field(name, "size") else SIZES[:1]:
            chunker = make_chunker(name, unit, size)
            texts = [text for text in TEXTS.values() if len(text) <= 10_000 or size == SIZES[-1]]
            result += [Case(unit, size, chunker, text, split(chunker, text)) for text in texts]
    return result


all_chunkers = pytest.mark.parametrize("name", chunkers.names())


@all_chunkers
def test_a_chunk_is_the_text_at_its_offsets(name: str) -> None:
    for case in cases(name):
        assert [case.text[chunk.start : chunk.end] for chunk in case.chunks] == [chunk.text for chunk in case.chunks]


@all_chunkers
def test_chunks_are_in_document_order_and_none_is_empty(name: str) -> None:
    for case in cases(name):
        assert all(chunk.text.strip() for chunk in case.chunks)
        assert all(a.start < b.start and a.end <= b.end for a, b in pairwise(case.chunks))


@all_chunkers
def test_a_text_of_white_space_alone_has_no_chunks(name: str) -> None:
    assert [case.chunks for case in cases(name) if not case.text.strip() and case.chunks] == []


@all_chunkers
def test_only_white_space_is_lost(name: str) -> None:
    for case in cases(name):
        if case.chunker.per_query:  # it leaves out text that the query does not ask for
            continue
        if not case.chunker.covers_document:  # it leaves out parts of a text on purpose
            continue
        covered = bytearray(len(case.text))
        for chunk in case.chunks:
            covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
        assert [i for i, char in enumerate(case.text) if not covered[i] and not char.isspace()] == []


@pytest.mark.parametrize("name", [name for name in chunkers.names() if has_field(name, "size")])
def test_no_chunk_is_over_the_size_when_counted_by_itself(name: str) -> None:
    for case in cases(name):
        for chunk in case.chunks:
            assert count(case.unit, chunk.text) <= case.size or len(chunk.text) == 1, (case.unit, case.size, chunk)


@all_chunkers
def test_splitting_again_gives_the_same_chunks(name: str) -> None:
    for case in cases(name)[::7]:
        assert split(make_chunker(name, case.unit, case.size), case.text) == case.chunks
