"""RULER's rows: `{index, input, outputs, length}` (Hsieh et al. 2024), the input being the whole prompt.

All `outputs` are to be named, save in `qa_1` and `qa_2`. `answer_prefix`, in rows of newer releases, follows the input.

Where the document is, the form of a prompt shows:
- its last line is the question, with the beginning of the answer; where the instruction stands once more right before
  it (qa), that belongs to it;
- an example comes first in some tasks: then the instruction occurs twice, and what counts is behind the second;
- the instruction is the first line, of which fwe's goes on with the coded words, in small letters, and qa's is followed
  by a line of its own before "Document 1:".

An input of one line has no question that could be told apart, and is all document.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.records import Example, Span
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.prompt_rows import PromptSpans, parts, stated_spans, trimmed
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "RULER's rows (index, input, outputs, length)"
EXAMPLE_END = "\n\n\n\n"  # of an example that goes before the text
_CODED = re.compile(r"(?<=\.) (?=[a-z.])")  # an instruction's end where no line ends there
_LISTED = re.compile(r"[^\n]+\n\n(?=Document 1:)")
QUESTION, ANSWER = "Question:", "Answer:"  # what stands before these where a prompt names them


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is RULER's."""
    return isinstance(fields.get("input"), str) and {"index", "outputs", "length"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row, its id the row's index. All outputs are references."""
    documents = SharedDocuments()
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        yield _example(row, documents)


def _example(row: Row, documents: SharedDocuments) -> Example:
    text, references = row.string("input"), row.strings("outputs")
    if not references:
        raise row.refusal("the row needs outputs")
    spans = stated_spans(row, text) or spans_of(text)
    ending = row.string("answer_prefix")
    return Example(row.string("index"), references=references, **parts(row, text, spans, documents, ending))


def spans_of(text: str) -> PromptSpans:
    """Where a prompt in RULER's form has its document and its question."""
    last_line = text.rstrip().rfind("\n") + 1
    if not last_line:
        return PromptSpans.all_document(text)
    start, end = _document(text, last_line)
    if start >= end:
        return PromptSpans.all_document(text)
    return PromptSpans((start, end), _query(text, last_line))


def _document(text: str, last_line: int) -> Span:
    first_line = text[: text.find("\n")]
    end = _before_repeated(text, first_line, last_line)
    start = _after_example(text, first_line, end)
    if (coded := _CODED.search(text, start, last_line)) and "\n" not in text[start:end]:
        start = coded.end()
    else:
        start = text.find("\n", start) + 1
        start = trimmed(text, start, end)[0]
    if listed := _LISTED.match(text, start):
        start = listed.end()
    return trimmed(text, start, end)


def _after_example(text: str, first_line: str, end: int) -> int:
    """Where the instruction starts that the text follows: not at the prompt's start where an example goes before."""
    begin = text.rfind(EXAMPLE_END, 0, end) + len(EXAMPLE_END)
    instruction = text[begin : text.find("\n", begin)]
    if begin >= len(EXAMPLE_END) and instruction and text.lstrip().startswith(instruction):
        return begin
    return text.rfind(f"\n{first_line}\n", 0, end) + 1


def _before_repeated(text: str, first_line: str, last_line: int) -> int:
    """The document's end: before the last line, and before the instruction where that stands once more before it."""
    end = trimmed(text, 0, last_line)[1]
    repeated = end - len(first_line)
    return trimmed(text, 0, repeated)[1] if repeated > 0 and text.endswith(first_line, repeated, end) else end


def _query(text: str, last_line: int) -> Span:
    """The question in the last line: what stands before "Answer:", or up to the first question mark; else all of it."""
    start = last_line + len(QUESTION) * text.startswith(QUESTION, last_line)
    if (answer := text.find(ANSWER, start)) >= 0:
        return trimmed(text, start, answer)
    mark = text.find("?", start)
    return trimmed(text, start, mark + 1 if mark >= 0 else len(text))
