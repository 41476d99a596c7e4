"""ContraPro's annotations (Müller et al. 2018) in the metadata of MuLD's rows: lines, pronouns, errors.

The metadata are a list, as JSON text or as it is; `long_contra_pro`, where MuLD has its rows from, writes `ref_pronoun`
where ContraPro's own file has `ref pronoun`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.records import Example

OTHER_WORDS = 2  # a wrong line may always have so many other words


@dataclass(frozen=True, slots=True)
class Question:
    """A line of an example whose pronoun is tested, right and wrong. `line` counts from 0."""

    line: int
    pronoun: str
    right: str
    wrong: tuple[str, ...]


def questions(example: Example) -> Iterator[Question]:
    """The questions in an example's metadata. Raises `UserError` that names the example and the entry."""
    entries = _entries(example)
    target = example.references[0].rstrip("\n").split("\n") if example.references else []
    for number, entry in enumerate(entries, 1):
        location = f"{example.id}, entry {number} of the metadata"
        if not isinstance(entry, Mapping):
            raise UserError(f"{location}: an object with line_idx, ref_pronoun and errors is needed, got {entry!r}")
        named_fields = {str(key).replace(" ", "_"): value for key, value in entry.items()}
        line, pronoun, errors = (
            named_fields.get("line_idx"),
            named_fields.get("ref_pronoun"),
            _listed(named_fields.get("errors")),
        )
        if type(line) is not int or not isinstance(pronoun, str) or not isinstance(errors, list) or not errors:
            raise UserError(
                f"{location}: line_idx, ref_pronoun and errors are needed; found {', '.join(named_fields) or 'nothing'}"
            )
        if not 0 <= line < len(target):
            raise UserError(f"{location}: line_idx {line} is not within the translation's {len(target)} lines")
        wrong_names = tuple(_wrong_text(error, target[line], pronoun, location) for error in errors)
        yield Question(line, pronoun.lower(), target[line], wrong_names)


def _entries(example: Example) -> list[Any]:
    metadata = example.meta.get("metadata") or []
    if isinstance(metadata, str):
        try:
            metadata = plain_json.loads(metadata)
        except plain_json.NotJSON as error:
            raise UserError(f"{example.id}: the metadata are not JSON: {error}") from None
    listed = _listed(metadata or [])
    if not isinstance(listed, list):
        raise UserError(f"{example.id}: the metadata have to be a list, one entry for each pronoun in question")
    return listed


def _listed(value: Any) -> Any:
    """A list of objects, also where a table keeps it as an object of lists, each as long as the others."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(column, list) for column in value.values()):
        return value
    columns = list(value.values())
    if any(len(column) != len(columns[0]) for column in columns):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def _wrong_text(error: Any, right: str, pronoun: str, location: str) -> str:
    """The wrong line: as it is given, or the right one with the pronoun replaced where it first stands."""
    entry = error if isinstance(error, Mapping) else _plain_entry(error, right)
    line, word = entry.get("contrastive"), entry.get("replacement")
    if isinstance(line, str) and line.strip():
        _check_alike(line, right, location)
        return line
    if not isinstance(word, str) or not word.strip():
        raise UserError(
            f"{location}: an error needs its contrastive line or the replacement of the pronoun, got {error!r}"
        )
    match = re.search(rf"\b{re.escape(pronoun)}\b", right, re.IGNORECASE)
    if match is None:
        raise UserError(f"{location}: the pronoun {pronoun!r} is not in the line {right!r}, so it cannot be replaced")
    word = word[:1].upper() + word[1:] if match[0][:1].isupper() else word
    return right[: match.start()] + word + right[match.end() :]


def _plain_entry(error: Any, right: str) -> Mapping[str, Any]:
    """The entry for an error that is a plain text: the pronoun if one word where the line has more, else the line."""
    if not isinstance(error, str):
        return {}
    return {"replacement" if len(error.split()) == 1 < len(right.split()) else "contrastive": error}


def _check_alike(line: str, right: str, location: str) -> None:
    """Raise `UserError` for a wrong line that is no other version of the right one: `line_idx` means another line."""
    words, other_names = right.split(), set(line.split())
    if sum(word not in other_names for word in words) > max(OTHER_WORDS, len(words) // 2):
        named_text = f"of the line {right!r} that line_idx names (it counts the lines of the translation from 0)"
        raise UserError(f"{location}: the contrastive line {line!r} is no version {named_text}")
