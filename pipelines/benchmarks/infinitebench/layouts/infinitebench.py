"""∞Bench's rows: `{id, context, input, answer, options}` (Zhang et al. 2024). All of a row's `answer` are accepted.

En.MC's rows have four options, and the right one's text as their answer: its letter is a reference too, as in the
benchmark's own code. En.Dia's rows ask for the character whose name $$MASK$$ stands for.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "∞Bench's rows (id, context, input, answer, options)"
OLDER = "the row is of an older release, where `document` names a file and `question` asks: get the current release"
LETTERS = ("A", "B", "C", "D")
MASK = "$$MASK$$"
QUESTION = f"Which character is {MASK}?"  # of rows without one: retrievers look for it


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is ∞Bench's, of this release or of an older one, which is refused later on."""
    return _is_older(fields) or _is_current(fields)


def _is_current(fields: Mapping[str, Any]) -> bool:
    return isinstance(fields.get("context"), str) and {"id", "input", "answer", "options"} <= fields.keys()


def _is_older(fields: Mapping[str, Any]) -> bool:
    return str(fields.get("document", "")).endswith(".txt") and {"question", "answer"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one document share it."""
    documents = SharedDocuments()
    for row in table.rows():
        fields = row.fields
        if not _is_current(fields):
            raise UserError(f"{row.location}: {OLDER}") if _is_older(fields) else row.refusal(f"expected {ACCEPTS}")
        options = _options(row)
        references = row.strings("answer")
        if options:
            references = _choice(references, options, row.location)
        yield Example(
            id=str(fields["id"]),
            document=documents.document(fields["context"], row.location),
            query=_query(row) if has_query else "",
            references=references,
            options=options,
            meta={"gold": references[1]} if options else {},
        )


def _query(row: Row) -> str:
    query = row.string("input")
    if query.strip():
        return query
    if MASK in row.fields["context"]:
        return QUESTION
    raise row.refusal("the row needs a question in 'input'")


def _options(row: Row) -> tuple[str, ...]:
    """The four options as they are; empty where all of them are."""
    options = row.fields["options"]
    options = options if isinstance(options, (list, tuple)) else [options]
    texts = tuple(parsing.string(option, row.location, "options") for option in options)
    if not any(text.strip() for text in texts):
        return ()
    if len(texts) != len(LETTERS):
        raise UserError(f"{row.location}: expected {len(LETTERS)} options, got {len(texts)}")
    return texts


def _choice(answer: tuple[str, ...], options: tuple[str, ...], location: str) -> tuple[str, str]:
    """The right option's text and its letter. Raises `UserError` for an answer that is not an option."""
    if len(answer) == 2 and answer[1] in LETTERS:
        return answer[0], answer[1]
    for texts in (options, [option.strip() for option in options]):
        if len(answer) == 1 and answer[0] in texts:
            return answer[0], LETTERS[texts.index(answer[0])]
    raise UserError(
        f"{location}: the answer must be the text of one of the options, or its text and letter, got {list(answer)}"
    )
