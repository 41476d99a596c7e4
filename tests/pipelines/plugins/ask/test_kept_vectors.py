"""Vectors are kept: only questions and the passages of changed files are encoded again."""

import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np
import pytest

import pipelines
from models.encoders import _cache
from pipelines.plugins.ask.indexing.index_summary import IndexSummary


@dataclass
class CountingEncoder:
    """An encoder whose vectors are cached, with a list of the texts that it encoded."""

    encoded: list = field(default_factory=list)

    def encode(self, texts, kind):
        if kind == "query":
            self.encoded += texts
            return self._vectors(texts)
        return _cache.cached_vectors(self.identity(), texts, lambda new: self.encoded.extend(new) or self._vectors(new))

    def identity(self):
        return {"model": "letters"}

    def _vectors(self, texts):
        return np.array([[text.count(letter) + 1 for letter in "etaoin"] for text in texts], np.float32)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    _cache._store.cache_clear()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("bees", "clocks", "ships"):
        (folder / f"{name}.txt").write_text(f"Some {name} are blue.\n\nOther {name} are green.\n")
    return folder


def index(folder):
    """The index as a new process would make it, and its encoder."""
    _cache._store.cache_clear()
    encoder = CountingEncoder()
    retriever = {"name": "dense", "model": encoder}
    return pipelines.index(folder, retriever=retriever, chunker="paragraphs:size=4", k=2), encoder


def test_in_a_session_a_second_question_encodes_only_itself(folder):
    documents, encoder = index(folder)
    documents.ask("Which bees are blue?")
    before = len(encoder.encoded)
    documents.ask("Which ships are green?")
    assert set(encoder.encoded[before:]) == {"Which ships are green?"}


def test_the_next_process_encodes_the_question_only(folder):
    documents, encoder = index(folder)
    assert len(encoder.encoded) == documents.chunks() == documents.encoded == 6
    documents, encoder = index(folder)
    documents.ask("Which ships are green?")
    assert set(encoder.encoded) == {"Which ships are green?"}
    assert documents.encoded == 0
    assert [(one.texts, one.found, one.done) for one in documents.kept] == [(6, 6, 6)]


def test_a_changed_file_has_only_its_own_passages_encoded_again(folder):
    index(folder)
    with (folder / "clocks.txt").open("a") as file:
        file.write("\nNew clocks are red.\n")
    _, encoder = index(folder)
    assert [text.strip() for text in encoder.encoded] == ["New clocks are red."]


def test_other_arguments_that_change_no_passage_encode_nothing(folder):
    documents, encoder = index(folder)
    before = len(encoder.encoded)
    documents.ask("Which ships are green?", k=1, model="none")
    assert encoder.encoded[before:] == ["Which ships are green?"]


def test_a_cache_without_room_is_reported(folder, monkeypatch):
    monkeypatch.setattr(_cache, "SEGMENT", 200)
    monkeypatch.setattr(_cache, "FIRST_BATCH", 2)
    monkeypatch.setattr(_cache, "QUICK_SECONDS", 0.0)
    monkeypatch.setenv("LONGDOC_CACHE_BYTES", "250")
    documents, _ = index(folder)
    (kept,) = documents.kept
    assert (kept.texts, kept.size, kept.deleted) == (6, 56, 3)
    (warning,) = documents.ask("Which ships are green?").warnings
    assert warning == (
        "the cache of vectors has no room for 3 of 6 passages, which each command encodes again: "
        "set LONGDOC_CACHE_BYTES to 672 or more"
    )


def test_the_summary_says_what_is_kept_and_how_to_ask(folder):
    documents, _ = index(folder)
    summary = IndexSummary.of(documents, ["my notes"], {"retriever": "dense"}, 3.4)
    cache_folder = next((folder.parent / "cache" / "embeddings").iterdir())
    assert str(summary).splitlines() == [
        "3 documents, 24 words, 6 passages, in 3 s",
        f"kept: 6 vectors in {cache_folder} (0.0 MB)",
        "all were encoded now",
        "ask next: longdoc ask 'my notes' --retriever dense \"QUESTION\"",
    ]


def test_the_summary_of_a_second_index_says_what_was_there_before(folder):
    index(folder)
    documents, _ = index(folder)
    assert str(IndexSummary.of(documents, ["notes"], {}, 1.0)).splitlines()[2] == "all of them were there before"
    with (folder / "clocks.txt").open("a") as file:
        file.write("\nNew clocks are red.\n")
    documents, _ = index(folder)
    assert str(IndexSummary.of(documents, ["notes"], {}, 1.0)).splitlines()[2] == (
        "1 encoded now, the others were there before"
    )


def test_an_interrupted_index_continues_where_it_stopped(folder, monkeypatch):
    monkeypatch.setattr(_cache, "FIRST_BATCH", 2)
    monkeypatch.setattr(_cache, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(CountingEncoder, "_vectors", interrupted_after(2, CountingEncoder._vectors))
    with pytest.raises(KeyboardInterrupt):
        index(folder)
    monkeypatch.undo()
    monkeypatch.setenv("LONGDOC_CACHE", str(folder.parent / "cache"))
    documents, encoder = index(folder)
    assert len(encoder.encoded) == 2
    assert documents.encoded == 2


def interrupted_after(calls, method):
    remaining = [calls]

    def wrapped(self, texts):
        if not remaining[0]:
            raise KeyboardInterrupt
        remaining[0] -= 1
        return method(self, texts)

    return wrapped


def test_the_summary_of_an_interrupted_index_says_what_is_kept(folder, monkeypatch):
    monkeypatch.setattr(_cache, "FIRST_BATCH", 2)
    monkeypatch.setattr(_cache, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(CountingEncoder, "_vectors", interrupted_after(2, CountingEncoder._vectors))
    documents = pipelines.plugins.ask.indexing.document_index.DocumentIndex(
        folder, retriever={"name": "dense", "model": CountingEncoder()}, chunker="paragraphs:size=4"
    )
    with pytest.raises(KeyboardInterrupt):
        documents.build()
    assert IndexSummary.interrupted(documents) == "kept: 4 of 6 passages are encoded; to continue: "


def test_asking_imports_no_library_that_it_does_not_need(folder):
    code = (
        "import sys; from pipelines.cli.main import main; sys.argv = ['longdoc', 'ask', sys.argv[1], 'Which bees?']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(sorted({'torch', 'transformers', 'sklearn', 'pandas', 'nltk', 'datasets'} & set(sys.modules)))"
    )
    completed = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert completed.stdout.splitlines()[-1] == "[]"
