"""The head of the document, or its head and its end: the baseline that reads only up to a limit."""

from dataclasses import dataclass, field
from typing import Literal

from chunkers import Chunk, Chunker
from chunkers.whole import Whole
from longdoc.errors import UserError
from longdoc.registry import ADDED_LATER


@dataclass(frozen=True)
class Truncate(Chunker):
    """One chunk, the whole text, with a limit of `tokens` on the prompt, counted in the reader's own tokens.

    The pipeline applies the limit to the prompt; a chunker by itself cannot know how the reader counts. `side` is what
    is cut of a document that does not fit: its tail, or the "middle", as the code of ∞Bench, LongBench, LongBench v2
    and LaRA does. Of the whole prompt's tokens, which then include the special ones that the tokenizer adds, the first
    tokens // 2 stay and the last tokens - tokens // 2 (on LongBench and LooGLE tokens // 2 too); text around the
    document is never cut (`models.truncation.without_middle`). `truncate:side=middle`, without `tokens`, leaves the
    reader's own limit alone. Raises `UserError` for a bound below 1, and for a tail that nothing bounds.
    """

    single_chunk = True

    tokens: int | None = None
    side: Literal["tail", "middle"] = field(default="tail", metadata=ADDED_LATER)

    def __post_init__(self) -> None:
        if self.tokens is None and self.side == "tail":
            raise UserError(
                "truncate needs tokens, as in truncate:512; for the reader's own limit use truncate:side=middle"
            )
        if self.tokens is not None and self.tokens < 1:
            raise UserError(f"tokens must be 1 or more, got {self.tokens}")

    @property
    def max_input_tokens(self) -> int | None:  # type: ignore[override]
        """The bound on the reader's prompt, in its tokens; None where there is only the reader's own."""
        return self.tokens

    @property
    def cut_side(self) -> Literal["tail", "middle"]:  # type: ignore[override]
        """The side that is cut if the document does not fit."""
        return self.side

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The whole of `text`; nothing if it is only white space."""
        return Whole().split(text, query)
