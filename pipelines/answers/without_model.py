"""What an answer is where no model reads: the best sentence leads, a short answer only where it is sure."""

from collections.abc import Sequence
from dataclasses import replace

from longdoc.registry import name_of
from models.baselines._sentences import analyse
from models.baselines.extractive import Extractive
from pipelines.answers.answer import Answer, Passage, Sentence
from pipelines.answers.best_sentence import Source, best_sentence, is_sure, shares_words
from pipelines.answers.collection import Collection
from pipelines.answers.excerpts import one_line
from pipelines.answers.related import ranks_by_words, related
from pipelines.engine.planning.plan import Plan
from pipelines.records import Prediction

SAME = 1e-6  # scores that differ by less are the same
OTHER_WORDS = (
    "no word of the question is in the documents: ask in other words, or by meaning with retriever='dense' (on the "
    "command line --retriever dense)"
)
COMMON_WORDS = (
    "the question has only words that are in every text, by which nothing is ranked: name what it is about, as in "
    "'Who is the captain?'"
)
NO_WORDS = (
    "no word of the question is in these passages: they are those whose scores are highest, which need not mean that "
    "they answer it"
)


def without_model(plan: Plan, collection: Collection, output: Prediction, answer: Answer, whole: bool) -> Answer:
    """The answer of `extractive`, or of no reader, with its best sentence; or with nothing where nothing matches.

    Passages that have nothing to do with the question are left out, unless the selection is wanted `whole`.
    """
    by_question = plan.retriever.query_source == "query" and plan.query is None
    matches = not by_question or shares_words(answer.question, [one.text for one in answer.passages])
    common = by_question and not analyse(answer.question).stems and ranks_by_words(plan.retriever)
    if common or (not matches and all(abs(one.score) < SAME for one in answer.passages)):
        warnings = (*answer.warnings, COMMON_WORDS if common else OTHER_WORDS)
        return replace(answer, text="", passages=(), outputs={}, found=False, warnings=warnings)
    told = (*answer.warnings, *([] if matches else [NO_WORDS]))
    if not answer.asked:
        return replace(answer, warnings=told)
    if not whole and by_question and _is_free(plan) and ranks_by_words(plan.retriever):
        answer, output = _related(collection, answer, output)
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


def _related(collection: Collection, answer: Answer, output: Prediction) -> tuple[Answer, Prediction]:
    """Both without the passages that have nothing to do with the question, which fill up the k that are asked for."""
    titles = [collection.titles[collection.number(start)] for start, _, _ in output.selected]
    texts = [
        (one.text, title, f"{one.heading} {one.location}") for one, title in zip(answer.passages, titles, strict=True)
    ]
    kept = related(answer.question, texts)
    passages, selected = [answer.passages[one] for one in kept], tuple(output.selected[one] for one in kept)
    return replace(answer, passages=passages), replace(output, selected=selected)


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
        column = start - offset - (text.rfind("\n", 0, start - offset) + 1)
        source = Source(text[start - offset : end - offset], start - offset, collection.titles[number], rank, column)
        made.append(source)
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
