"""Prompts that are part of the data's rows, as ZeroSCROLLS' are (Shaham et al. 2023, section 3.2 and tables 5 and 6).

    instruction, context header, document, [query with its header], response header

`before` + document + `after` is the row's input to the letter; selected passages take the place of the document. Where,
and only where, it was truncated, the row's own notice follows it; the text around the document is never cut. As in the
published code, the document is cut at a token of the reader's, and the notice replaces the white space after it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from longdoc.errors import UserError
from models.prompts import Part, Prompt
from pipelines.records import Example

Form = Literal["row", "chat", "tags"]
Wording = Literal["published", "own"]

FORMS: tuple[Form, ...] = ("row", "chat", "tags")
REQUEST = "Do not provide any explanation."  # section 3.2
TAGGED = "Do not provide any explanation, and please highlight your final {0} with <{1}></{1}> tags."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class RowWording:
    """The words around a document: the instruction, and the headers of context, query and response.

    `truncation` is the notice after a document that was cut. A task without a query has no header for one. A summary
    (`is_summary`) gets no request about the form of its answer, in our words or published ones.
    """

    instruction: str
    context: str
    query: str
    response: str
    truncation: str
    is_summary: bool = False

    @property
    def parts(self) -> dict[str, str]:
        """The words by their place in the prompt, for a run's record."""
        return {
            "instruction": self.instruction,
            "context": self.context,
            "query": self.query,
            "response": self.response,
            "truncation": self.truncation,
        }


@dataclass(frozen=True, slots=True)
class RowPrompt:
    """The prompt of each row, in one of three forms.

    - row: to the letter.
    - chat: without the response header; the instruction ends with the paper's format request, unless the output is a
      `summary`. Without a query the prompt ends with the line ends after the document, as in the published code.
    - tags: as chat, and (save summaries) the request asks for tags around the answer: the response header in lower
      case, with underscores for other characters than letters and digits. The answer begins with the header and the
      opening tag (a prefill, which ends the prompt for readers that cannot begin the assistant's turn) and ends before
      the closing tag.

    Examples of original releases have no prompt: they get our `own` words (instruction, context, query, response,
    truncation). `wording` says whose words they are.
    """

    form: Form = "row"
    wording: Wording = "published"
    summary: bool = False
    own: Mapping[str, str] | None = None
    separator: str = "\n"

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts. Raises `UserError` where the example lacks a prompt."""
        frame = self._frame(example)
        head, tail = frame.head, frame.tail
        if self.form != "row":
            tail = [part for part in tail if part.role != "cue"]
            if not self.summary:
                header = frame.header.rstrip()
                tag = _tag(header)
                request = REQUEST if self.form == "chat" else TAGGED.format(_kind(header), tag)
                first = replace(head[0], text=f"{head[0].text.rstrip()} {request}".lstrip())
                head = [first, *head[1:]]
                if self.form == "tags":
                    tail.append(Part("prefill", f"{header} <{tag}>"))
        parts = [part for part in (*head, *passages, *_notice(frame.notice, tail), *tail) if part.text]
        return Prompt(tuple(parts), self.separator, cut_at="token")

    def answer(self, example: Example, output: str) -> str:
        """The answer in an output: with tags, the text between them."""
        if self.form != "tags" or self.summary:
            return output
        tag = _tag(self._frame(example).header)
        return output.partition(f"</{tag}>")[0].rpartition(f"<{tag}>")[2].strip()

    def choices(self, example: Example) -> tuple[str, ...]:
        """Empty: the row's words may ask for anything."""
        return ()

    def remark(self, example: Example, answer: str) -> str | None:
        """None: any answer is allowed."""
        return None

    def _frame(self, example: Example) -> "_Frame":
        if "before" in example.meta:
            return _published_frame(example)
        if self.own is None or self.wording == "published":
            raise UserError(f"example {example.id!r} has no prompt of its own; set prompt='{{query}} {{document}}'")
        return _own_frame(example, self.own)


def instruction_of(example: Example) -> str:
    """The instruction of an example's own prompt; "" where it has none."""
    return str(example.meta.get("before", "")).partition("\n\n")[0].strip()


@dataclass(frozen=True, slots=True)
class _Frame:
    """The parts before and after the document, and the notice. `header` is the text that announces the response."""

    head: list[Part]
    tail: list[Part]
    notice: str

    @property
    def header(self) -> str:
        return "".join(part.text for part in self.tail if part.role == "cue")


def _published_frame(example: Example) -> _Frame:
    """The frame that the example's own prompt makes."""
    before, after, notice, header = (
        str(example.meta.get(name, "")) for name in ("before", "after", "truncation", "header")
    )
    if span := example.meta.get("query_in_before"):
        start, end = span
        query = [Part("query", before[start + len(header) : end]), Part("text", before[end:])]
        return _Frame([*_instruction_parts(before[:start] + header), *query], [Part("cue", after)], notice)
    start, end = example.meta.get("query_in_after", (0, 0))
    tail = [Part("text", after[:start] + header), Part("query", after[start + len(header) : end])]
    return _Frame(_instruction_parts(before), [*tail, Part("cue", after[end:])], notice)


def _own_frame(example: Example, words: Mapping[str, str]) -> _Frame:
    """The frame in our words, for an example without a prompt."""
    own_words = {name: text.strip() for name, text in words.items() if name != "truncation"}
    tail = [Part("text", "\n\n"), Part("cue", f"{own_words['response']}\n")]
    if example.query:
        query = [Part("text", f"\n\n{own_words['query']}\n"), Part("query", example.query), *_options(example)]
        tail = [*query, Part("cue", f"\n\n{own_words['response']}\n")]
    return _Frame(
        _instruction_parts(f"{own_words['instruction']}\n\n{own_words['context']}\n"), tail, words["truncation"]
    )


def _instruction_parts(text: str) -> list[Part]:
    """Two parts: the instruction, which ends at the first blank line, and the rest."""
    first, blank, rest = text.partition("\n\n")
    return [Part("instruction", first), Part("text", blank + rest)]


def _options(example: Example) -> list[Part]:
    """The options with letters, where the query does not list them."""
    if all(option in example.query for option in example.options):
        return []
    lines = [f" ({letter}) {option}" for letter, option in zip(LETTERS, example.options, strict=False)]
    return [Part("options", "\n\n" + "\n".join(lines))]


def _notice(text: str, tail: Sequence[Part]) -> list[Part]:
    """The notice as a part, without white space at its end if the next part begins with some."""
    after = "".join(part.text for part in tail)
    return [Part("notice", text.rstrip() if not after or after[0].isspace() else text)]


def _kind(header: str) -> str:
    """The answer's name in a response header, in lower case."""
    return header.strip().replace(":", "").lower() or "answer"


def _tag(header: str) -> str:
    """The tag around the answer, from its response header."""
    return re.sub(r"[^a-z0-9]+", "_", header.lower()).strip("_") or "answer"
