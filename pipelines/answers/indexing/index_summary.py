"""What `longdoc data index` made: counts of documents and passages, and the vectors that are kept of them."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.plain_values import plain_value
from models.encoding_progress import Encoding
from pipelines.answers.indexing.document_index import DocumentIndex
from pipelines.display.numbers import duration
from pipelines.engine import interruption_note

DENSE = "dense"  # a retriever that keeps something


@dataclass(frozen=True, slots=True)
class Indexed:
    """Documents that were indexed: `passages` and their `vectors`, of which `encoded` were computed now.

    `retriever` is its name, `command` the one that asks these documents by this index.
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
    ) -> "Indexed":
        """What was made of these files with these arguments."""
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
        """What is kept of an index that was not finished, and how it goes on; "" where nothing is."""
        names = [
            f"{encoding.done:,} of {encoding.texts:,} passages"
            for encoding in documents.kept
            if encoding.done < encoding.texts
        ]
        return (
            f"kept: {', '.join(names)} are encoded; go on with: {interruption_note.typed_command.get()}"
            if names
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
        """The counts, what is kept where, and the command that asks next."""
        lines = [
            f"{_counted_text(self.documents, 'document')}, {_counted_text(self.words, 'word')}, "
            f"{_counted_text(self.passages, 'passage')}, in {duration(self.seconds)}"
        ]
        lines += [_kept_text(vector) for vector in self.vectors]
        if self.vectors:
            lines.append(self._encoded())
        else:
            lines.append(
                f"nothing needs keeping: {self.retriever} is made anew by each command; a retriever that encodes "
                f"passages keeps their vectors: --retriever {DENSE}"
            )
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings), f"ask next: {self.command}"])

    def _encoded(self) -> str:
        if self.encoded == 0:
            return "all of them were there before"
        all_now = self.encoded >= sum(vector.texts for vector in self.vectors)
        return "all were encoded now" if all_now else f"{self.encoded:,} encoded now, the others were there before"


def _kept_text(vectors: Encoding) -> str:
    size = vectors.texts * vectors.size
    return (
        f"kept: {_counted_text(vectors.texts - vectors.deleted, 'vector')} in {vectors.folder} ({size / 1e6:,.1f} MB)"
    )


def _counted_text(number: int, description: str) -> str:
    return f"{number:,} {description}{'' if number == 1 else 's'}"
