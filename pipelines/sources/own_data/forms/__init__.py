"""Common forms of rows of questions, summaries and chats, each turned into own rows (`own_data.rows`).

The form is the first of `FORMS` whose fields the first row has. Rows that are own rows, or in a layout of the task, are
not read here. `nearest` says what a row of no form lacks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources.own_data import rows
from pipelines.sources.own_data.forms import chat, natural_questions, paragraphs, quac, squad, summaries, trivia_qa
from pipelines.sources.own_data.forms.form import TEXT, Fields, Form, parsed, plain_fields
from pipelines.sources.tables import DerivedTable, Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = (
    "rows as the hub has them (SQuAD, QuAC, TriviaQA, Natural Questions, HotpotQA, MuSiQue, texts with a summary or a "
    "label, chats)"
)


def _unchanged_rows(fields: Fields, location: str) -> Iterator[Fields]:
    yield fields


_OWN_FORM = Form("own rows", {"document": TEXT, "question": TEXT}, _unchanged_rows)
_OWN_TEXTS = Form("own rows", {"document": TEXT}, _unchanged_rows, asks=False)
FORMS: tuple[Form, ...] = (
    squad.FILE,
    quac.ROWS,
    trivia_qa.ROWS,
    trivia_qa.WEB,
    natural_questions.ROWS,
    paragraphs.HOTPOTQA,
    paragraphs.MUSIQUE,
    squad.ARTICLE,
    squad.ROWS,
    *squad.OTHER_FORMS,
    chat.MESSAGES,
    chat.CONVERSATIONS,
    *summaries.SUMMARIES,
    summaries.CLASSES,
)


def recognizes(fields: Fields) -> bool:
    """Whether a first row is in one of the forms; cells of CSV files may be lists in JSON."""
    return _form_of(fields) is not None or _form_of(parsed(fields)) is not None


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples grouped by document, as `own_data.rows` reads them. Raises `UserError` for malformed rows."""
    return rows.read(OwnRows(table, split, has_query), split, warnings, has_query)


def nearest(row: Row, has_query: bool) -> str:
    """A hint: the form of which a row lacks the fewest fields, and these fields; empty if it has none of any form."""
    fields = parsed(row.fields) if row.has_text_cells else row.fields
    asking_forms = [_OWN_FORM, squad.ROWS, *(form for form in FORMS if form.asks and form is not squad.ROWS)]
    other_forms = [_OWN_TEXTS, *(form for form in FORMS if not form.asks)]
    forms = [form for form in (asking_forms if has_query else [*other_forms, *asking_forms]) if form.present(fields)]
    if not forms:
        return ""
    # in a tie, the form with the most fields present (even of a wrong type), then the first, which is better known
    form = min(forms, key=lambda form: (len(form.problems(fields)), len(form.needs) - form.present(fields)))
    problems = " and ".join(form.problems(fields))
    return (
        f"the closest match is {form.name} ({', '.join(form.needs)}), but {problems}; add the field, or rename the one "
        "that has it"
    )


def _form_of(fields: Fields) -> Form | None:
    return next((form for form in FORMS if not form.problems(fields)), None)


@dataclass(frozen=True, slots=True)
class OwnRows(DerivedTable):
    """A table of rows in one of the forms, as own rows."""

    split: str
    has_query: bool

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `Table`. Raises `UserError` for a row of another form, or without the question that the task needs."""
        form = None
        for row in self.table.rows(columns):
            fields = plain_fields(row)
            form = form or self._form(row, fields)
            if problems := form.problems(fields):
                raise UserError(
                    f"{row.location}: the first row is one of {form.name} ({', '.join(form.needs)}), but here "
                    f"{' and '.join(problems)}; fill it in, or leave the row out"
                )
            for number, own_fields in enumerate(form.own_rows(fields, row.location), 1):
                location = f"{row.location}, question {number}" if form.several_questions else row.location
                if form.several_questions and own_fields.get("id") is None:
                    own_fields = {**own_fields, "id": f"{self.split}-{row.number}-{number}"}
                yield replace(row, location=location, fields=own_fields, has_text_cells=False)

    def _form(self, row: Row, fields: Fields) -> Form:
        form = _form_of(fields)
        if form is None:
            raise UserError(f"{row.location}: this row cannot be read; {nearest(row, self.has_query)}")
        if self.has_query and not form.asks:
            raise UserError(
                f"{row.location}: {form.name} ({', '.join(form.needs)}) have no question, but this task needs one; add "
                "a field `question`, or run a task without questions, such as scrolls/gov_report or classify"
            )
        return form
