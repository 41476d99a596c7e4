"""Text to chunks. One chunker per file; `chunkers.get("tokens", size=200).split(text)`."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from longdoc.registry import Registry


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document. The law: `document[chunk.start:chunk.end] == chunk.text`, in Unicode code points."""

    text: str
    start: int
    end: int
    label: str | None = None  # section title, speaker, …


@runtime_checkable
class Chunker(Protocol):
    """Splits a document.

    `per_query` False: a document is split once for all its questions. A chunker may also carry `max_input_tokens`, a
    bound on the prompt that the pipeline puts on the reader (`truncate`), or a field `size` that is None and that the
    pipeline fills from the reader's limit; with a reader that has none it is 512 words, or no bound where the chunker
    has `unbounded` True. `remark(text)` may say what was not as expected. All chunks together hold every character
    that is not white space, unless `per_query`, or an attribute `covers` that is False, says that parts are left out
    on purpose.
    """

    per_query: bool

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of `text` in document order; an empty or white-space text has none."""
        ...


registry: Registry[Chunker] = Registry(__name__, "chunker", contract=Chunker)


def get(spec: Any, /, **fields: Any) -> Chunker:
    """The chunker for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all chunkers."""
    return registry.names()
