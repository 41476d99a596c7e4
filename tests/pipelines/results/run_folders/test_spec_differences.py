"""Differences of specs in words: short, without digests and without JSON."""

import pytest

from pipelines.results.run_folders.spec_differences import data_in_words, differences_in_words, signatures_in_words
from tests.turns import for_each

DIGESTS = ("a" * 64, "b" * 64)


def file(name, size, digest=DIGESTS[0]):
    return {"files": [{"name": name, "bytes": size, "sha256": digest}], "size": size}


@for_each(
    ("there", "now", "words"),
    [
        ({"k": 10}, {"k": 2}, "k: 10 there, 2 now"),
        ({"k": 10, "budget": None}, {"k": None, "budget": "99 words"},
         "k: 10 there, none now; budget: none there, 99 words now"),
        ({"retriever": {"name": "tfidf", "norm": "l2"}}, {"retriever": {"name": "bm25", "b": 0.75}},
         "retriever: tfidf there, bm25 now"),
        ({"chunker": {"name": "tokens", "size": 200}}, {"chunker": {"name": "tokens", "size": 50}},
         "size of chunker tokens: 200 there, 50 now"),
        ({"model": {"name": "seq2seq", "model": "t5-small"}}, {"model": {"name": "extractive"}},
         "model: seq2seq:t5-small there, extractive now"),
        ({"model": {"name": "seq2seq", "model": "t5-small"}}, {"model": {"name": "seq2seq", "model": "t5-base"}},
         "model of model seq2seq: t5-small there, t5-base now"),
        ({"resolved": {"revision": "1" * 40}}, {"resolved": {"revision": "2" * 40}},
         "revision of the model: 1111111 there, 2222222 now"),
        ({"resolved": {"weights": DIGESTS[0]}}, {"resolved": {"weights": DIGESTS[1]}}, "other weights of the model"),
        ({"resolved": {"dtype": "bf16"}}, {"resolved": {"dtype": "fp32"}}, "dtype of the model: bf16 there, fp32 now"),
        ({"prompt": {"text": "{query} {document}"}}, {"prompt": {"text": "{document} {query}"}},
         'prompt: "{query} {document}" there, "{document} {query}" now'),
        ({"prompt": {"text": "a", "wording": "own"}}, {"prompt": {"text": "a"}},
         "prompt's wording: own there, none now"),
        ({"data": file("a.jsonl", 1234)}, {"data": file("b.jsonl", 5_600_000)},
         "data: a.jsonl (1.2 kB) there, b.jsonl (5.6 MB) now"),
        ({"data": file("a.jsonl", 12)}, {"data": file("a.jsonl", 12, DIGESTS[1])}, "other data"),
        ({"training": None}, {"training": file("train.jsonl", 12)},
         "training data: none there, train.jsonl (12 bytes) now"),
        ({"split": "test"}, {"split": "test"}, ""),
    ],
)  # fmt: skip
def test_a_difference_names_the_argument_and_both_values(there, now, words):
    assert "; ".join(map(str, differences_in_words(there, now))) == words


def test_long_values_are_shortened():
    prompts = [{"prompt": {"text": "Read the following story. " * 20 + end}} for end in ("{document}", "{query}")]
    (difference,) = differences_in_words(*prompts)
    assert str(difference) == 'prompt: "…ing story. {document}" there, "…ing story. {query}" now'
    (difference,) = differences_in_words({"task": "x" * 300}, {"task": "y" * 300})
    assert len(str(difference)) < 150


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"repository": "ghomasHudson/muld", "revision": "c" * 40, "files": ["x"]}, "ghomasHudson/muld at ccccccc"),
        ({"sample": "qa", "examples": 68, "size": 400_000, "sha256": DIGESTS[0]}, "the sample"),
        ({"examples": 1200, "size": 400_000, "sha256": DIGESTS[0]}, "1,200 examples given in Python"),
        ({"dataset": "fingerprint", "rows": 80}, "a table of 80 rows"),
        ({"files": [{"name": "q.jsonl", "bytes": 9}, {"name": "r.jsonl", "bytes": 9}], "size": 2_500_000_000,
          "documents": {"files": 9, "sha256": DIGESTS[1]}}, "q.jsonl and 1 more with 9 documents (2.5 GB)"),
        (None, "none"),
    ],
)  # fmt: skip
def test_data_are_named_by_files_sizes_and_numbers(data, words):
    assert data_in_words(data, {"files": [{"name": "other.jsonl", "bytes": 1}], "size": 1})[0] == words


def test_the_file_that_differs_is_named():
    both = [{"name": "a.txt", "sha256": DIGESTS[0]}, {"name": "b.txt", "sha256": DIGESTS[0]}]
    first, second = data_in_words({"files": both, "size": 5}, {"files": [both[0], {"name": "c.txt"}], "size": 5})
    assert (first, second) == ("b.txt and 1 more (5 bytes)", "c.txt and 1 more (5 bytes)")


def test_signatures_are_told_apart_by_their_parts():
    assert signatures_in_words("rouge|stemmer:yes|v:1", "rouge|stemmer:no|v:1") == "stemmer yes against no"
    assert signatures_in_words("f1|a:1", "f1|a:1|b:2") == "b none against 2"
    assert signatures_in_words("f1", "f2") == "f1 against f2"
