"""Which passages of a ranking by words have anything to do with the question."""

from collections.abc import Sequence

from longdoc.registry import name_of
from pipelines.plugins.ask.quote_location import located
from pipelines.plugins.ask.words import stems_of
from retrievers import Retriever
from retrievers.shared.members import Composite

BY_WORDS = ("bm25", "tfidf")  # retrievers whose scores say nothing of texts without a word of the question


def ranks_by_words(retriever: Retriever) -> bool:
    """Whether a retriever, or all that it is made of, compares nothing but words."""
    if isinstance(retriever, Composite):
        return all(map(ranks_by_words, retriever.members))
    return name_of(retriever) in BY_WORDS


def related_numbers(question: str, passages: Sequence[tuple[str, str, str]], languages: Sequence[str]) -> list[int]:
    """The numbers, from 0, of the passages that belong to a question.

    Each passage is its text, its document's title and its headings; `languages` are the passages' languages. A passage
    belongs to the question if it has a content word of it, if such a passage mentions its document's title, or if it
    mentions the title of such a passage. Where no passage has such a word, all of them belong.
    """
    question_stems = stems_of(question, set(languages))
    matching = [
        number
        for number, (texts, language) in enumerate(zip(passages, languages, strict=True))
        if question_stems & stems_of("\n".join(texts), (language,))
    ]
    if not matching:
        return list(range(len(passages)))
    return [
        number
        for number, passage in enumerate(passages)
        if number in matching or any(_linked(passage, passages[other]) for other in matching)
    ]


def _linked(passage: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    """Whether one of two passages mentions the title of the other's document."""
    return located(passage[0], other[1]) is not None or located(other[0], passage[1]) is not None
