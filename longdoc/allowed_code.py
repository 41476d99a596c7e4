"""Which code may be imported by name: `module:Class` is accepted where the user types it, not from a file.

Settings files, grids, a model folder's `reader.json` and a run folder's `run.json` are data: they name registered
components only (ours and the entry points of installed packages). What is typed on the command line or passed in Python
is the user's own, and may be code.

Values that were read from a file remember which one: readers of files mark all texts by `marked_with_file`. Pieces of
a marked text, texts joined to it by `+`, and fields of a spec that is parsed from it are marked, too, so that a name
cannot lose its file on the way to a registry. Results of f-strings and `join` are not: pass lists on as they are.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from longdoc.errors import UserError
from longdoc.own_packages import PACKAGES, is_ours, module_name

PIECES = (  # methods of str whose results are made of the text
    "__add__", "__getitem__", "__mod__", "__mul__", "__rmul__", "capitalize", "casefold", "center", "expandtabs",
    "format", "format_map", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "strip", "swapcase", "title", "translate", "upper",
    "zfill",
)  # fmt: skip


class SettingsFile(str):
    """The name of a settings file (`--config`, a grid).

    The user chose to run it, so it may name models behind APIs; the files of a model's or a run's folder may not.
    """


class TextInFile(str):
    """A text that was read from the file named `file`."""

    file: str

    def __new__(cls, text: str, file: str) -> Self:
        """The text, marked as read from the file."""
        text_in_file = super().__new__(cls, text)
        text_in_file.file = file
        return text_in_file

    def __radd__(self, before: str) -> "TextInFile":
        return TextInFile(str(before) + str(self), self.file)

    def __reduce__(self) -> Any:
        return TextInFile, (str(self), self.file)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _with_marked_result(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of str whose result is marked as read from the text's file."""

    def with_marked_result(self: TextInFile, *values: Any, **fields: Any) -> Any:
        result = method(self, *values, **fields)
        return result if result is NotImplemented else marked_with_file(result, self.file)

    return with_marked_result


for _name in PIECES:
    setattr(TextInFile, _name, _with_marked_result(getattr(str, _name)))


def marked_with_file(value: Any, file: str) -> Any:
    """A value with all texts in it marked as read from `file`, keys of mappings too; marks of other files stay."""
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
    """The file from which a name or a spec was read; None if it was typed, or passed in Python."""
    if isinstance(value, TextInFile):
        return value.file
    return file_of(value.get("name")) if isinstance(value, Mapping) else None


_typed_components: set[str] = set()  # each `module:Class` that the user gave in this process, by name or as an object


class OnlyTyped(UserError):
    """The error for a file that sets fields of a component which only the user may set."""


class CodeInFile(UserError):
    """The error for a file that names a component by its `code`, `module:Class`, which only the user may do."""

    def __init__(self, file: str, kind: str, code: str) -> None:
        self.problem = f"{file} names the {kind} {code}, which is code, and files can only name registered components"
        self.code = code
        super().__init__(f"{self.problem}. Give it on the command line or in Python instead")


class Guarded:
    """Base of components that send texts and keys to a server, or may run other people's code.

    The files of a model's or a run's folder may not set the fields `not_in_folders`; a settings file may.
    `check_in_file` is called for every component, as a file may also set fields of one that the user typed.
    """

    not_in_folders: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def check_in_file(cls, label: str, fields: Mapping[Any, Any]) -> None:
        """Raise `UserError` for values that a file may not set; `file_of` tells which are a file's."""


def remember_typed(name: str) -> None:
    """Remember a component that the user typed, so that the files of its runs may name it in this process."""
    _typed_components.add(name)


def typed_modules() -> tuple[str, ...]:
    """The modules of components that the user typed in this process; its child processes must import them, too."""
    names = {name.partition(":")[0] for name in _typed_components if ":" in name}
    return tuple(sorted(name for name in names if name != "__main__" and not is_ours(name)))


def import_typed(modules: Iterable[str]) -> None:
    """Import the `typed_modules` of a run in its child process; missing ones are reported when they are used."""
    for module in modules:
        with _working_folder(), suppress(ModuleNotFoundError):
            import_module(module)


def check_fields(cls: type, label: str, values: Mapping[Any, Any], file: str | None) -> None:
    """Raise `UserError` if a file, be it `file`, which names the component, or another, sets forbidden fields."""
    if not issubclass(cls, Guarded):
        return
    forbidden_names = frozenset() if isinstance(file, SettingsFile) else cls.not_in_folders
    fields = sorted(name for name in forbidden_names if values.get(name) is not None)
    if file is not None and fields:
        raise OnlyTyped(f"{file} sets {', '.join(fields)} of the {label}, which counts only where you type it yourself")
    cls.check_in_file(label, values)


def import_attribute(code: str, kind: str) -> Any:
    """The object that `module:Class` or `module.py:Class` names; the working folder is searched last.

    Raises `UserError` if there is no such module or attribute, or if a file names it and the user has not.
    """
    module, _, attribute = str(code).partition(":")
    module = module.removesuffix(".py")
    if (file := file_of(code)) is not None and f"{module}:{attribute}" not in _typed_components:
        raise CodeInFile(file, kind, str(code))
    with _working_folder():
        try:
            return getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if error.name is None or (error.name != module and not module.startswith(f"{error.name}.")):
                raise
            raise UserError(f"no module {module!r} for the {kind} {code}: install it, or name another") from None
        except AttributeError:
            if hasattr(sys.modules.get(module), attribute):
                raise
            raise UserError(f"module {module!r} has no {attribute!r} to use as a {kind}") from None


@contextmanager
def _working_folder() -> Iterator[None]:
    """Search the working folder last; longdoc's packages are imported first, so nothing there can replace them."""
    for package in PACKAGES:
        import_module(module_name(package))
    folder = str(Path.cwd())
    if folder in sys.path:
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
