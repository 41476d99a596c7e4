"""Prompts of ordered parts. Only document parts are ever cut; everything else reaches the model whole."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Role = Literal["instruction", "query", "options", "document", "notice", "cue", "text", "prefill"]
CutAt = Literal["word", "token"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the prompt. Document parts have their span (`start`, `end`) in the document, in code points.

    `rank` orders the document parts by worth, 0 the best: the highest is cut first. `opening` is what is shown before
    a document part as long as any of it is: a mark that text was left out, and its heading, which is at `heading` in
    the document. A notice tells the reader that something was cut; it is there only where that is so. A prefill, the
    last part, is how the answer begins.
    """

    role: Role
    text: str
    start: int | None = None
    end: int | None = None
    rank: int = 0
    opening: str = ""
    heading: tuple[int, int] | None = None


@dataclass(frozen=True)
class Prompt:
    """Parts in order; adjacent document parts are joined by `separator`. `truncated_tokens` were removed already.

    `cut_at` is where a document part may end that does not fit: after a word, or after any token of the reader's, as
    benchmarks do whose code cuts token ids.
    """

    parts: tuple[Part, ...]
    separator: str = "\n"
    truncated_tokens: int = 0
    cut_at: CutAt = "word"

    @classmethod
    def of(cls, prompt: "Prompt | str") -> "Prompt":
        """A prompt as it is; a bare string becomes one document part, truncated at its end where it must be."""
        return prompt if isinstance(prompt, Prompt) else cls((Part("document", prompt, 0, len(prompt)),))

    @property
    def visible_parts(self) -> tuple[Part, ...]:
        """The parts that the reader gets: notices only where something was cut."""
        return tuple(part for part in self.parts if self.truncated_tokens or part.role != "notice")

    @cached_property
    def text(self) -> str:
        """The exact text that the reader gets."""
        pieces: list[str] = []
        for before, part in zip((None, *self.visible_parts), self.visible_parts, strict=False):
            if before is not None and before.role == part.role == "document":
                pieces.append(self.separator)
            pieces += (part.opening, part.text)
        return "".join(pieces)

    @property
    def turns(self) -> tuple[str, str]:
        """What the user says, and how the assistant's answer begins ("" where the prompt does not say).

        For readers that can begin the assistant's turn; the others get `text`, which holds both.
        """
        begun = "".join(part.text for part in self.parts if part.role == "prefill")
        return self.text.removesuffix(begun), begun.strip()

    @property
    def query(self) -> str:
        """The text of the query parts."""
        return "".join(part.text for part in self.parts if part.role == "query")

    @property
    def passages(self) -> tuple[Part, ...]:
        """The document parts, in prompt order."""
        return tuple(part for part in self.parts if part.role == "document")

    @property
    def query_spans(self) -> list[tuple[int, int]]:
        """Where in `text` the query parts are: (start, end) of each."""
        spans, at, before = [], 0, ""
        for part in self.visible_parts:
            if before == part.role == "document":
                at += len(self.separator)
            at += len(part.opening)
            if part.role == "query":
                spans.append((at, at + len(part.text)))
            at += len(part.text)
            before = part.role
        return spans

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The spans in the document: (start, end) of each document part that has one, in prompt order.

        That of a shown heading comes before its part's.
        """
        own = ((part.start, part.end) for part in self.passages)
        pairs = zip((part.heading for part in self.passages), own, strict=True)
        return [(a, b) for span in pairs for a, b in filter(None, span) if a is not None and b is not None]

    def with_passages(self, passages: tuple[Part, ...], truncated_tokens: int = 0) -> "Prompt":
        """The same prompt with the document parts replaced one by one; parts with an empty text are dropped."""
        fresh = iter(passages)
        parts = tuple(next(fresh) if part.role == "document" else part for part in self.parts)
        return replace(
            self,
            parts=tuple(p for p in parts if p.role != "document" or p.text),
            truncated_tokens=self.truncated_tokens + truncated_tokens,
        )
