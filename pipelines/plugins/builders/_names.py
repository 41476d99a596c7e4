"""Invented names and filler text, drawn at random: nobody can know anything of it, and nothing is downloaded."""

from collections.abc import Callable

from pipelines.plugins.builders._seeded_random import SeededRandom

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
ADJECTIVES = (
    "old", "quiet", "narrow", "bright", "wooden", "distant", "cold", "early", "broken", "green", "heavy", "patient",
    "empty", "famous", "gentle", "northern", "plain", "rusty", "silver", "tired", "wide", "young", "careful", "muddy",
)  # fmt: skip
NOUNS = (
    "carpenter", "bridge", "orchard", "captain", "market", "teacher", "river", "letter", "window", "garden", "doctor",
    "harbor", "clock", "baker", "forest", "neighbor", "wagon", "mountain", "sailor", "library", "painter", "station",
    "farmer", "village", "musician", "tower", "meadow", "printer", "traveler", "kitchen", "judge", "valley",
)  # fmt: skip
VERBS = (
    "passed", "remembered", "painted", "left", "watched", "repaired", "described", "reached", "forgot", "visited",
    "crossed", "praised", "followed", "avoided", "measured", "admired", "sold", "warned", "noticed", "guarded",
)  # fmt: skip
TIMES = (
    "in the morning", "after the rain", "before noon", "at dusk", "in late autumn", "on the way home", "once more",
    "without a word", "as in other years", "for a long while", "with little hope", "on market day", "in the first snow",
)  # fmt: skip


def word(random: SeededRandom, syllables: int = 3) -> str:
    """An invented word of syllables of two letters each, in small letters: "talomi"."""
    return "".join(random.choice(CONSONANTS) + random.choice(VOWELS) for _ in range(syllables))


def distinct(count: int, draw: Callable[[], str]) -> list[str]:
    """The first `count` different texts that `draw` returns."""
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[draw()] = None
    return list(texts)


class Filler:
    """Sentences about nothing in particular, always the same ones for a key."""

    def __init__(self, *key: str | int) -> None:
        self._random = SeededRandom(*key)
        self._sentences: list[str] = []

    def sentences(self, count: int) -> list[str]:
        """The first `count` sentences."""
        while len(self._sentences) < count:
            self._sentences.append(self._sentence())
        return self._sentences[:count]

    def _sentence(self) -> str:
        random = self._random
        subject, object_ = (f"the {random.choice(ADJECTIVES)} {random.choice(NOUNS)}" for _ in range(2))
        return f"{subject} {random.choice(VERBS)} {object_} {random.choice(TIMES)}.".capitalize()
