"""Which words of a question are in no document.

Numbers, names and long words are reported, since they say what a question is about; that no text has "say" tells nobody
anything. All words of a query without function words, such as "float switch stock", are reported.
"""

import re
from collections.abc import Sequence

from longdoc.languages import ENGLISH, own_language, without_accents
from longdoc.words import terms
from models.baselines._sentences import english_stem
from pipelines.plugins.ask.words import CONTRACTED, word_stems

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

    Each text comes with its language. Of a number such as "7.3" whose parts are missing too, only the whole is
    reported. Words of scripts without spaces are left out.
    """
    if sum(len(text) for text, _ in texts) > LARGEST:
        return []
    words, languages = dict.fromkeys(terms(CONTRACTED.sub(" ", question))), {language for _, language in texts}
    content_words = [term for term in words if all(word_stems(term, language) for language in languages)]
    missing = [term for term in content_words if len(content_words) == len(words) or _is_telling(term, question)]
    missing = [term for term in missing if own_language(term, ENGLISH)]
    for text, language in texts:
        if not missing:
            break
        initials = {without_accents(term)[0] for term in missing}
        document_words = {
            word for word in set(terms(text)) if language != ENGLISH or without_accents(word)[0] in initials
        }
        stems = frozenset().union(*(word_stems(word, language) for word in document_words))
        missing = [term for term in missing if not word_stems(term, language) & stems]
    parts = {part for term in missing for part in terms(term) if part != term}
    return [_as_written(question, term) for term in missing if term not in parts]


def _is_telling(term: str, question: str) -> bool:
    """Whether a question's word is worth reporting when no text has it: a name, a number or a long word."""
    written = _as_written(question, term)
    is_name = written[0].isupper() and not question.lstrip("\"'“‘¿¡ ").startswith(written)
    is_long = len(term) >= LONG and not word_stems(term, ENGLISH) & _ASKING
    return is_name or is_long or any(map(str.isdecimal, term))


def _as_written(question: str, term: str) -> str:
    match = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", question, re.IGNORECASE)
    written = match[0] if match else term
    return written + ")" * (written.count("(") - written.count(")"))
