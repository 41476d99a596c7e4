"""The defaults of a chunker that only defines `split`."""

from dataclasses import dataclass, field
from pathlib import Path

import pipelines
from chunkers import Chunk, Chunker, Heading, Layout
from pipelines.records import Document, Example


@dataclass(frozen=True)
class Halves(Chunker):
    """Splits a text in two; `_calls` has the arguments of each call."""

    _calls: list[tuple[str, str | None]] = field(default_factory=list, init=False, compare=False)

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        self._calls.append((text, query))
        return [Chunk(text[:5], 0, 5), Chunk(text[5:], 5, len(text))]


def test_by_default_a_document_is_split_once_for_all_its_questions(tmp_path: Path) -> None:
    document, chunker = Document("d", "A cat. A dog."), Halves()
    data = [Example(str(number), document, f"Who is {number}?", ("a cat",)) for number in range(3)]
    pipelines.run("qa", data=data, chunker=chunker, retriever="bm25", k=1, model="lead", metrics="f1", out=tmp_path)
    assert chunker._calls == [("A cat. A dog.", None)]
    assert (Chunker.per_query, Chunker.covers_document, Chunker.single_chunk, Chunker.cut) == (False, True, False, True)


def test_by_default_declared_headings_are_ignored() -> None:
    chunker = Halves()
    assert chunker.split_document("A cat. A dog.", Layout((Heading(0, 5, 1, "A cat"),))) == chunker.split(
        "A cat. A dog."
    )
    assert chunker.remark_document("A cat.", Layout((Heading(0, 5, 1, "A cat"),))) is None
