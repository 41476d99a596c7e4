"""Which code may be imported by name: `module:Class` is accepted where the user types it, not from a file.

Settings files, grids, a model folder's `reader.json` and a run folder's `run.json` are data: they name registered
components only (ours and the entry points of installed packages). `longdoc.file_values` tells which names are a file's.
What is typed on the command line or passed in Python is the user's own, and may be code.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.file_values import SettingsFile, file_of
from longdoc.layout import PACKAGES, is_ours, module_name

_typed_names: set[str] = set()  # each `module:Class` that the user gave in this process, by name or as an object


class OnlyTyped(UserError):
    """A file sets fields of a component that only the user may set."""


class CodeInFile(UserError):
    """A file names a component by its `code`, `module:Class`, which only the user may do."""

    def __init__(self, file: str, kind: str, code: str) -> None:
        self.problem = f"{file} names the {kind} {code}, which is code, and files can only name registered components"
        self.code = code
        super().__init__(f"{self.problem}. Give it on the command line or in Python instead")


class Guarded:
    """Base of components that send text and keys to a server, or that may run code of others.

    A file of a model's or a run's folder that sets a field of `not_in_folders` is refused; a settings file may set it.
    `check_in_file` is asked of every component, since a file may also set fields of one that the user typed.
    """

    not_in_folders: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def check_in_file(cls, label: str, fields: Mapping[Any, Any]) -> None:
        """Raise `UserError` for values that a file may not set; `file_values.file_of` tells which are a file's."""


def remember_typed(name: str) -> None:
    """Remember a component that the user gave: this process may read it again from the files of its runs."""
    _typed_names.add(name)


def typed_modules() -> tuple[str, ...]:
    """The modules of others whose components the user gave in this process: another one has to import them, too."""
    names = {name.partition(":")[0] for name in _typed_names}
    return tuple(sorted(name for name in names if name != "__main__" and not is_ours(name)))


def import_typed(modules: Iterable[str]) -> None:
    """In a process that the run started, import modules as the run did; what is missing is said where it is used."""
    for module in modules:
        with _working_folder(), suppress(ModuleNotFoundError):
            import_module(module)


def check_fields(cls: type, label: str, given_fields: Mapping[Any, Any], file: str | None) -> None:
    """Raise `UserError` if the `file` that names a component, or another one, sets what only the user may."""
    if not issubclass(cls, Guarded):
        return
    closed = frozenset() if isinstance(file, SettingsFile) else cls.not_in_folders
    fields = sorted(name for name in closed if given_fields.get(name) is not None)
    if file is not None and fields:
        raise OnlyTyped(f"{file} sets {', '.join(fields)} of the {label}, which counts only where you type it yourself")
    cls.check_in_file(label, given_fields)


def import_attribute(code: str, kind: str) -> Any:
    """What `module:Class` or `module.py:Class` names; the working folder is searched last.

    Raises `UserError` if there is no such module or attribute, or if a file names it and the user has not.
    """
    module, _, attribute = str(code).partition(":")
    module = module.removesuffix(".py")
    if (file := file_of(code)) is not None and f"{module}:{attribute}" not in _typed_names:
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
    """Search the working folder last; our own packages are imported before, so nothing there can replace them."""
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
