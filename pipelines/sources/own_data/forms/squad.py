"""SQuAD's rows, its files, and other questions with the text that they are about (Rajpurkar et al. 2016, 2018).

Rows: `context, question, answers`, where answers are `{text, answer_start}`; of SQuAD 2.0, both lists may be empty. The
files are `{version, data: [{title, paragraphs: [{context, qas: [{id, question, answers, is_impossible}]}]}]}`; QuAC's
files are, too. The text may also be in `passage`, `article` or `text`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.sources.own_data.forms.form import LIST, TEXT, Fields, Form, records, without_fields
from pipelines.sources.own_data.forms.quac import MARK, answer_fields, text_of

_OPTIONS, _LABELS = ("options", "choices", "answers"), ("gold_label", "label", "answer")


def _with_text(title: str, name: str) -> Form:
    """The form of questions whose text is in the field `name`."""

    def own_rows(fields: Fields, location: str) -> Iterator[Fields]:
        label = next((label for label in _LABELS if type(fields.get(label)) in (int, float)), None)
        options = next((options for options in _OPTIONS if isinstance(fields.get(options), list)), None)
        if label and options:
            raise UserError(
                f"{location}: `{label}` is the number of one of `{options}`, which may be counted from 0 or from 1; "
                "write the options in `options`, and the text or letter of the right one in `answer`"
            )
        yield {**without_fields(fields, name), "document": fields[name]}

    return Form(title, {name: TEXT, "question": TEXT}, own_rows)


def _file_rows(fields: Fields, location: str) -> Iterator[Fields]:
    for number, article in enumerate(fields["data"], 1):
        if not isinstance(article, Mapping) or not isinstance(article.get("paragraphs"), list):
            problem = f"{location}: item {number} of `data` has no list `paragraphs`, as SQuAD's files have"
            raise UserError(f"{problem}; if the items are rows, write them as a JSON list by itself")
        yield from _article_rows(article, f"{location}, item {number} of `data`")


def _article_rows(fields: Fields, location: str) -> Iterator[Fields]:
    for number, paragraph in enumerate(fields["paragraphs"], 1):
        context = paragraph.get("context") if isinstance(paragraph, Mapping) else None
        questions = paragraph.get("qas") if isinstance(paragraph, Mapping) else None
        if not isinstance(context, str) or not isinstance(questions, list):
            raise UserError(f"{location}: paragraph {number} needs `context`, a text, and `qas`, a list of questions")
        for question in records(questions):
            yield _question(question, context, fields.get("title"))


def _question(question: Fields, context: str, title: Any) -> Fields:
    own_fields = {**question, "document": text_of(context), "title": title}
    answers = records(question.get("answers"))
    texts = [answer.get("text") for answer in answers]
    return (
        {**own_fields, **answer_fields(texts, [answer.get("answer_start") for answer in answers])}
        if MARK in texts
        else own_fields
    )


FILE = Form("SQuAD's files", {"data": LIST}, _file_rows, several_questions=True)
ARTICLE = Form("articles of SQuAD's files", {"title": TEXT, "paragraphs": LIST}, _article_rows, several_questions=True)
ROWS = _with_text("SQuAD's rows", "context")
OTHER_FORMS = tuple(_with_text(f"questions with their {name}", name) for name in ("passage", "article", "text"))
