"""How two specs differ, in words: the argument of `run`, and both values in short. No digests, no JSON."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.plurals import counted
from pipelines.display import numbers

COMPONENTS = ("chunker", "retriever", "strategy", "model", "recipe")
DATA = ("data", "training", "validation_data")
LONGEST = 48  # characters of a value
AROUND = 12  # characters of a prompt before the first difference
_DIGEST = re.compile(r"(?:sha256:)?[0-9a-f]{32,}")
_COMMIT = 7  # characters, as git shortens them


@dataclass(frozen=True, slots=True)
class InWords:
    """A difference: the argument's name and its two values. Both are empty where words cannot tell them apart."""

    name: str
    first: str = ""
    second: str = ""

    def __str__(self) -> str:
        """As in `k: 10 there, 2 now`."""
        return f"{self.name}: {self.first} there, {self.second} now" if self.first else f"other {self.name}"

    @property
    def against(self) -> str:
        """As in `k (10 against 2)`."""
        return f"{self.name} ({self.first} against {self.second})" if self.first else self.name


def differences_in_words(present_fields: Mapping[str, Any], now: Mapping[str, Any]) -> list[InWords]:
    """The differences of two specs, in the order of the first one's fields."""
    names = [name for name in dict.fromkeys([*present_fields, *now]) if present_fields.get(name) != now.get(name)]
    return [difference for name in names for difference in _differences(name, present_fields.get(name), now.get(name))]


def _differences(name: str, present_value: Any, now: Any) -> list[InWords]:
    if name in DATA:
        words = data_in_words(present_value, now)
        return [InWords(name.replace("_", " ").replace("training", "training data"), *words)]
    if name == "resolved":
        return _fields("the model", present_value or {}, now or {})
    if name == "encoders":
        return _encoders(present_value or [], now or [])
    if name == "prompt" and isinstance(present_value, Mapping) and isinstance(now, Mapping):
        return [_prompt(present_value, now)]
    if name in COMPONENTS and isinstance(present_value, Mapping) and isinstance(now, Mapping):
        if present_value.get("name") == now.get("name"):
            return _fields(f"{name} {present_value.get('name')}", present_value, now)
        return [_values(name, _component(present_value), _component(now))]
    return [_values(name, _short(present_value), _short(now))]


def _fields(owner: str, present_fields: Mapping[str, Any], now: Mapping[str, Any]) -> list[InWords]:
    """The fields in which two mappings differ."""
    names = [name for name in dict.fromkeys([*present_fields, *now]) if present_fields.get(name) != now.get(name)]
    return [_values(f"{name} of {owner}", _short(present_fields.get(name)), _short(now.get(name))) for name in names]


def _encoders(entries: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[InWords]:
    """The fields in which a retriever's encoders differ, or which they are."""
    if len(entries) == len(now) and [fields.get("model") for fields in entries] == [
        fields.get("model") for fields in now
    ]:
        pairs = zip(entries, now, strict=True)
        return [value for pair in pairs for value in _fields(f"the encoder {_short(pair[0].get('model'))}", *pair)]
    named_names = [
        ", ".join(_short(fields.get("model")) for fields in some_entries) or "none" for some_entries in (entries, now)
    ]
    return [_values("encoders", *named_names)]


def _values(name: str, text: str, now: str) -> InWords:
    return InWords(name, text, now) if text != now else InWords(name)


def _component(spec: Mapping[str, Any]) -> str:
    """A component's name, and for a network the name of its model."""
    name, model = spec.get("name"), spec.get("model")
    return numbers.shortened(f"{name}:{model}" if isinstance(model, str) else str(name), LONGEST)


def _short(value: Any) -> str:
    """One value in short: a commit by its first characters, another digest not at all."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping) and value.keys() >= {"amount", "unit"}:  # of the selected text
        fill = "" if value.get("fill", "cut") == "cut" else f", fill={value['fill']}"
        return f"{value['amount']} {value['unit']}{fill}"
    if isinstance(value, Mapping):
        return _component(value) if isinstance(value.get("name"), str) else f"{len(value)} settings"
    if isinstance(value, (list, tuple)):
        return numbers.shortened(f"[{', '.join(map(_short, value))}]", LONGEST)
    text = str(value)
    if re.fullmatch(r"[0-9a-f]{40}", text):
        return text[:_COMMIT]
    return "…" if _DIGEST.fullmatch(text) else numbers.shortened(numbers.line(text), LONGEST)


def _prompt(present_fields: Mapping[str, Any], now: Mapping[str, Any]) -> InWords:
    """The first field of a prompt that differs, from shortly before the first difference."""
    for name in dict.fromkeys([*present_fields, *now]):
        first, second = present_fields.get(name), now.get(name)
        if first == second:
            continue
        if not isinstance(first, str) or not isinstance(second, str):
            return _values(f"prompt's {name}", _short(first), _short(second))
        same_count = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
        label = "prompt" if name == "text" else f"prompt's {name}"
        return _values(label, _excerpt(first, same_count), _excerpt(second, same_count))
    return InWords("prompt")


def _excerpt(text: str, position: int) -> str:
    start = max(position - AROUND, 0)
    end = start + LONGEST
    inside = numbers.line(text[start:end].strip())
    return f'"{"…" * (start > 0)}{inside}{"…" * (end < len(text))}"'


def data_in_words(present_value: Any, now: Any) -> tuple[str, str]:
    """Two fingerprints of data, each as names, sizes and numbers; empty where these are alike."""
    first, second = _data(present_value, now), _data(now, present_value)
    return (first, second) if first != second else ("", "")


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
    """The first file that the other data do not have, how many more there are, and the size of all."""
    files: Sequence[Any] = data.get("files") or ()
    other_value = other.get("files") or ()
    own_entries = [file for file in files if file not in other_value] or list(files)
    first = own_entries[0] if own_entries else {}
    name = first.get("name", "no file") if isinstance(first, Mapping) else str(first)
    more_text = f" and {len(files) - 1} more" if len(files) > 1 else ""
    documents = data.get("documents")
    read = (
        f" with {counted(documents['files'], 'document')}"
        if isinstance(documents, Mapping) and "files" in documents
        else ""
    )
    size = f" ({_bytes(data['size'])})" if isinstance(data.get("size"), int) else ""
    return f"{numbers.line(name)}{more_text}{read}{size}"


def _bytes(count: int) -> str:
    for unit, size in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,} bytes"


def signatures_in_words(text: str, now: str) -> str:
    """The parts `key:value` in which two signatures of metrics differ, as in `stemmer yes against no`."""
    first, second = (dict(part.partition(":")[::2] for part in text.split("|")[1:]) for text in (text, now))
    names = [name for name in dict.fromkeys([*first, *second]) if first.get(name) != second.get(name)]
    parts = (f"{name} {first.get(name, 'none')} against {second.get(name, 'none')}" for name in names)
    return ", ".join(parts) or f"{text} against {now}"
