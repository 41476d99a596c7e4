"""What an answer is where no model reads: the best sentence leads.

No short answer is taken out of it: `benchmarks.ask` shows why.
"""

from dataclasses import replace

from longdoc.languages import ENGLISH
from longdoc.registry import name_of
from models.baselines.extractive import Extractive
from pipelines.answers.absent_words import absent_words
from pipelines.answers.answer import Answer
from pipelines.answers.answer_content import Sentence
from pipelines.answers.best_sentence import Source, best_sentence, shares_words
from pipelines.answers.excerpts import one_line
from pipelines.answers.indexing.collection import Collection
from pipelines.answers.related_passages import ranks_by_words, related
from pipelines.answers.sentences import heading_above
from pipelines.answers.words import stems_of
from pipelines.engine.planning.plan import Plan
from pipelines.records import Prediction, Span
from pipelines.results.headings import unselected_spans

ABOVE, BELOW = 2000, 500  # characters before a passage, and of it, in which the heading above it is looked for
TOLERANCE = 1e-6  # scores that differ by less are the same
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


def without_model(plan: Plan, collection: Collection, output: Prediction, answer: Answer, is_whole: bool) -> Answer:
    """The answer of `extractive`, or of no reader, with its best sentence; or with nothing where nothing matches.

    Passages that have nothing to do with the question are left out, unless the selection is wanted `is_whole`.
    """
    by_question = plan.retriever.query_source == "query" and plan.selection.query is None
    by_words = by_question and ranks_by_words(plan.retriever)
    texts = collection.texts(span[:2] for span in output.selected)
    matches = not by_question or shares_words(answer.question, texts)
    common = by_words and not stems_of(answer.question, {language for _, language in texts} or {ENGLISH})
    unranked = not matches and all(abs(passage.score) < TOLERANCE for passage in answer.passages)
    if common or (unranked and not shares_words(answer.question, collection.texts(collection.works))):
        warnings = (*answer.warnings, COMMON_WORDS if common else OTHER_WORDS)
        return replace(answer, text="", passages=(), outputs={}, found=False, warnings=warnings)
    names = [(name, ENGLISH) for name in (*collection.titles, *collection.names)]
    known = [*names, *collection.texts(collection.works)] if by_words and matches else []
    absent = absent_words(answer.question, known) if known else []
    told_names = (
        *answer.warnings,
        *([] if matches else [NO_WORDS]),
        *([f"no document contains: {', '.join(absent)}"] if absent else []),
    )
    if not answer.asked:
        return replace(answer, warnings=told_names)
    if not is_whole and by_words and _is_free(plan):
        kept_numbers = _related(collection, answer.question, output)
        answer = replace(answer, passages=[answer.passages[number] for number in kept_numbers])
        output = replace(output, selected=tuple(output.selected[number] for number in kept_numbers))
    found = best_sentence(answer.question, _sources(collection, output))
    if found is None:
        return answer
    best = _sentence(collection, output.selected[found[0]][0], found)
    if not _is_free(plan):
        return replace(answer, best_sentence=best, warnings=told_names)
    passages = [
        replace(passage, answer=(best.start, best.end) if number == best.passage else None)
        for number, passage in enumerate(answer.passages, 1)
    ]
    return replace(
        answer, text=one_line(best.text), passages=passages, outputs={}, best_sentence=best, warnings=told_names
    )


def _related(collection: Collection, question: str, output: Prediction) -> list[int]:
    """The numbers of the passages that have to do with the question; the others fill up the k that are asked for."""
    headings = unselected_spans(output).headings
    texts = []
    for number, (start, end, score) in enumerate(output.selected):
        passage = collection.passage(start, end, score, "", headings.get(number))
        title = collection.titles[collection.number(start)]
        texts.append((passage.text, title, f"{passage.heading} {passage.location}"))
    languages = [language for _, language in collection.texts(span[:2] for span in output.selected)]
    return related(question, texts, languages)


def _is_free(plan: Plan) -> bool:
    """Whether nothing that was given says what the text of the answer is."""
    return isinstance(plan.reader, Extractive) and plan.reader.unit == "auto" and name_of(plan.strategy) == "stuff"


def _sources(collection: Collection, output: Prediction) -> list[Source]:
    """The passages to look in, ranked by their scores."""
    scores = [score for _, _, score in output.selected]
    sources = []
    for start, end, score in output.selected:
        number = collection.number(start)
        text, offset = collection.documents[number].text, collection.starts[number]
        begin = start - offset
        sources.append(
            Source(
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


def _sentence(collection: Collection, passage: int, found: tuple[int, Span]) -> Sentence:
    """The record of a sentence: `found` is the number of its passage, which starts at `passage`, and its own span."""
    number = collection.number(passage)
    document, offset = collection.documents[number], collection.starts[number]
    start, end = found[1]
    place = collection.place(start + offset, end + offset)[1]
    return Sentence(document.text[start:end], found[0] + 1, start, end, document.meta.get("file"), place)
