"""Which words of a question stand in no document.

Named are numbers, names and long words, which say what a question is about: that no text has "say" tells nobody
anything. Of a query without function words, such as "float switch stock", all words are named.
"""

import re
from collections.abc import Sequence

from longdoc.languages import ENGLISH, own_language, without_accents
from longdoc.words import terms
from models.baselines._sentences import english_stem
from pipelines.answers.words import CONTRACTED, word_stems

LONG = 7  # letters
LARGEST = 20_000_000  # characters of all texts, beyond which looking through them takes too long
_ASKING_WORDS = """
happened mentioned described explained contained included discussed provided specified suggested according actually
exactly possible important different difference example purpose meaning required chapter section paragraph sentence
document passage question answer article account related regarding concerning compared between through another someone
something anything everything becomes believe consider understand remember several various certain usually generally
whether reasons following
"""
_ASKING = frozenset(map(english_stem, _ASKING_WORDS.split()))


def absent_words(question: str, texts: Sequence[tuple[str, str]]) -> list[str]:
    """The words of a question that no text has in any form, as the question writes them, in its order.

    The texts are in the languages beside them. Of a number such as "7.3" whose parts are absent too only the whole is
    named. Scripts without spaces are left out.
    """
    if sum(len(text) for text, _ in texts) > LARGEST:
        return []
    words, languages = dict.fromkeys(terms(CONTRACTED.sub(" ", question))), {language for _, language in texts}
    content = [term for term in words if all(word_stems(term, language) for language in languages)]
    absent = [term for term in content if len(content) == len(words) or _is_named(term, question)]
    absent = [term for term in absent if own_language(term, ENGLISH)]
    for text, language in texts:
        if not absent:
            break
        first = {without_accents(term)[0] for term in absent}
        held = {word for word in set(terms(text)) if language != ENGLISH or without_accents(word)[0] in first}
        stems = frozenset().union(*(word_stems(word, language) for word in held))
        absent = [term for term in absent if not word_stems(term, language) & stems]
    parts = {part for term in absent for part in terms(term) if part != term}
    return [_as_written(question, term) for term in absent if term not in parts]


def _is_named(term: str, question: str) -> bool:
    """Whether it says something that a word of a question is in no text."""
    written = _as_written(question, term)
    is_name = written[0].isupper() and not question.lstrip("\"'“‘¿¡ ").startswith(written)
    is_long = len(term) >= LONG and not word_stems(term, ENGLISH) & _ASKING
    return is_name or is_long or any(map(str.isdecimal, term))


def _as_written(question: str, term: str) -> str:
    match = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", question, re.IGNORECASE)
    written = match[0] if match else term
    return written + ")" * (written.count("(") - written.count(")"))
