"""Needles and variables in a text, as many and at such places as RULER has them (Hsieh et al. 2024, table 2)."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from pipelines.plugins.builders._names import Filler, distinct, word
from pipelines.plugins.builders._prompt_rows import Draft, Question
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.records import Span
from pipelines.sources.pieces import Pieces

REPEATED = "The lamp is lit. The door is shut. The rain has stopped. Nobody is about."
PARAGRAPH = 8  # sentences
HOPS = 4  # of a chain of variables
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class NeedleTask:
    """What a task hides, and in what.

    - `haystack`: one repeated line ("repeated"), sentences ("text"), or other needles ("needles").
    - `names`: how many names have needles, `values` each, and `queried` of them are asked for.
    - `uuid_names`, `uuid_values`: whether these are UUIDs, and not words and numbers.
    """

    haystack: str
    names: int = 1
    values: int = 1
    queried: int = 1
    uuid_names: bool = False
    uuid_values: bool = False


NEEDLES = {
    "niah_single_1": NeedleTask("repeated"),
    "niah_single_2": NeedleTask("text"),
    "niah_single_3": NeedleTask("text", uuid_values=True),
    "niah_multikey_1": NeedleTask("text", names=4),
    "niah_multikey_2": NeedleTask("needles"),
    "niah_multikey_3": NeedleTask("needles", uuid_names=True, uuid_values=True),
    "niah_multivalue": NeedleTask("text", values=4),
    "niah_multiquery": NeedleTask("text", names=4, queried=4),
}


def needles(task: NeedleTask, *key: str | int) -> Draft:
    """The question of a needle task, for a document of so many sentences or lines."""
    return partial(_needle_question, task, Filler(*key, "filler"), key)


def _needle_question(task: NeedleTask, filler: Filler, key: Sequence[str | int], size: int) -> Question:
    random = SeededRandom(*key)
    count = size if task.haystack == "needles" else task.names
    names = distinct(count, partial(_identifier if task.uuid_names else _name, random))
    values = distinct(count * task.values, partial(_identifier if task.uuid_values else _number, random))
    codes = [(name, values[place::count]) for place, name in enumerate(names)]
    queried = codes[random.below(count) :][:1] if task.queried == 1 else codes[: task.queried]
    sentences = [(_entry(name, value), name) for name, numbers in codes for value in numbers]
    if task.haystack == "needles":
        lines, separator = sentences, "\n"
    else:
        hay = [REPEATED] * size if task.haystack == "repeated" else filler.sentences(size)
        lines = _inserted([(line, "") for line in hay], random.shuffled(sentences), random)
        separator = "\n" if task.haystack == "repeated" else ""
    queried_names = [name for name, _ in queried]
    outputs = [value for _, numbers in queried for value in numbers]
    document, spans = _joined(lines, separator, set(queried_names))
    return Question(document, _query(queried_names, task.values), outputs, spans)


def _entry(name: str, value: str) -> str:
    return f"Entry of the register: the code of {name} is {value}."


def _query(names: Sequence[str], values: int) -> str:
    if len(names) > 1:
        return f"What are the codes of {', '.join(names[:-1])} and {names[-1]} in the register?"
    noun = "is the code" if values == 1 else "are all the codes"
    return f"What {noun} of {names[0]} in the register?"


def _inserted(
    lines: list[tuple[str, str]], needles: Sequence[tuple[str, str]], random: SeededRandom
) -> list[tuple[str, str]]:
    """The lines with the needles between them, in their order, each at a place of its own."""
    places: set[int] = set()
    while len(places) < min(len(needles), len(lines) + 1):
        places.add(random.below(len(lines) + 1))
    for place, needle in sorted(zip(sorted(places), needles, strict=True), reverse=True):
        lines.insert(place, needle)
    return lines


def _joined(lines: Sequence[tuple[str, str]], separator: str, names: set[str]) -> tuple[str, list[Span]]:
    """The text of lines, in paragraphs where there is no separator, and the spans of those with one of the names."""
    pieces, spans = Pieces(), []
    for place, (line, name) in enumerate(lines):
        span = pieces.add(line, separator or (" " if place % PARAGRAPH else "\n\n"))
        if name in names:
            spans.append(span)
    return pieces.text, spans


def variables(*key: str | int) -> Draft:
    """The question about a chain of variables, for a document of so many lines."""
    return partial(_variable_question, key)


def _variable_question(key: Sequence[str | int], size: int) -> Question:
    random = SeededRandom(*key)
    names = distinct(HOPS + 1, partial(_letters, random))
    value = str(10_000 + random.below(90_000))
    chain = [f"Variable {names[0]} is set to {value}."]
    chain += [f"Variable {name} is set to variable {other}." for other, name in pairwise(names)]
    lines = _inserted([(REPEATED, "")] * size, [(line, "chain") for line in chain], random)
    document, spans = _joined(lines, "\n", {"chain"})
    return Question(document, f"Which {len(names)} variables have the value {value}?", names, spans)


def _name(random: SeededRandom) -> str:
    return f"{word(random)}-{word(random)}"


def _number(random: SeededRandom) -> str:
    return str(1_000_000 + random.below(9_000_000))


def _letters(random: SeededRandom) -> str:
    return "".join(random.choice(LETTERS) for _ in range(5))


def _identifier(random: SeededRandom) -> str:
    return str(uuid.UUID(bytes=bytes(random.below(256) for _ in range(16)), version=4))
