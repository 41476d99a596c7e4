"""Our METEOR equals nltk's to the last bit, on words chosen to have many ties."""

import random
from typing import Any

import pytest

from pipelines.metrics import get

STEMS = ["gull", "ship", "wall", "cry", "rest", "sail", "big", "sofa", "car", "dog", "old", "quick"]
SYNONYMS = ["large", "couch", "lounge", "auto", "domestic", "hound", "fast", "speedy", "cruise", "weep", "call"]
WORDS = [
    *STEMS,
    *SYNONYMS,
    *(word + ending for word in STEMS for ending in ("s", "ed", "ing")),
    "été",
    "x_1",
    "42",
]


class NoWordnet:
    """A WordNet without words, with which nltk skips the third stage."""

    def synsets(self, word: str) -> list[Any]:
        return []


def pairs(vocabulary: int, longest: int, count: int) -> list[tuple[list[str], list[list[str]]]]:
    """Hypotheses with one to three references; a small vocabulary gives many equal words."""
    draw = random.Random(f"{vocabulary} {longest}")
    result = []
    for _ in range(count):
        words = draw.sample(WORDS, vocabulary)
        hypothesis, *references = (draw.choices(words, k=draw.randint(0, longest)) for _ in range(draw.randint(2, 4)))
        result.append((hypothesis, references))
    return result


def check_equal(hypothesis: list[str], references: list[list[str]], *, ours: bool, theirs: Any) -> None:
    from nltk.translate.meteor_score import meteor_score

    joined = [" ".join(reference) for reference in references]
    score = get("meteor", wordnet=ours).score([" ".join(hypothesis)], [joined])
    assert score == {"meteor": 100 * meteor_score(references, hypothesis, wordnet=theirs)}, (hypothesis, references)


@pytest.mark.parametrize(("vocabulary", "longest", "count"), [(2, 5, 150), (8, 12, 150), (60, 40, 100), (60, 300, 5)])
def test_meteor_equals_nltk_with_wordnet(wordnet: None, vocabulary: int, longest: int, count: int) -> None:
    from nltk.corpus import wordnet as reader

    for hypothesis, references in pairs(vocabulary, longest, count):
        check_equal(hypothesis, references, ours=True, theirs=reader)


@pytest.mark.parametrize(("vocabulary", "longest", "count"), [(2, 5, 150), (8, 12, 150), (60, 40, 100), (60, 300, 5)])
def test_meteor_equals_nltk_without_wordnet(vocabulary: int, longest: int, count: int) -> None:
    for hypothesis, references in pairs(vocabulary, longest, count):
        check_equal(hypothesis, references, ours=False, theirs=NoWordnet())


def test_wordnet_matches_more(wordnet: None) -> None:
    texts = ["he rested on the sofa"], [["she rested on a couch"]]
    assert get("meteor").score(*texts)["meteor"] > get("meteor:wordnet=false").score(*texts)["meteor"]


def test_synonyms_are_those_of_stems(wordnet: None) -> None:
    """`automobile` is stemmed to `automobil`, which is not a word of WordNet."""
    assert get("meteor").score(["car"], [["automobile"]]) == {"meteor": 0.0}


def test_names_of_several_words_are_not_synonyms(wordnet: None) -> None:
    assert get("meteor").score(["frank"], [["hotdog"]])["meteor"] == 50
    assert get("meteor").score(["frank"], [["hot_dog"]])["meteor"] == 0


def test_the_signature_names_the_wordnet_that_was_found(wordnet: None) -> None:
    assert "|wordnet:3.0|" in get("meteor").signature
