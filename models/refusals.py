r"""Whether an output says in words that the text does not hold the answer.

Readers that write refuse in sentences: "The report does not specify the growth rate." The rule, for English: the first
sentence says that something does not provide, mention, state … it; that it is not provided, mentioned, available …;
that there is no information, mention, data …; or that it cannot be determined, answered, found. What comes after the
first sentence does not count: a refusal often goes on with what the text does say, and an answer with what it does not.
"""

import re
from functools import lru_cache

from longdoc.characters import normal_form

UNANSWERABLE = "Unanswerable"  # the word by which a reader says that a question has no answer, as in Qasper and SCROLLS
LABEL_WORDS = 3
LONGEST = 2000  # characters of the first sentence that are looked at
SPOKEN_RULE = "unanswerable, or a first sentence that says so"
RULE = f"nothing, {SPOKEN_RULE}"

_NOT = r"(?:\s+not|n['’]t)"
_ADVERBS = r"(?:\s+(?:\w{1,20}ly|further|yet|(?:appear|seem)\s+to)){0,3}"
_VERBS = (
    "address|answer|contain|cover|define|describe|detail|disclose|discuss|elaborate|explain|give|identify|include|"
    "indicate|list|mention|name|offer|outline|present|provide|report|reveal|say|show|specify|state|tell"
)
_PARTICIPLES = (
    "addressed|available|contained|covered|defined|described|detailed|disclosed|discussed|explained|found|given|"
    "identified|included|indicated|known|listed|mentioned|named|offered|outlined|provided|reported|revealed|shown|"
    "specified|stated"
)
_ADJECTIVES = r"(?:(?:specific|explicit|direct|clear|detailed|further|relevant|such)(?:,?\s+(?:or\s+|and\s+)?)){0,3}"
_NOUNS = (
    "answer|data|description|details?|discussion|evidence|indication|information|mention|projections?|references?|"
    "specifics|statement"
)
_REFUSAL = re.compile(
    "|".join(
        (
            rf"\b(?:do|does|did){_NOT}{_ADVERBS}\s+(?:{_VERBS})\b",
            rf"\b(?:is|are|was|were|been|be){_NOT}{_ADVERBS}\s+(?:{_PARTICIPLES})\b",
            rf"\bnot{_ADVERBS}\s+(?:mentioned|specified|stated|provided|disclosed)\b",
            rf"\bno\s+{_ADJECTIVES}(?:{_NOUNS})\b",
            r"\b(?:can\s?not|can['’]t|could\s+not|couldn['’]t|unable\s+to|not\s+possible\s+to)\s+(?:be\s+)?"
            rf"{_ADVERBS}\s*(?:determine|answer|find|found|provide|identif|locate)",
            r"\b(?:do\s+not|don['’]t)\s+(?:know|have\s+(?:enough|sufficient|any))\b",
            r"\b(?:insufficient|not\s+enough|not\s+sufficient)\s+(?:information|context|data|details)\b",
            r"^unanswerable\b",
        )
    ),
    re.IGNORECASE,
)
_END = re.compile(r"[.!?](?=\s+[^a-z\s])|\n")


def refuses(output: str) -> bool:
    """Whether an output refuses to answer: nothing, "unanswerable", or a first sentence that says so."""
    return _refuses(output.strip()[:LONGEST])


@lru_cache(64)  # scores and remarks look at the same outputs one after the other
def _refuses(text: str) -> bool:
    if not normal_form(text).strip(" .\n\t"):
        return True
    end = _END.search(text)
    return _REFUSAL.search(text if end is None else text[: end.start() + 1]) is not None


def is_refusal_label(text: str) -> bool:
    """Whether a reference or an option is a refusal as a whole, of few words, such as "Not mentioned"; or nothing.

    Longer ones may hold the words of a refusal and say something: "He learned that it does not contain gold".
    """
    return len(text.split()) <= LABEL_WORDS and refuses(text)
