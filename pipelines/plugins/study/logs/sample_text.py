"""The texts of a log's sample: question, references, outputs, and whether the prompt contained the answer."""

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
CLOSED_ANSWERS = ("yes", "no", "true", "false", "unanswerable")  # whose words are in a prompt anyway


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
        """The output, or those of several epochs, numbered."""
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
    """The texts of a sample. `fields` are those of its row, `is_open` says that the answer is not a choice of options.

    The question is the first of `QUESTION_FIELDS` that the prompt contains, or without a prompt the first of all; else
    it is the prompt. The document is the longest text of a field, of a hundred words or more.
    """
    fields = fields or {}
    query = next(filter(None, (_question(fields.get(name), prompt) for name in QUESTION_FIELDS)), prompt)
    answers = tuple(map(str, references if isinstance(references, (list, tuple)) else [references]))
    recall = _recall(answers, query, prompt, _document(fields)) if is_open else {}
    return SampleText(_shortened(query), tuple(map(_shortened, answers)), [_shortened(text_of(output))], recall)


def text_of(value: Any) -> str:
    """A value as text: the first of a list, empty for None and for an empty list."""
    while isinstance(value, list) and value:
        value = value[0]
    return "" if value is None or value == [] else str(value)


def _question(value: Any, prompt: str) -> str:
    """The value where it can be the question of the prompt, else nothing."""
    return value if isinstance(value, str) and (value in prompt or not prompt) else ""


def _document(fields: Mapping[str, Any]) -> str:
    """The longest text of a field that is long enough for a document, else nothing."""
    texts = [value for value in fields.values() if isinstance(value, str)]
    longest = max(texts, key=len, default="")
    return longest if word_count(longest) >= SHORTEST_DOCUMENT else ""


def _recall(answers: Sequence[str], query: str, prompt: str, document: str) -> dict[str, float]:
    """The row of `answer_recall` for a prompt without its question; empty where the prompt has no document."""
    context = prompt.replace(query, " ") if query != prompt else prompt
    open_answers = tuple(answer for answer in answers if _is_open(normalize(answer)))
    if not open_answers or word_count(context) < SHORTEST_DOCUMENT:
        return {}
    return AnswerRecall().statistics(context, Example("", Document("", document), references=open_answers))


def _is_open(answer: str) -> bool:
    """Whether it says something that a prompt contains this answer, in normal form; not for a single character."""
    return len(answer) > 1 and answer not in CLOSED_ANSWERS


def _shortened(text: str) -> str:
    return numbers.shortened(text, LONGEST_TEXT)
