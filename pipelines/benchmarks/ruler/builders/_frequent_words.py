"""Words to be counted, with the frequencies that RULER gives them (Hsieh et al. 2024, section 3)."""

from collections.abc import Sequence
from functools import partial

from pipelines.plugins.builders._names import distinct, word
from pipelines.plugins.builders._prompt_rows import Draft, Question
from pipelines.plugins.builders._seeded_random import SeededRandom

COMMON, OFTEN, SELDOM = 10, 30, 3  # how many words are common; how often these and the others occur
FREQUENT = 3  # invented words that are asked for
MANY_WORDS = 50_000  # of words: so many need a syllable more to be different
DOTS = "..."


def common_words(*key: str | int) -> Draft:
    """The question about the most common words of a numbered list, in which so many others occur."""
    return partial(_common_question, key)


def _common_question(key: Sequence[str | int], size: int) -> Question:
    random = SeededRandom(*key)
    words = distinct(COMMON + size, partial(word, random, 3 if size < MANY_WORDS else 4))
    common = words[:COMMON]
    listed = random.shuffled([*common * OFTEN, *words[COMMON:] * SELDOM])
    document = " ".join(f"{number}. {name}" for number, name in enumerate(listed, 1))
    return Question(document, f"Which {COMMON} words occur most often in the list?", common, [])


def frequent_words(*key: str | int) -> Draft:
    """The question about the most frequent words between so many dots: the k-th has the dots' number by k squared."""
    return partial(_frequent_question, key)


def _frequent_question(key: Sequence[str | int], size: int) -> Question:
    random = SeededRandom(*key)
    counts = [size // rank**2 for rank in range(2, int(size**0.5) + 1)]
    words = distinct(len(counts), partial(word, random))
    words_and_dots = [DOTS] * size + [name for name, count in zip(words, counts, strict=True) for _ in range(count)]
    query = f"Which {FREQUENT} invented words occur most often? The dots do not count."
    return Question(" ".join(random.shuffled(words_and_dots)), query, words[:FREQUENT], [])
