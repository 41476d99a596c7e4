"""Prompts of ordered parts. Only document parts are ever cut; everything else reaches the model whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Role = Literal["instruction", "query", "options", "document", "notice", "cue", "text", "prefill"]
CutAt = Literal["word", "token"]
CutSide = Literal["tail", "middle"]

GAP = "[...]\n"  # stands where text was left out


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the prompt. Document parts have their span (`start`, `end`) in the document, in code points.

    `rank` orders the document parts by worth, 0 the best: the highest is cut first. `title` is the text of the heading
    that a document part stands under, which is at `heading` in the document: a prompt shows it before the first of its
    parts under that heading. `gap` says whether text was left out since the document part before, which is marked; None
    where a prompt marks no gaps. `label` names the part and is shown before all of this, on a line of its own unless
    `label_end` is something else than a line end. A notice tells the
    reader that something was cut; it is there only where that is so. A prefill, the last part, is how the answer
    begins.
    """

    role: Role
    text: str
    start: int | None = None
    end: int | None = None
    rank: int = 0
    title: str = ""
    heading: tuple[int, int] | None = None
    gap: bool | None = None
    label: str = ""
    label_end: str = "\n"

    @property
    def shown_label(self) -> str:
        """The label as it is shown; "" if there is none."""
        return self.label + self.label_end if self.label else ""


@dataclass(frozen=True)
class Prompt:
    """Parts in order; adjacent document parts are joined by `separator`. `truncated_tokens` were removed already.

    `cut_at` is where a document part may end that does not fit: after a word, or after any token of the reader's, as
    benchmarks do whose code cuts token ids. `cut_side` is what is left out where a document does not fit: its tail, or
    the middle of the whole prompt (`models.truncation.without_middle`).
    """

    parts: tuple[Part, ...]
    separator: str = "\n"
    truncated_tokens: int = 0
    cut_at: CutAt = "word"
    cut_side: CutSide = "tail"

    @classmethod
    def of(cls, prompt: "Prompt | str") -> "Prompt":
        """The prompt itself; a string becomes a prompt of one document part."""
        return prompt if isinstance(prompt, Prompt) else cls((Part("document", prompt, 0, len(prompt)),))

    @property
    def visible_parts(self) -> tuple[Part, ...]:
        """The prompt's parts. A notice is left out if nothing was cut."""
        return tuple(part for part in self.parts if self.truncated_tokens or part.role != "notice")

    @cached_property
    def openings(self) -> tuple[str, ...]:
        """The text before each visible part: its label, a mark that text was left out, a new heading."""
        openings: list[str] = []
        shown_spans: set[tuple[int, int] | None] = {None}
        for part in self.visible_parts:
            title = f"{part.title}\n" if part.heading not in shown_spans else ""
            openings.append(part.shown_label + (GAP if part.gap else "") + title)
            shown_spans.add(part.heading)
        return tuple(openings)

    @cached_property
    def text(self) -> str:
        """The exact text that the reader gets."""
        pieces: list[str] = []
        before: Part | None = None
        for opening, part in zip(self.openings, self.visible_parts, strict=True):
            if before is not None and before.role == part.role == "document":
                pieces.append(self.separator)
            pieces += (opening, part.text)
            before = part
        return "".join(pieces)

    @property
    def turns(self) -> tuple[str, str]:
        """The user's message, and the start of the assistant's answer ("" if the prompt has none).

        For readers that can begin the assistant's turn; the others get `text`, which holds both.
        """
        answer_start = "".join(part.text for part in self.parts if part.role == "prefill")
        return self.text.removesuffix(answer_start), answer_start.strip()

    @property
    def query(self) -> str:
        """The text of the query parts."""
        return "".join(part.text for part in self.parts if part.role == "query")

    @property
    def passages(self) -> tuple[Part, ...]:
        """The document parts, in prompt order."""
        return tuple(part for part in self.parts if part.role == "document")

    @property
    def titled_passages(self) -> tuple[Part, ...]:
        """The document parts, each text beginning with the heading that is shown before it."""
        openings = zip(self.openings, self.visible_parts, strict=True)
        return tuple(
            replace(part, text=opening.removeprefix(part.shown_label).removeprefix(GAP) + part.text)
            for opening, part in openings
            if part.role == "document"
        )

    @property
    def places(self) -> list[tuple[int, int]]:
        """(start, end) of each visible part in `text`, without the opening before it."""
        spans, position, before = [], 0, ""
        for opening, part in zip(self.openings, self.visible_parts, strict=True):
            if before == part.role == "document":
                position += len(self.separator)
            position += len(opening)
            spans.append((position, position + len(part.text)))
            position += len(part.text)
            before = part.role
        return spans

    @property
    def query_spans(self) -> list[tuple[int, int]]:
        """(start, end) of each query part in `text`."""
        parts = zip(self.visible_parts, self.places, strict=True)
        return [place for part, place in parts if part.role == "query"]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """(start, end) in the document of each document part that has a span, in prompt order.

        That of a heading comes before its first part's.
        """
        shown_headings: dict[tuple[int, int], None] = {}
        spans: list[tuple[int, int]] = []
        for part in self.passages:
            if part.heading is not None and part.heading not in shown_headings:
                shown_headings[part.heading] = None
                spans.append(part.heading)
            if part.start is not None and part.end is not None:
                spans.append((part.start, part.end))
        return spans

    def with_passages(self, passages: tuple[Part, ...], truncated_tokens: int = 0) -> "Prompt":
        """The same prompt with the document parts replaced one by one; parts with an empty text are dropped.

        Where gaps are marked, one is behind each part that was dropped or shortened.
        """
        replacements = iter(_with_gaps(self.passages, passages))
        parts = tuple(next(replacements) if part.role == "document" else part for part in self.parts)
        return replace(
            self,
            parts=tuple(p for p in parts if p.role != "document" or p.text),
            truncated_tokens=self.truncated_tokens + truncated_tokens,
        )


def _with_gaps(before: Sequence[Part], passages: Sequence[Part]) -> list[Part]:
    """The passages that replace those before, marked where text was cut from the ones in front."""
    parts: list[Part] = []
    cut, first = False, True
    for old, part in zip(before, passages, strict=True):
        if part.gap is not None and part.text:
            part = replace(part, gap=not first and (cut or part.gap))  # noqa: PLW2901
        cut = len(part.text) < len(old.text) or (cut and not part.text)
        first = first and not part.text
        parts.append(part)
    return parts
