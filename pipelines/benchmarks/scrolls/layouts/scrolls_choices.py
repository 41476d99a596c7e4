"""QuALITY's rows in SCROLLS: as in `scrolls`, with the four answers (A) to (D) between the question and the story.

There is a blank line before and after the answers. `output` is the text of the right one, without its letter. The
answers as the row writes them are kept in `meta["options_text"]`, so that a prompt can be the row's input to the
letter.
"""

from collections.abc import Iterator

from longdoc.errors import UserError
from pipelines.benchmarks.scrolls import choices
from pipelines.benchmarks.scrolls.layouts import scrolls
from pipelines.records import Example
from pipelines.sources.parsing import clean
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "SCROLLS' rows (id, pid, input with the answers (A) to (D), output)"

recognizes = scrolls.recognizes


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per id, in the order of first occurrence."""
    return scrolls.examples(table, _with_choices)


def _with_choices(text: str, location: str) -> scrolls.ParsedInput:
    span = choices.block(text)
    listed = clean(text[span[0] : span[1]]) if span else ""
    options = choices.choices(listed)
    if not span or not options:
        needs = "a question, a blank line, the answers (A) … (B) … (C) … (D) …, a blank line and the story"
        raise UserError(f"{location}: 'input' must be {needs}")
    query, story = text[: span[0] - len(scrolls.BLANK)], text[span[1] + len(scrolls.BLANK) :]
    return query, options, story, {"options_text": listed}
