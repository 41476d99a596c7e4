"""The result of `ask`: an answer with the passages it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longdoc.plain_values import plain
from pipelines.records import Span

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that an answer came from: [start, end) in code points of its file's text, the retriever's score.

    `line` counts from 1 in that text. `location` is for people ("page 12", "chapter Loomings", "00:12:33", "line 40"),
    "" where it is not known; `file` the path, None for a `Document`. `answer` is the span in that text where the answer
    occurs word for word, if it does. `heading` is the one outside the passage that was shown before it.
    """

    text: str
    start: int
    end: int
    line: int
    score: float
    file: str | None = None
    location: str = ""
    answer: Span | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question about documents, with the passages the reader saw, in the order shown.

    `truncated_tokens` are the prompt tokens that were cut; `warnings` name what was not read, guessed encodings, and
    answers that were cut or refused. `outputs` counts the model's outputs that are "ended at length", "empty" or
    "refused". `asked` is False where there was no model (`model="none"`), only passages.
    """

    text: str
    passages: Sequence[Passage]
    truncated_tokens: int = 0
    question: str = ""
    warnings: Sequence[str] = ()
    outputs: Mapping[str, int] = field(default_factory=dict)
    asked: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        values: Mapping[str, Any] = {"question": self.question, "text": self.text, "passages": plain(self.passages)}
        return {
            **values,
            "truncated_tokens": self.truncated_tokens,
            "warnings": list(self.warnings),
            "outputs": dict(self.outputs),
            "asked": self.asked,
        }

    def __str__(self) -> str:
        """The answer, then an excerpt of each passage with its location, in it the answer in «»."""
        return self.plain()

    def plain(self, full: bool = False) -> str:
        """As `str`; `full` prints answer and passages whole."""
        from pipelines.answers import rendering

        return rendering.as_text(self, full)

    def rich(self, full: bool = False) -> "Group":
        """As `plain`, with bold and colour for a terminal, and wrapped to its width."""
        from pipelines.answers import rendering

        return rendering.for_terminal(self, full)
