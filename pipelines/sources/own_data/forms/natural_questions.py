"""Natural Questions' simplified rows: a question with a page of Wikipedia as words (Kwiatkowski et al. 2019).

`document_text, question_text, example_id, annotations: [{long_answer, short_answers, yes_no_answer}]`; positions are
numbers of words, which are split at single blanks. References are the short answers, and "yes" or "no"; evidence is the
long answer (of several annotators', the one that most others overlap), else the first annotator's short answers. As in
the release's own scorer, a question with five annotators is answerable if two of them gave an answer, else if one did.
A question with only a long answer has evidence and no reference.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Span
from pipelines.sources.gold_evidence import agreed_span
from pipelines.sources.own_data.forms.form import LISTS, TEXT, Fields, Form, records

ANNOTATORS = 5  # of a question of the validation split


def _own_rows(fields: Fields, location: str) -> Iterator[Fields]:
    text = fields["document_text"]
    annotators = records(fields["annotations"])
    words = _Words(text, location)
    long_spans = [span for annotator in annotators if (span := words.span(annotator.get("long_answer")))]
    short_spans = [
        list(filter(None, map(words.span, records(annotator.get("short_answers"))))) for annotator in annotators
    ]
    yes_no_words = [_yes_or_no(annotator.get("yes_no_answer")) for annotator in annotators]
    min_count = 2 if len(annotators) >= ANNOTATORS else 1
    answer_count = sum(bool(spans or word) for spans, word in zip(short_spans, yes_no_words, strict=True))
    answers = [text[slice(*span)] for spans in short_spans for span in spans] + [word for word in yes_no_words if word]
    long_span = agreed_span(long_spans)
    spans = [long_span] if long_span else next(filter(None, short_spans), [])
    has_long, has_short = len(long_spans) >= min_count, answer_count >= min_count
    yield {
        "id": fields.get("example_id"),
        "document": text,
        "question": fields["question_text"],
        "answers": list(dict.fromkeys(answers)) if has_short else [],
        "unanswerable": bool(annotators) and not has_long and not has_short,
        "evidence": [list(span) for span in dict.fromkeys(spans)] if has_long or has_short else [],
    }


class _Words:
    """The spans of a page's words, by word number."""

    def __init__(self, text: str, location: str) -> None:
        self._location = location
        self._spans: list[Span] = []
        start = 0
        for word in text.split(" "):
            self._spans.append((start, start + len(word)))
            start += len(word) + 1

    def span(self, answer: Any) -> Span | None:
        """The span of an answer, from the numbers of its words; None if there is no answer."""
        fields = answer if isinstance(answer, Mapping) else {}
        first, last = fields.get("start_token"), fields.get("end_token")
        if first is None or first == -1:
            return None
        if type(first) is not int or type(last) is not int or not 0 <= first < last <= len(self._spans):
            raise UserError(
                f"{self._location}: the words [{first}, {last}) of `annotations` are not among the "
                f"{len(self._spans):,} of `document_text`; give both from one row"
            )
        return self._spans[first][0], self._spans[last - 1][1]


def _yes_or_no(value: Any) -> str:
    return value.lower() if isinstance(value, str) and value.lower() in ("yes", "no") else ""


ROWS = Form(
    "Natural Questions' simplified rows",
    {"document_text": TEXT, "question_text": TEXT, "annotations": LISTS},
    _own_rows,
)
