"""The answer without a model: the sentence that most likely answers the question.

No shorter answer is taken from that sentence: `benchmarks.ask` shows why.
"""

from dataclasses import replace

from longdoc.languages import ENGLISH
from longdoc.registry import name_of
from models.baselines.extractive import Extractive
from pipelines.engine.planning.plan import Plan
from pipelines.plugins.ask.absent_words import absent_words
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.answer_content import Sentence
from pipelines.plugins.ask.best_sentence import SourcePassage, best_sentence, shares_words
from pipelines.plugins.ask.excerpts import one_line
from pipelines.plugins.ask.indexing.collection import Collection
from pipelines.plugins.ask.related_passages import ranks_by_words, related_numbers
from pipelines.plugins.ask.sentences import heading_above
from pipelines.plugins.ask.words import stems_of
from pipelines.records import Prediction, Span
from pipelines.results.headings import unselected_spans

ABOVE, BELOW = 2000, 500  # characters before a passage, and of it, in which the heading above it is looked for
TOLERANCE = 1e-6  # scores that differ by less are the same
OTHER_WORDS = (
    "no word of the question is in the documents: use other words, or search by meaning with retriever='dense' (on the "
    "command line --retriever dense)"
)
COMMON_WORDS = (
    "the question has only words that are in every text, so they cannot rank passages: name what it is about, as in "
    "'Who is the captain?'"
)
NO_WORDS = "no word of the question is in these passages: they rank highest but may not answer it"


def without_model(
    plan: Plan, collection: Collection, prediction: Prediction, answer: Answer, keeps_all: bool
) -> Answer:
    """The answer of `extractive`, or of no reader, with its best sentence; empty where nothing matches the question.

    Passages that have nothing to do with the question are left out, unless `keeps_all`.
    """
    is_ranked_by_question = plan.retriever.query_source == "query" and plan.selection.query is None
    is_ranked_by_words = is_ranked_by_question and ranks_by_words(plan.retriever)
    texts = collection.texts(span[:2] for span in prediction.selected)
    matches = not is_ranked_by_question or shares_words(answer.question, texts)
    has_only_common_words = is_ranked_by_words and not stems_of(
        answer.question, {language for _, language in texts} or {ENGLISH}
    )
    is_unranked = not matches and all(abs(passage.score) < TOLERANCE for passage in answer.passages)
    if has_only_common_words or (is_unranked and not shares_words(answer.question, collection.texts(collection.works))):
        warnings = (*answer.warnings, COMMON_WORDS if has_only_common_words else OTHER_WORDS)
        return replace(answer, text="", passages=(), outputs={}, found=False, warnings=warnings)
    names = [(name, ENGLISH) for name in (*collection.titles, *collection.names)]
    searched_texts = [*names, *collection.texts(collection.works)] if is_ranked_by_words and matches else []
    missing_words = absent_words(answer.question, searched_texts) if searched_texts else []
    warnings = (
        *answer.warnings,
        *([] if matches else [NO_WORDS]),
        *([f"no document contains: {', '.join(missing_words)}"] if missing_words else []),
    )
    if not answer.asked:
        return replace(answer, warnings=warnings)
    if not keeps_all and is_ranked_by_words and _leads_with_sentence(plan):
        numbers = _related_numbers(collection, answer.question, prediction)
        answer = replace(answer, passages=[answer.passages[number] for number in numbers])
        prediction = replace(prediction, selected=tuple(prediction.selected[number] for number in numbers))
    best = best_sentence(answer.question, _sources(collection, prediction))
    if best is None:
        return answer
    number, span = best
    sentence = _sentence(collection, number, prediction.selected[number][0], span)
    if not _leads_with_sentence(plan):
        return replace(answer, best_sentence=sentence, warnings=warnings)
    passages = [
        replace(passage, answer=(sentence.start, sentence.end) if number == sentence.passage else None)
        for number, passage in enumerate(answer.passages, 1)
    ]
    return replace(
        answer, text=one_line(sentence.text), passages=passages, outputs={}, best_sentence=sentence, warnings=warnings
    )


def _related_numbers(collection: Collection, question: str, prediction: Prediction) -> list[int]:
    """The numbers of the passages that have to do with the question; the others only fill up the k passages."""
    headings = unselected_spans(prediction).headings
    texts = []
    for number, (start, end, score) in enumerate(prediction.selected):
        passage = collection.passage(start, end, score, "", headings.get(number))
        title = collection.titles[collection.number(start)]
        texts.append((passage.text, title, f"{passage.heading} {passage.location}"))
    languages = [language for _, language in collection.texts(span[:2] for span in prediction.selected)]
    return related_numbers(question, texts, languages)


def _leads_with_sentence(plan: Plan) -> bool:
    """Whether the answer is the best sentence: no unit of the reader and no other strategy was chosen."""
    return isinstance(plan.reader, Extractive) and plan.reader.unit == "auto" and name_of(plan.strategy) == "stuff"


def _sources(collection: Collection, prediction: Prediction) -> list[SourcePassage]:
    """The passages as sources of the best sentence, each with its rank by score."""
    scores = [score for _, _, score in prediction.selected]
    sources = []
    for start, end, score in prediction.selected:
        number = collection.number(start)
        text, offset = collection.documents[number].text, collection.starts[number]
        begin = start - offset
        sources.append(
            SourcePassage(
                text[begin : end - offset],
                begin,
                collection.titles[number],
                sum(other > score for other in scores),
                begin - (text.rfind("\n", 0, begin) + 1),
                heading_above(text[max(begin - ABOVE, 0) : begin + BELOW], min(begin, ABOVE)),
                collection.language(number),
            )
        )
    return sources


def _sentence(collection: Collection, number: int, passage_start: int, span: Span) -> Sentence:
    """The record of a sentence of the passage with a number, which starts at `passage_start` of the collection."""
    place = collection.number(passage_start)
    document, offset = collection.documents[place], collection.starts[place]
    start, end = span
    location = collection.place(start + offset, end + offset)[1]
    return Sentence(document.text[start:end], number + 1, start, end, document.meta.get("file"), location)
