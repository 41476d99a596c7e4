"""The differences of two specs in words: the argument of `run` and both values, without digests and JSON."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.messages import counted
from pipelines.display import numbers

COMPONENTS = ("chunker", "retriever", "strategy", "model", "recipe")
DATA = ("data", "training", "validation_data")
LONGEST = 48  # characters of a value
AROUND = 12  # characters of a prompt before the first difference
_DIGEST = re.compile(r"(?:sha256:)?[0-9a-f]{32,}")
_COMMIT = 7  # characters, as git shortens them


@dataclass(frozen=True, slots=True)
class SpecDifference:
    """A difference: the argument's name and its two values, which are empty if words cannot tell them apart."""

    name: str
    first: str = ""
    second: str = ""

    def __str__(self) -> str:
        """The difference from an earlier run: `k: 10 there, 2 now`."""
        return f"{self.name}: {self.first} there, {self.second} now" if self.first else f"other {self.name}"

    @property
    def against(self) -> str:
        """The difference of two runs: `k (10 against 2)`."""
        return f"{self.name} ({self.first} against {self.second})" if self.first else self.name


def differences_in_words(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[SpecDifference]:
    """The differences of two specs, in the order of the first one's fields."""
    names = [name for name in dict.fromkeys([*first, *second]) if first.get(name) != second.get(name)]
    return [difference for name in names for difference in _differences(name, first.get(name), second.get(name))]


def _differences(name: str, first: Any, second: Any) -> list[SpecDifference]:
    if name in DATA:
        words = data_in_words(first, second)
        return [SpecDifference(name.replace("_", " ").replace("training", "training data"), *words)]
    if name == "resolved":
        return _fields("the model", first or {}, second or {})
    if name == "encoders":
        return _encoders(first or [], second or [])
    if name == "prompt" and isinstance(first, Mapping) and isinstance(second, Mapping):
        return [_prompt(first, second)]
    if name in COMPONENTS and isinstance(first, Mapping) and isinstance(second, Mapping):
        if first.get("name") == second.get("name"):
            return _fields(f"{name} {first.get('name')}", first, second)
        return [_values(name, _component(first), _component(second))]
    return [_values(name, _short(first), _short(second))]


def _fields(owner: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> list[SpecDifference]:
    """The fields in which two mappings differ."""
    names = [name for name in dict.fromkeys([*first, *second]) if first.get(name) != second.get(name)]
    return [_values(f"{name} of {owner}", _short(first.get(name)), _short(second.get(name))) for name in names]


def _encoders(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> list[SpecDifference]:
    """The fields in which a retriever's encoders differ, or the encoders themselves."""
    if len(first) == len(second) and [fields.get("model") for fields in first] == [
        fields.get("model") for fields in second
    ]:
        pairs = zip(first, second, strict=True)
        return [
            difference for pair in pairs for difference in _fields(f"the encoder {_short(pair[0].get('model'))}", *pair)
        ]
    models = [", ".join(_short(fields.get("model")) for fields in encoders) or "none" for encoders in (first, second)]
    return [_values("encoders", *models)]


def _values(name: str, first: str, second: str) -> SpecDifference:
    """The difference of two values in words, without them if their words are equal."""
    return SpecDifference(name, first, second) if first != second else SpecDifference(name)


def _component(spec: Mapping[str, Any]) -> str:
    """A component's name, and for a network the name of its model."""
    name, model = spec.get("name"), spec.get("model")
    return numbers.shortened(f"{name}:{model}" if isinstance(model, str) else str(name), LONGEST)


def _short(value: Any) -> str:
    """A value in short: a commit by its first characters, another digest as `…`."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return _component(value) if isinstance(value.get("name"), str) else f"{len(value)} settings"
    if isinstance(value, (list, tuple)):
        return numbers.shortened(f"[{', '.join(map(_short, value))}]", LONGEST)
    text = str(value)
    if re.fullmatch(r"[0-9a-f]{40}", text):
        return text[:_COMMIT]
    return "…" if _DIGEST.fullmatch(text) else numbers.shortened(numbers.line(text), LONGEST)


def _prompt(first: Mapping[str, Any], second: Mapping[str, Any]) -> SpecDifference:
    """The first field in which two prompts differ, with the text around the first difference."""
    for name in dict.fromkeys([*first, *second]):
        first_text, second_text = first.get(name), second.get(name)
        if first_text == second_text:
            continue
        if not isinstance(first_text, str) or not isinstance(second_text, str):
            return _values(f"prompt's {name}", _short(first_text), _short(second_text))
        position = next((n for n, (a, b) in enumerate(zip(first_text, second_text, strict=False)) if a != b), 0)
        label = "prompt" if name == "text" else f"prompt's {name}"
        return _values(label, _excerpt(first_text, position), _excerpt(second_text, position))
    return SpecDifference("prompt")


def _excerpt(text: str, position: int) -> str:
    start = max(position - AROUND, 0)
    end = start + LONGEST
    excerpt = numbers.line(text[start:end].strip())
    return f'"{"…" * (start > 0)}{excerpt}{"…" * (end < len(text))}"'


def data_in_words(first: Any, second: Any) -> tuple[str, str]:
    """Two fingerprints of data as names, sizes and numbers; both empty if these are equal."""
    first_text, second_text = _data(first, second), _data(second, first)
    return (first_text, second_text) if first_text != second_text else ("", "")


def _data(data: Any, other: Any) -> str:
    if not isinstance(data, Mapping) or not data:
        return "none"
    if "repository" in data:
        commit = f" at {_short(data['revision'])}" if data.get("revision") else ""
        return f"{data['repository']}{commit}"
    if "sample" in data:
        return "the sample"
    if "rows" in data:
        return f"a table of {counted(data['rows'], 'row')}"
    if "examples" in data:
        return f"{counted(data['examples'], 'example')} given in Python"
    return _files(data, other if isinstance(other, Mapping) else {})


def _files(data: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """The first file that the other data lack, the number of further files, and the size of all."""
    files: Sequence[Any] = data.get("files") or ()
    other_files = other.get("files") or ()
    own_files = [file for file in files if file not in other_files] or list(files)
    first = own_files[0] if own_files else {}
    name = first.get("name", "no file") if isinstance(first, Mapping) else str(first)
    rest = f" and {len(files) - 1} more" if len(files) > 1 else ""
    documents = data.get("documents")
    documents_note = (
        f" with {counted(documents['files'], 'document')}"
        if isinstance(documents, Mapping) and "files" in documents
        else ""
    )
    size = f" ({_bytes(data['size'])})" if isinstance(data.get("size"), int) else ""
    return f"{numbers.line(name)}{rest}{documents_note}{size}"


def _bytes(count: int) -> str:
    for unit, size in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,} bytes"


def signatures_in_words(first: str, second: str) -> str:
    """The settings in which two signatures of metrics differ: `stemmer yes against no`."""
    first_parts, second_parts = (
        dict(part.partition(":")[::2] for part in text.split("|")[1:]) for text in (first, second)
    )
    names = [
        name for name in dict.fromkeys([*first_parts, *second_parts]) if first_parts.get(name) != second_parts.get(name)
    ]
    parts = (f"{name} {first_parts.get(name, 'none')} against {second_parts.get(name, 'none')}" for name in names)
    return ", ".join(parts) or f"{first} against {second}"
