"""What a chunker is that says nothing of itself."""

from dataclasses import dataclass, field
from pathlib import Path

import pipelines
from chunkers import Chunk, Chunker, Heading, Layout
from pipelines.records import Document, Example


@dataclass(frozen=True)
class Plain(Chunker):
    """Two halves; notes what it is asked to split."""

    _asked: list[tuple[str, str | None]] = field(default_factory=list, init=False, compare=False)

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        self._asked.append((text, query))
        return [Chunk(text[:5], 0, 5), Chunk(text[5:], 5, len(text))]


def test_a_document_is_split_once_for_all_its_questions_where_a_chunker_says_nothing(tmp_path: Path) -> None:
    document, chunker = Document("d", "A cat. A dog."), Plain()
    data = [Example(str(number), document, f"Who is {number}?", ("a cat",)) for number in range(3)]
    pipelines.run("qa", data=data, chunker=chunker, retriever="bm25", k=1, model="lead", metrics="f1", out=tmp_path)
    assert chunker._asked == [("A cat. A dog.", None)]
    assert (Chunker.per_query, Chunker.covers_document, Chunker.single_chunk, Chunker.cut) == (False, True, False, True)


def test_a_chunker_that_says_nothing_of_headings_splits_as_without_them() -> None:
    chunker = Plain()
    assert chunker.split_document("A cat. A dog.", Layout((Heading(0, 5, 1, "A cat"),))) == chunker.split(
        "A cat. A dog."
    )
    assert chunker.remark_document("A cat.", Layout((Heading(0, 5, 1, "A cat"),))) is None
