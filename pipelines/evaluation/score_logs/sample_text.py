"""What logs have of a sample besides scores: question, references, outputs, whether the prompt held the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkers.shared.words import word_count
from pipelines.display import numbers
from pipelines.metrics.answer_recall import AnswerRecall
from pipelines.metrics.shared.words import normalize
from pipelines.records import Document, Example

QUESTION_FIELDS = ("question", "query", "input", "claim", "instruction", "title")  # by preference
SHORTEST_DOCUMENT = 100  # words of a text that may be a document, and of a prompt that may hold one
LONGEST_TEXT = 20_000  # characters that are kept of a text
CLOSED_ANSWERS = ("yes", "no", "true", "false", "unanswerable")  # which the words of a prompt hold anyway


@dataclass(frozen=True, slots=True)
class SampleText:
    """The texts of a sample, shortened in their middle where they are very long.

    `outputs` has one for each epoch; `recall` is the row of `answer_recall` for the prompt, empty where it cannot be
    told.
    """

    query: str = ""
    references: tuple[str, ...] = ()
    outputs: list[str] = field(default_factory=list)
    recall: Mapping[str, float] = field(default_factory=dict)

    @property
    def output(self) -> str:
        """The output; of several epochs all, numbered."""
        if len(self.outputs) < 2:
            return "".join(self.outputs)
        return "\n\n".join(f"{number}. {output}" for number, output in enumerate(self.outputs, 1))


def sample_text(
    references: Any,
    output: Any,
    prompt: str = "",
    fields: Mapping[str, Any] | None = None,
    *,
    is_open: bool = True,
) -> SampleText:
    """The texts of a sample. `fields` are those of its row, `is_open` whether the answer is no choice of options.

    The question is the first of `QUESTION_FIELDS` that the prompt holds (or that there is, without a prompt), else the
    prompt. The document is the longest text of a field, of a hundred words or more.
    """
    fields = fields or {}
    query = next(filter(None, (_question(fields.get(name), prompt) for name in QUESTION_FIELDS)), prompt)
    answers = tuple(map(str, references if isinstance(references, (list, tuple)) else [references]))
    recall = _recall(answers, query, prompt, _document(fields)) if is_open else {}
    return SampleText(_shortened(query), tuple(map(_shortened, answers)), [_shortened(text_of(output))], recall)


def text_of(value: Any) -> str:
    """A value as text; of a list its first, of nothing nothing."""
    while isinstance(value, list) and value:
        value = value[0]
    return "" if value is None or value == [] else str(value)


def _question(value: Any, prompt: str) -> str:
    return value if isinstance(value, str) and (value in prompt or not prompt) else ""


def _document(fields: Mapping[str, Any]) -> str:
    texts = [value for value in fields.values() if isinstance(value, str)]
    longest = max(texts, key=len, default="")
    return longest if word_count(longest) >= SHORTEST_DOCUMENT else ""


def _recall(answers: Sequence[str], query: str, prompt: str, document: str) -> dict[str, float]:
    """The row of `answer_recall` for a prompt without its question; none where the prompt has no document."""
    shown_text = prompt.replace(query, " ") if query != prompt else prompt
    open_answers = tuple(answer for answer in answers if _is_open(normalize(answer)))
    if not open_answers or word_count(shown_text) < SHORTEST_DOCUMENT:
        return {}
    return AnswerRecall().statistics(shown_text, Example("", Document("", document), references=open_answers))


def _is_open(answer: str) -> bool:
    """Whether an answer in normal form says something by standing in a prompt: none of one character."""
    return len(answer) > 1 and answer not in CLOSED_ANSWERS


def _shortened(text: str) -> str:
    return numbers.shortened(text, LONGEST_TEXT)
