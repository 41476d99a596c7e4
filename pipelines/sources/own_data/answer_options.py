"""The options of a user's own row: how rows write them, how a prompt lists them, and references that name one.

They are in `options` or `choices`: a list of texts, a mapping of letters to texts, or texts and their labels,
`{"text": [...], "label": [...]}`, as ARC has them (Clark et al. 2018), whose `answerKey` is a label. Without these,
columns `A`, `B` … are the options, as CSV files have them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.warnings import Warnings

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FIELDS = ("options", "choices")
NO_OPTION = "rows whose answer is not one of their options (write its letter or its text)"
EMPTY_VALUES: tuple[object, ...] = (None, "", "[]", "{}", [], {})  # a field that gives no options


@dataclass(frozen=True, slots=True)
class Options:
    """The texts of a row's options, and the labels by which its answers name them: A, B … where it gives none."""

    texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = tuple(LETTERS)


def options_of(fields: Mapping[str, Any], values: Mapping[str, Any], location: str) -> Options:
    """The options of a row whose `options` and `choices` are `values`. Raises `UserError` for malformed ones."""
    field = next((name for name in FIELDS if values.get(name)), "")
    value = values.get(field)
    if not field and {"A", "B"} <= fields.keys():
        columns = [letter for letter in LETTERS if letter in fields]
        return _by_letter({letter: fields[letter] for letter in columns if fields[letter]}, location, "the columns")
    if isinstance(value, Mapping) and {"text", "label"} <= value.keys():
        return _labelled(value, location, field)
    if isinstance(value, Mapping):
        return _by_letter(value, location, field)
    return Options(parsing.strings(value, location, field))


def _labelled(value: Mapping[str, Any], location: str, name: str) -> Options:
    """Options from texts and labels. Raises `UserError` if there are not as many labels as texts."""
    texts, labels = (parsing.strings(value[part], location, f"{name}.{part}") for part in ("text", "label"))
    if len(texts) != len(labels) or len(set(labels)) < len(labels):
        raise UserError(
            f"{location}: {name} has {len(texts)} texts and {len(set(labels))} labels; give each text its own"
        )
    return Options(texts, labels)


def _by_letter(options: Mapping[str, Any], location: str, name: str) -> Options:
    """Options from a mapping of letters to texts. Raises `UserError` if the letters are not A, B, C … in order."""
    if "".join(options) != LETTERS[: len(options)]:
        raise UserError(
            f"{location}: {name} are {', '.join(options)}; call the options A, B, C …, or give a list of texts"
        )
    texts = {letter: parsing.string(text, location, letter) for letter, text in options.items()}
    if empty := [letter for letter, text in texts.items() if not text.strip()]:
        raise UserError(f"{location}: the option {empty[0]} is empty; give it text, or leave it out")
    return Options(tuple(texts.values()))


def listing(options: Sequence[str]) -> Mapping[str, Any]:
    """The metadata of a row with options: `options_text`, for prompts, has one option per line after its letter.

    Empty without options, and for more options than letters.
    """
    if not 1 < len(options) <= len(LETTERS):
        return {}
    lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return {"options_text": "\n".join(lines), "lettered": True}


def references_of(references: Sequence[str], options: Options, location: str) -> tuple[str, ...]:
    """The references, with labels ("B", "(B)") replaced by the texts of their options.

    Raises `UserError` for a number that is neither text nor label: 1 may be the first or the second option.
    """
    by_label = dict(zip(options.labels, options.texts, strict=False))
    for reference in references if options.texts else ():
        is_option = reference in options.texts or reference.strip() in by_label
        if not is_option and reference.strip().isdecimal() and int(reference) <= len(options.texts):
            problem = f"{location}: the answer {reference} is the number of an option"
            raise UserError(f"{problem}; write the option's text, or its letter, A for the first")
    return tuple(
        reference if reference in options.texts else by_label.get(reference.strip("(). "), reference)
        for reference in references
    )


def check(example: Example, location: str, warnings: Warnings) -> None:
    """Count a warning for a row whose answers are not among its options: no choice can be right."""
    if example.options and example.references and not {*example.references} & {*example.options}:
        warnings.count(NO_OPTION, location)


def has_options(fields: Mapping[str, Any]) -> bool:
    """Whether a row has options, in any form."""
    names = [name for name in (*FIELDS, "A", "B") if fields.get(name) not in EMPTY_VALUES]
    return any(name in names for name in FIELDS) or {"A", "B"} <= {*names}
