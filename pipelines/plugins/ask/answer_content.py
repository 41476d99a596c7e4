"""What an answer holds: its text, and the passages it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longdoc.plain_json import plain_value
from pipelines.records import Span


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The text before and after a passage, and how many characters its document has."""

    before: str
    after: str
    length: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that an answer came from: [start, end) in code points of its file's text, the retriever's score.

    `line` counts from 1 in that text. `location` is for people ("page 12", "chapter Loomings", "00:12:33", "line 40"),
    "" where it is not known; `file` the path, None for a `Document`. `answer` is the span in that text where the answer
    occurs word for word, if it does. `heading` is the one outside the passage that was shown before it. `shown` is
    False where the passage did not fit the prompt, and the model did not read it. `around` is for pages, and not in
    `Answer.to_dict`.
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
    shown: bool = True
    around: Surroundings | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that an answer cites: its number (`Answer.passages[number - 1]`), and where it is."""

    number: int
    file: str | None = None
    location: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of `Answer.passages[passage - 1]`, [start, end) in its file's text, and where that is."""

    text: str
    passage: int
    start: int
    end: int
    file: str | None = None
    location: str = ""


@dataclass(frozen=True, slots=True)
class AnswerContent:
    """What an `Answer` holds; its docstring explains the fields."""

    text: str
    passages: Sequence[Passage]
    truncated_tokens: int = 0
    question: str = ""
    warnings: Sequence[str] = ()
    outputs: Mapping[str, int] = field(default_factory=dict)
    asked: bool = True
    citations: Sequence[Citation] = ()
    found: bool = True
    best_sentence: Sentence | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        passages = [
            {name: value for name, value in plain_value(part).items() if name != "around"} for part in self.passages
        ]
        values: Mapping[str, Any] = {"question": self.question, "text": self.text, "passages": passages}
        return {
            **values,
            "truncated_tokens": self.truncated_tokens,
            "warnings": list(self.warnings),
            "outputs": dict(self.outputs),
            "asked": self.asked,
            "citations": plain_value(self.citations),
            "found": self.found,
            "best_sentence": plain_value(self.best_sentence),
        }
