"""SCROLLS' rows: `{id, pid, input, output}` (Shaham et al. 2022, section 3.2), for all its tasks but QuALITY.

`input` is the query, a blank line, and the document; for tasks without a query, only the document. Rows of one
`id` have the same input and each another accepted output. `output` is null where the labels are hidden.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources.instances import SharedDocuments, instances
from pipelines.sources.parsing import clean
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "SCROLLS' rows (id, pid, input, output)"
BLANK = "\n\n"
ParsedInput = tuple[str, tuple[str, ...], str, dict[str, Any]]  # query, options, document, meta


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is SCROLLS': these fields and no others, since other benchmarks use the same names."""
    return {"id", "pid", "input"} <= fields.keys() <= {"id", "pid", "input", "output"}


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per id, in the order of first occurrence; `meta["pid"]` lists its rows."""
    return examples(table, _with_query if has_query else _without_query)


def examples(table: Table, parse: Callable[[str, str], ParsedInput]) -> Iterator[Example]:
    """Examples of rows; `parse` splits the input of a row, whose location it is given for its errors."""
    documents = SharedDocuments()
    for name, row, instance in instances(table):
        query, options, text, meta = parse(row.fields["input"], row.location)
        document = documents.document(text, row.location)
        yield Example(
            id=name,
            document=document,
            query=clean(query),
            references=tuple(instance.references),
            options=options,
            meta={"pid": instance.pids, **meta},
        )


def _without_query(text: str, location: str) -> ParsedInput:
    return "", (), text, {}


def _with_query(text: str, location: str) -> ParsedInput:
    query, blank, document = text.partition(BLANK)
    if not blank or not query.strip():
        raise UserError(
            f"{location}: input must be a query, a blank line and the document; found no blank line behind a query"
        )
    return query, (), document, {}
