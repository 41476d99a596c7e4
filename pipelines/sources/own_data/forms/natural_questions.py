"""Natural Questions' simplified rows: a question with a page of Wikipedia as words (Kwiatkowski et al. 2019).

`document_text, question_text, example_id, annotations: [{long_answer, short_answers, yes_no_answer}]`, whose places are
numbers of words that are split at single blanks. References are the short answers, and "yes" or "no"; evidence is the
long answer, a passage that holds all that an answer needs (of several people's, that which most overlap), else the
first person's short ones. As in the release's own scorer, a
question that five people looked at has an answer where two of them gave one, else where one did. A question with a long
answer only has evidence, and no reference.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Span
from pipelines.sources.gold_evidence import agreed_span
from pipelines.sources.own_data.forms.form import LISTS, TEXT, Fields, Form, records

PEOPLE = 5  # who annotate a question of the validation split


def _own_rows(fields: Fields, location: str) -> Iterator[Fields]:
    text = fields["document_text"]
    people = records(fields["annotations"])
    places = _Words(text, location)
    long = [span for person in people if (span := places.span(person.get("long_answer")))]
    short = [list(filter(None, map(places.span, records(person.get("short_answers"))))) for person in people]
    yes_no_words = [_yes_or_no(person.get("yes_no_answer")) for person in people]
    minimum = 2 if len(people) >= PEOPLE else 1
    total = sum(bool(spans or word) for spans, word in zip(short, yes_no_words, strict=True))
    answers = [text[slice(*span)] for spans in short for span in spans] + [word for word in yes_no_words if word]
    page = agreed_span(long)
    spans = [page] if page else next(filter(None, short), [])
    has_long, has_short = len(long) >= minimum, total >= minimum
    yield {
        "id": fields.get("example_id"),
        "document": text,
        "question": fields["question_text"],
        "answers": list(dict.fromkeys(answers)) if has_short else [],
        "unanswerable": bool(people) and not has_long and not has_short,
        "evidence": [list(span) for span in dict.fromkeys(spans)] if has_long or has_short else [],
    }


class _Words:
    """Where a page's words are, by their number."""

    def __init__(self, text: str, location: str) -> None:
        self._location = location
        self._spans: list[Span] = []
        start = 0
        for word in text.split(" "):
            self._spans.append((start, start + len(word)))
            start += len(word) + 1

    def span(self, place: Any) -> Span | None:
        """[start, end) of the words of an answer; None where it says that there is none."""
        first, last = (place.get(name) if isinstance(place, Mapping) else None for name in ("start_token", "end_token"))
        if first is None or first == -1:
            return None
        if type(first) is not int or type(last) is not int or not 0 <= first < last <= len(self._spans):
            raise UserError(
                f"{self._location}: the words [{first}, {last}) of `annotations` are not among the "
                f"{len(self._spans):,} of `document_text`: give both from one row"
            )
        return self._spans[first][0], self._spans[last - 1][1]


def _yes_or_no(value: Any) -> str:
    return value.lower() if isinstance(value, str) and value.lower() in ("yes", "no") else ""


ROWS = Form(
    "Natural Questions' simplified rows",
    {"document_text": TEXT, "question_text": TEXT, "annotations": LISTS},
    _own_rows,
)
