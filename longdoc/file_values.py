"""Values that were read from a file remember which: what they name is data (`longdoc.allowed_code`).

Readers of files mark all texts that they read, by `marked_with_file`. What is cut out of a marked text or joined to it
by `+` is marked too, as are the fields of a spec that is parsed from it; so a name cannot lose its file on the way to a
registry by being taken apart. What f-strings and `join` make of it is not: pass lists on as they are.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

PIECES = (  # methods of str whose results are made of the text
    "__add__", "__getitem__", "__mod__", "__mul__", "__rmul__", "capitalize", "casefold", "center", "expandtabs",
    "format", "format_map", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "strip", "swapcase", "title", "translate", "upper",
    "zfill",
)  # fmt: skip


class SettingsFile(str):
    """The name of a settings file (`--config`, a grid).

    The user chose to run it, so that it may name models behind APIs; a model's or a run's folder may not.
    """


class TextInFile(str):
    """A text read from a file, whose name is `file`."""

    file: str

    def __new__(cls, text: str, file: str) -> Self:
        """The text, marked."""
        marked = super().__new__(cls, text)
        marked.file = file
        return marked

    def __radd__(self, before: str) -> "TextInFile":
        return TextInFile(str(before) + str(self), self.file)

    def __reduce__(self) -> Any:
        return TextInFile, (str(self), self.file)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _of_same_file(method: Callable[..., Any]) -> Callable[..., Any]:
    def called(self: TextInFile, *values: Any, **named_fields: Any) -> Any:
        result = method(self, *values, **named_fields)
        return result if result is NotImplemented else marked_with_file(result, self.file)

    return called


for _name in PIECES:
    setattr(TextInFile, _name, _of_same_file(getattr(str, _name)))


def marked_with_file(value: Any, file: str) -> Any:
    """A value with all texts in it marked as read from `file`, keys of mappings too; what is marked stays as it is."""
    if isinstance(value, TextInFile):
        return value
    if isinstance(value, str):
        return TextInFile(value, file)
    if isinstance(value, dict):
        return {marked_with_file(key, file): marked_with_file(item, file) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(marked_with_file(item, file) for item in value)
    return value


def file_of(value: Any) -> str | None:
    """The file that a name or a spec was read from; None for what was typed, or passed in Python."""
    if isinstance(value, TextInFile):
        return value.file
    return file_of(value.get("name")) if isinstance(value, Mapping) else None
