"""How fast are chunks in a model's own tokens, beside the tokenizer alone?

Ten books of 90,000 words made of the real examples (`benchmarks.real_books`), chunks of 200 tokens by `tokens`, with a
byte-level BPE and a unigram model trained on two other such books (8,000 tokens each, the settings of GPT-2's and T5's
tokenizers), in one thread. "On lines" is the library `tokenizers` alone, which encodes the lines of each book in
batches, without offsets (`encode_batch_fast`). Times are those of all books in turn, in seconds of the processor, the
chunks' by a new chunker each time: it keeps the words that it knows from book to book, as in a run. Both are measured
in turn, five times; shown are the medians of the speeds and of the ratios.
Each chunk is checked: its offsets, and its number of tokens when it is encoded by itself.

Run: python -m benchmarks.token_chunks (LONGDOC_REALDATA).
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

import chunkers
from benchmarks.real_books import real_books
from benchmarks.results import publish, realdata, table
from chunkers import Chunk

BOOKS, TRAINING, SIZE, VOCABULARY, REPEATS = 10, 2, 200, 8_000, 5
LEAST_SHARE = 0.65  # of the speed of the library on lines


def byte_level_bpe(texts: Sequence[str]) -> Any:
    """As GPT-2's."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer: Any = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def unigram(texts: Sequence[str]) -> Any:
    """As T5's."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer: Any = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=VOCABULARY,
        unk_token="<unk>",
        special_tokens=["<unk>"],
        show_progress=False,  # noqa: S106
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def on_lines(tokenizer: Any, texts: Sequence[str]) -> None:
    """The library alone."""
    for text in texts:
        tokenizer.encode_batch_fast(text.splitlines(keepends=True), add_special_tokens=False)


def split(tokenizer: Any, texts: Sequence[str]) -> list[list[Chunk]]:
    """The chunks of each text, by one chunker."""
    chunker = chunkers.get("tokens", size=SIZE, unit=tokenizer)
    return [chunker.split(text) for text in texts]


def seconds(work: Callable[[], object]) -> float:
    """Of the processor."""
    start = time.process_time()
    work()
    return time.process_time() - start


def faults(tokenizer: Any, text: str, chunks: Sequence[Chunk]) -> tuple[int, int, int]:
    """How many chunks there are, how many have wrong offsets, and how many are over the size by themselves."""
    wrong = sum(text[chunk.start : chunk.end] != chunk.text for chunk in chunks)
    encodings = tokenizer.encode_batch_fast([chunk.text for chunk in chunks], add_special_tokens=False)
    return len(chunks), wrong, sum(len(encoding) > SIZE for encoding in encodings)


def main() -> None:
    folder = realdata()
    if folder is None:
        publish("token_chunks", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    os.environ |= {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    *texts, first, second = [book.text for book in real_books(folder, BOOKS + TRAINING)]
    megabytes = sum(map(len, texts)) / 1e6
    rows, shares = [], []
    for name, train in (("byte-level BPE", byte_level_bpe), ("unigram", unigram)):
        tokenizer = train([*first.splitlines(keepends=True), *second.splitlines(keepends=True)])
        works = partial(on_lines, tokenizer, texts), partial(split, tokenizer, texts)
        times = [tuple(map(seconds, works)) for _ in range(REPEATS)]
        share = median(raw / own for raw, own in times)
        chunks = split(tokenizer, texts)
        each_faults = (faults(tokenizer, *entry) for entry in zip(texts, chunks, strict=True))
        counts, wrong, over = map(sum, zip(*each_faults, strict=True))
        shares.append(share)
        speeds = [*(f"{megabytes / median(values):.2f}" for values in zip(*times, strict=True)), f"{share:.2f}"]
        rows.append([name, *speeds, f"{counts:,}", str(wrong), str(over)])
    head = ["tokenizer", "on lines, MB/s", "chunks, MB/s", "chunks / lines", "chunks", "wrong offsets", "over the size"]
    publish("token_chunks", f"{BOOKS} books, {megabytes:.1f} million characters.\n\n{table(head, rows)}\n")
    if min(shares) < LEAST_SHARE:
        sys.exit(f"chunks must be made at {LEAST_SHARE} times the speed of the tokenizer alone")


if __name__ == "__main__":
    main()
