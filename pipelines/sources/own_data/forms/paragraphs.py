"""Rows of HotpotQA and MuSiQue: questions that need more than one of the paragraphs beside them.

Documents and evidence are those of the readers of the originals. MuSiQue's references are the answer and its aliases,
as in the release's own scorer.
"""

from collections.abc import Iterator

from longdoc.errors import UserError
from pipelines.sources import parsing
from pipelines.sources.own_data import hotpotqa, musique
from pipelines.sources.own_data.forms.form import LIST, LISTS, TEXT, Fields, Form, without_fields
from pipelines.sources.tables import Row


def _hotpotqa_rows(fields: Fields, location: str) -> Iterator[Fields]:
    paragraphs = hotpotqa.paragraphs_of(fields["context"])
    if paragraphs is None:
        raise UserError(
            f"{location}: `context` must be pairs of a title and a list of sentences, as in HotpotQA's rows"
        )
    text, sentences = hotpotqa.joined(paragraphs)
    evidence: list[object] = []
    for title, number in hotpotqa.facts_of(fields.get("supporting_facts"), location):
        span = hotpotqa.sentence(sentences, title, number)
        evidence.append(list(span) if span else f"{title}, sentence {number}")  # which is counted as not found
    yield {
        **without_fields(fields, "_id", "context", "supporting_facts"),
        "id": fields.get("_id") or fields.get("id"),
        "document": text,
        "evidence": evidence,
    }


def _musique_rows(fields: Fields, location: str) -> Iterator[Fields]:
    if not musique.recognizes(fields):
        raise UserError(f"{location}: each of `paragraphs` needs a `paragraph_text`, as in MuSiQue's rows")
    row = Row(0, location, fields)
    text, evidence, _ = musique.joined(row)
    answerable = musique.is_answerable(row)
    answers = [
        *parsing.strings(fields.get("answer"), location, "answer"),
        *parsing.strings(fields.get("answer_aliases") or [], location, "answer_aliases"),
    ]
    name = parsing.string(fields.get("id"), location, "id")
    yield {
        "id": name if answerable or not name else f"{name}-{musique.UNANSWERABLE}",
        "document": text,
        "question": fields["question"],
        "answers": answers if answerable else [],
        "unanswerable": not answerable,
        "evidence": [list(span) for span in evidence],
    }


HOTPOTQA = Form("HotpotQA's rows", {"context": LISTS, "question": TEXT}, _hotpotqa_rows)
MUSIQUE = Form("MuSiQue's rows", {"question": TEXT, "paragraphs": LIST}, _musique_rows)
