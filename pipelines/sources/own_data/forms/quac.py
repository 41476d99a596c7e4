"""QuAC's rows: a dialogue about a section of an article, several questions each (Choi et al. 2018).

On the hub `context, questions, answers: {texts, answer_starts}` (a list for each question), `turn_ids`,
`wikipedia_page_title`, `section_title`. A question is asked by itself, without the turns before it. Texts end in the
word CANNOTANSWER, which is also the answer of questions without one; it is not part of the documents here. As in QuAC's
own scorer, a question has no answer where at least half of its answers say so; else these are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines.sources.own_data.forms.form import LIST, LISTS, TEXT, Fields, Form, records

MARK = "CANNOTANSWER"


def text_of(context: str) -> str:
    """A section without the word CANNOTANSWER at its end."""
    return context.removesuffix(MARK).rstrip() if context.endswith(MARK) else context


def answer_fields(texts: Sequence[Any], starts: Sequence[Any]) -> Fields:
    """The fields `answers` and `unanswerable` of a question with these answers."""
    answers = [(text, start) for text, start in zip(texts, starts, strict=False) if text != MARK]
    if texts and 2 * len(answers) <= len(texts):
        return {"answers": [], "unanswerable": True}
    return {"answers": {"text": [text for text, _ in answers], "answer_start": [start for _, start in answers]}}


def _own_rows(fields: Fields, location: str) -> Iterator[Fields]:
    questions, answers = fields["questions"], records(fields["answers"])
    if len(answers) != len(questions):
        raise UserError(f"{location}: `questions` has {len(questions)} and `answers` {len(answers)}; give each its own")
    names = fields.get("turn_ids") or [None] * len(questions)
    titles = (fields.get("wikipedia_page_title"), fields.get("section_title"))
    title = ", ".join(name for name in titles if isinstance(name, str) and name)
    for name, question, answer in zip(names, questions, answers, strict=False):
        yield {
            "id": name,
            "document": text_of(fields["context"]),
            "title": title,
            "question": question,
            **answer_fields(answer.get("texts") or [], answer.get("answer_starts") or []),
        }


ROWS = Form("QuAC's rows", {"context": TEXT, "questions": LIST, "answers": LISTS}, _own_rows, several_questions=True)
