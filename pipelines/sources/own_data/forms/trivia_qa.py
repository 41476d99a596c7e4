"""TriviaQA's rows: a question with whole pages of Wikipedia and of the web (Joshi et al. 2017).

On the hub `question, question_id, entity_pages: {title, wiki_context}, search_results: {title, search_context}` and
`answer: {value, aliases}`. A document is the pages, each under its title. The references are the answer and its
aliases, as in the release's own scorer; in its test split, where both are `<unk>`, there are none.
"""

from collections.abc import Iterator, Mapping

from longdoc.errors import UserError
from pipelines.sources.own_data.forms.form import LISTS, TEXT, Fields, Form, records, without_fields
from pipelines.sources.pieces import Pieces

UNKNOWN = "<unk>"
_PAGES = (("entity_pages", "wiki_context"), ("search_results", "search_context"))


def _own_rows(fields: Fields, location: str) -> Iterator[Fields]:
    pieces = Pieces()
    for name, field in _PAGES:
        for page in records(fields.get(name)):
            if isinstance(text := page.get(field), str) and text.strip():
                pieces.add(str(page.get("title") or ""), "\n\n")
                pieces.add(text, "\n")
    if not pieces.text.strip():
        raise UserError(
            f"{location}: `entity_pages.wiki_context` and `search_results.search_context` have no text; use the "
            "configuration rc or unfiltered, not one named nocontext"
        )
    yield {
        **without_fields(fields, "question_id", "answer", *(name for name, _ in _PAGES)),
        "id": fields.get("question_id"),
        "document": pieces.text,
        "answers": _answers(fields.get("answer"), location),
    }


def _answers(answer: object, location: str) -> list[str]:
    if isinstance(answer, str):
        return [answer]
    if answer is not None and not isinstance(answer, Mapping):
        raise UserError(f"{location}: `answer` must be a mapping with value and aliases, got {type(answer).__name__}")
    texts = [answer.get("value"), *(answer.get("aliases") or [])] if answer else []
    return list(dict.fromkeys(text for text in texts if isinstance(text, str) and text != UNKNOWN))


ROWS, WEB = (Form("TriviaQA's rows", {"question": TEXT, name: LISTS}, _own_rows) for name, _ in _PAGES)
