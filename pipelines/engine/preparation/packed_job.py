"""A job as another process sends it: with positions in the document instead of its text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from chunkers import Chunk
from pipelines.records import Span
from pipelines.strategies import Job

Packed = tuple[int, int, str | None, Span | None, Span | None] | Chunk


def packed(text: str, chunk: Chunk) -> Packed:
    """The positions of a chunk of `text`; the chunk itself if it is not a slice of `text`, from a faulty chunker."""
    if type(chunk) is not Chunk or text[chunk.start : chunk.end] != chunk.text:
        return chunk
    return chunk.start, chunk.end, chunk.label, chunk.parent, chunk.heading


def unpacked(text: str, packed_chunk: Packed) -> Chunk:
    """The chunk of `text` that was packed."""
    return (
        packed_chunk
        if isinstance(packed_chunk, Chunk)
        else Chunk(text[packed_chunk[0] : packed_chunk[1]], *packed_chunk)
    )


@dataclass(frozen=True, slots=True)
class PackedChunks(Sequence[Chunk]):
    """The chunks of a document, each made when it is used: most strategies use the selected ones alone."""

    text: str
    items: Sequence[Packed]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Chunk]:
        return (unpacked(self.text, item) for item in self.items)

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> list[Chunk]: ...
    def __getitem__(self, index: int | slice) -> Chunk | list[Chunk]:
        if isinstance(index, slice):
            return [unpacked(self.text, packed_chunk) for packed_chunk in self.items[index]]
        return unpacked(self.text, self.items[index])


@dataclass(frozen=True, slots=True)
class PackedJob:
    """The fields of a `Job` that preparing fills, for one example."""

    chunks: Sequence[Packed]
    selected: Sequence[Packed]
    ranks: dict[int, int]
    scores: Sequence[float]
    evidence: Mapping[str, int]
    remark: str | None
    failure: str | None
    encoder_counts: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, job: Job, chunks: Sequence[Packed]) -> "PackedJob":
        """The packed job. `chunks` are those of its document, packed once for all jobs."""
        text = job.example.document.text
        selected = [packed(text, chunk) for chunk in job.selected]
        counts = job.encoder_counts()
        return cls(chunks, selected, job.ranks, job.scores, job.evidence, job.remark, job.failure, counts)
