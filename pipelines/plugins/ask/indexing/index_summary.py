"""The summary that `longdoc data index` prints: counts of documents and passages, and the vectors kept on disk."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.messages import counted
from longdoc.plain_json import plain_value
from models.encoding_progress import Encoding
from pipelines.display.numbers import duration
from pipelines.engine import interruption_note
from pipelines.plugins.ask.indexing.document_index import DocumentIndex

DENSE = "dense"  # a retriever whose vectors are kept


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """Counts of documents that were indexed, and their passages' `vectors`, of which `encoded` were computed now.

    `retriever` is the retriever's name, `command` the command that asks these documents with this index.
    """

    documents: int
    words: int
    passages: int
    retriever: str
    vectors: Sequence[Encoding]
    encoded: int
    seconds: float
    warnings: Sequence[str]
    command: str

    @classmethod
    def of(
        cls, documents: DocumentIndex, files: Sequence[str], arguments: Mapping[str, Any], seconds: float
    ) -> "IndexSummary":
        """The summary of documents read from these files with these arguments."""
        options = [piece for name, value in arguments.items() for piece in (f"--{name.replace('_', '-')}", str(value))]
        return cls(
            documents=len(documents.documents),
            words=sum(len(document.text.split()) for document in documents.documents),
            passages=documents.chunks(),
            retriever=documents.retriever,
            vectors=documents.kept,
            encoded=documents.encoded,
            seconds=seconds,
            warnings=[warning for warning in documents.warnings if warning not in documents.unread],
            command=f'{shlex.join(["longdoc", "ask", *files, *options])} "QUESTION"',
        )

    @staticmethod
    def interrupted(documents: DocumentIndex) -> str:
        """How much of an unfinished index is kept, and the command that goes on with it; "" where nothing is kept."""
        unfinished = [
            f"{encoding.done:,} of {encoding.texts:,} passages"
            for encoding in documents.kept
            if encoding.done < encoding.texts
        ]
        return (
            f"kept: {', '.join(unfinished)} are encoded; to continue: {interruption_note.typed_command.get()}"
            if unfinished
            else ""
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        vectors = [
            {**plain_value(vector), "folder": str(vector.folder), "bytes": vector.texts * vector.size}
            for vector in self.vectors
        ]
        return {**plain_value(self), "vectors": vectors}

    def __str__(self) -> str:
        """The counts, the folders of vectors, and the command to ask with."""
        lines = [
            f"{counted(self.documents, 'document')}, {counted(self.words, 'word')}, "
            f"{counted(self.passages, 'passage')}, in {duration(self.seconds)}"
        ]
        lines += [_storage(vector) for vector in self.vectors]
        if self.vectors:
            lines.append(self._encoded())
        else:
            lines.append(
                f"{self.retriever} keeps nothing on disk, since each command builds it anew; a retriever that encodes "
                f"passages keeps their vectors: --retriever {DENSE}"
            )
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings), f"ask next: {self.command}"])

    def _encoded(self) -> str:
        if self.encoded == 0:
            return "all of them were there before"
        all_now = self.encoded >= sum(vector.texts for vector in self.vectors)
        return "all were encoded now" if all_now else f"{self.encoded:,} encoded now, the others were there before"


def _storage(vectors: Encoding) -> str:
    size = vectors.texts * vectors.size
    return f"kept: {counted(vectors.texts - vectors.deleted, 'vector')} in {vectors.folder} ({size / 1e6:,.1f} MB)"
