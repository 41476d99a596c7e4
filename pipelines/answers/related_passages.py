"""Which of the passages that words ranked have anything to do with a question."""

from collections.abc import Sequence

from longdoc.registry import name_of
from pipelines.answers.quote_location import located
from pipelines.answers.words import stems_of
from retrievers import Retriever
from retrievers.shared.members import Composite

BY_WORDS = ("bm25", "tfidf")  # retrievers whose scores say nothing of texts without a word of the question


def ranks_by_words(retriever: Retriever) -> bool:
    """Whether a retriever, or all that it is made of, compares nothing but words."""
    if isinstance(retriever, Composite):
        return all(map(ranks_by_words, retriever.members))
    return name_of(retriever) in BY_WORDS


def related(question: str, passages: Sequence[tuple[str, str, str]], languages: Sequence[str]) -> list[int]:
    """The numbers, from 0, of the passages that belong to a question; each has text, document's title, and headings.

    `languages` are those of the passages.

    They have a content word of the question, or their document's title is mentioned in one that has, or they mention
    that one's. All of them where none has such a word.
    """
    wanted = stems_of(question, set(languages))
    having_numbers = [
        number
        for number, (texts, language) in enumerate(zip(passages, languages, strict=True))
        if wanted & stems_of("\n".join(texts), (language,))
    ]
    if not having_numbers:
        return list(range(len(passages)))
    return [
        number
        for number, names in enumerate(passages)
        if number in having_numbers or any(_linked(names, passages[other]) for other in having_numbers)
    ]


def _linked(names: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    return located(names[0], other[1]) is not None or located(other[0], names[1]) is not None
