"""Texts with their summary, and texts with their class: rows that ask no question.

The names of the two fields are those of well-known sets of the hub: `article, highlights` (CNN/Daily Mail), `article,
abstract` (arXiv, PubMed), `dialogue, summary` (SAMSum), `report, summary` (GovReport), `text, summary` (BillSum),
`description, abstract` (BigPatent), `text, label` (most sets of classes). XSum's `document, summary` are own rows as
they are.
"""

from collections.abc import Iterator

from pipelines.sources.own_data.forms.form import TEXT, Fields, Form, without_fields

_PAIRS = (
    ("article", "highlights"),
    ("article", "abstract"),
    ("dialogue", "summary"),
    ("report", "summary"),
    ("text", "summary"),
    ("description", "abstract"),
)


def _form(text: str, reference: str) -> Form:
    def own_rows(fields: Fields, location: str) -> Iterator[Fields]:
        yield {**without_fields(fields, text, reference), "document": fields[text], "summary": fields[reference]}

    return Form("summarization pairs", {text: TEXT, reference: TEXT}, own_rows, asks=False)


def _label_rows(fields: Fields, location: str) -> Iterator[Fields]:
    yield {**without_fields(fields, "text"), "document": fields["text"]}


SUMMARIES = tuple(_form(text, summary) for text, summary in _PAIRS)
CLASSES = Form("texts with their class", {"text": TEXT, "label": (str, int)}, _label_rows, asks=False)
