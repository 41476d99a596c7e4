"""What an answer is where no model reads: the best sentence leads, a short answer only where it is sure."""

from collections.abc import Sequence
from dataclasses import replace

from longdoc.registry import name_of
from models.baselines.extractive import Extractive
from pipelines.answers.answer import Answer, Passage, Sentence
from pipelines.answers.best_sentence import Source, best_sentence, is_sure, shares_words
from pipelines.answers.collection import Collection
from pipelines.answers.excerpts import one_line
from pipelines.engine.planning.plan import Plan
from pipelines.records import Prediction

SAME = 1e-6  # scores that differ by less are the same
OTHER_WORDS = (
    "no word of the question is in the documents: ask in other words, or by meaning with retriever='dense' (on the "
    "command line --retriever dense)"
)
NO_WORDS = (
    "no word of the question is in these passages: they are those whose scores are highest, which need not mean that "
    "they answer it"
)


def without_model(plan: Plan, collection: Collection, output: Prediction, answer: Answer) -> Answer:
    """The answer of `extractive`, or of no reader, with its best sentence; or with nothing where nothing matches."""
    by_question = plan.retriever.query_source == "query" and plan.query is None
    matches = not by_question or shares_words(answer.question, [one.text for one in answer.passages])
    if not matches and all(abs(one.score) < SAME for one in answer.passages):
        warnings = (*answer.warnings, OTHER_WORDS)
        return replace(answer, text="", passages=(), outputs={}, found=False, warnings=warnings)
    told = (*answer.warnings, *([] if matches else [NO_WORDS]))
    if not answer.asked:
        return replace(answer, warnings=told)
    found = best_sentence(answer.question, _sources(collection, output))
    if found is None:
        return answer
    best = _sentence(collection, output, answer.passages, *found)
    if not _is_free(plan) or is_sure(answer.question, best.text, answer.text):
        return replace(answer, best_sentence=best, warnings=told)
    passages = [
        replace(one, answer=(best.start, best.end) if number == best.passage else None)
        for number, one in enumerate(answer.passages, 1)
    ]
    return replace(answer, text=one_line(best.text), passages=passages, outputs={}, best_sentence=best, warnings=told)


def _is_free(plan: Plan) -> bool:
    """Whether nothing that was given says what the text of the answer is."""
    return isinstance(plan.reader, Extractive) and plan.reader.unit == "auto" and name_of(plan.strategy) == "stuff"


def _sources(collection: Collection, output: Prediction) -> list[Source]:
    """The passages to look in, ranked by their scores."""
    scores = [score for _, _, score in output.selected]
    made = []
    for start, end, score in output.selected:
        number = collection.number(start)
        text, offset = collection.documents[number].text, collection.starts[number]
        rank = sum(other > score for other in scores)
        made.append(Source(text[start - offset : end - offset], start - offset, collection.titles[number], rank))
    return made


def _sentence(
    collection: Collection, output: Prediction, passages: Sequence[Passage], number: int, span: tuple[int, int]
) -> Sentence:
    """The record of a sentence, with its place."""
    start = output.selected[number][0]
    shift = start - passages[number].start
    place = collection.place(span[0] + shift, span[1] + shift)[1]
    text = passages[number].text[span[0] - passages[number].start : span[1] - passages[number].start]
    return Sentence(text, number + 1, *span, passages[number].file, place)
