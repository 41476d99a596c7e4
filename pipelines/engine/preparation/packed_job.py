"""A job as it comes back from another process: positions in the document instead of its text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from chunkers import Chunk
from pipelines.records import Span
from pipelines.strategies import Job

Packed = tuple[int, int, str | None, Span | None, Span | None] | Chunk


def packed(text: str, chunk: Chunk) -> Packed:
    """A chunk of `text` without its own text; one that is no slice of it, as a chunker in error makes, stays whole."""
    if type(chunk) is not Chunk or text[chunk.start : chunk.end] != chunk.text:
        return chunk
    return chunk.start, chunk.end, chunk.label, chunk.parent, chunk.heading


def unpacked(text: str, numbers: Packed) -> Chunk:
    """The chunk of `text`."""
    return numbers if isinstance(numbers, Chunk) else Chunk(text[numbers[0] : numbers[1]], *numbers)


@dataclass(frozen=True, slots=True)
class PackedChunks(Sequence[Chunk]):
    """The chunks of a document, each made when it is asked for: most strategies look at the selected ones alone."""

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
            return [unpacked(self.text, numbers) for numbers in self.items[index]]
        return unpacked(self.text, self.items[index])


@dataclass(frozen=True, slots=True)
class PackedJob:
    """What preparing found for one example; the fields are those of `Job`."""

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
        """A job, whose document's `chunks` are packed once for all its jobs."""
        text = job.example.document.text
        selected = [packed(text, chunk) for chunk in job.selected]
        counts = job.encoder_counts()
        return cls(chunks, selected, job.ranks, job.scores, job.evidence, job.remark, job.failure, counts)
