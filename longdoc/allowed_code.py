"""Which code may be imported by name: `module:Class` is accepted where the user types it, not from a file.

Settings files, grids, a model folder's `reader.json` and a run folder's `run.json` are data. Names in them
(`longdoc.file_values`) are looked up among the registered components (ours and the entry points of installed packages);
any other module that they name is imported only if the user allows it: `--allow-code MODULE` on the command line,
`allow_code` in Python. What is typed on the command line or passed in Python is the user's own, and may be code.
"""

import copyreg
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.file_values import SettingsFile, TextInFile
from longdoc.layout import PACKAGES, is_ours, module_name

_allowed_values: Counter[str] = Counter()  # of the whole process: components are also made in threads
_typed_names: set[str] = set()  # each `module:Class` that the user gave in this process, by name or as an object
_file: ContextVar[str | None] = ContextVar("file", default=None)  # the file whose names are being looked up


class OnlyTyped(UserError):
    """A file sets fields of a component that only the user may set."""


class Guarded:
    """Base of components that start other programs, or send text and keys to a server.

    A file that sets a field of `typed_only` is refused; so is one of a model's or a run's folder that sets a field of
    `not_in_folders`, which a settings file may set. `check_in_file` is asked of a component that a file names.
    """

    typed_only: ClassVar[frozenset[str]] = frozenset()
    not_in_folders: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def check_in_file(cls, label: str, fields: Mapping[Any, Any]) -> None:
        """Raise `UserError` for values that a file may not set; `file_values.file_of` tells which are a file's."""


@checks_names
@contextmanager
def allow_code(*modules: str) -> Iterator[None]:
    """Let files name code of these modules (and of modules inside them) while the block runs."""
    _allowed_values.update(modules)
    try:
        yield
    finally:
        _allowed_values.subtract(modules)


@contextmanager
def file_context(file: str | None) -> Iterator[None]:
    """While the block runs, looked-up names come from `file`; None: from the user, or as an outer block says."""
    token = _file.set(_file.get() if file is None else file)
    try:
        yield
    finally:
        _file.reset(token)


def remember_typed(name: str) -> None:
    """Remember a component that the user gave: this process may read it again from the files of its runs."""
    if _file.get() is None:
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


def check_fields(cls: type, label: str, given_fields: Mapping[Any, Any]) -> None:
    """Raise `UserError` if a file sets a field that only the user may set, or sets one to what only the user may."""
    if (file := _file.get()) is None or not issubclass(cls, Guarded):
        return
    closed = cls.typed_only if isinstance(file, SettingsFile) else cls.typed_only | cls.not_in_folders
    if fields := sorted(name for name in closed if given_fields.get(name) is not None):
        raise OnlyTyped(f"{file} sets {', '.join(fields)} of the {label}, which counts only where you type it yourself")
    cls.check_in_file(label, given_fields)


def import_attribute(module: str, attribute: str, kind: str) -> Any:
    """The attribute of a module; for this import, the working folder is added to the end of the search path.

    Raises `UserError` if there is no such module or attribute, or if a file names it and the module is not allowed.
    """
    _check(module, attribute, kind)
    with _working_folder():
        try:
            return getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if error.name is None or (error.name != module and not module.startswith(f"{error.name}.")):
                raise
            raise UserError(
                f"no module {module!r} for the {kind} {module}:{attribute}: install it, or name another"
            ) from None
        except AttributeError:
            if hasattr(sys.modules.get(module), attribute):
                raise
            raise UserError(f"module {module!r} has no {attribute!r} to use as a {kind}") from None


def _check(module: str, attribute: str, kind: str) -> None:
    file = _file.get()
    if file is None or f"{module}:{attribute}" in _typed_names:
        return
    if any(module == name or module.startswith(f"{name}.") for name, count in _allowed_values.items() if count > 0):
        return
    raise UserError(
        f"{file} names the {kind} {module}:{attribute}, which is code, and files may not run code: "
        f"if you trust it, add --allow-code {module} (in Python: with longdoc.allow_code({module!r}): …)"
    )


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


def _sent(text: TextInFile) -> tuple[Any, ...]:
    """A marked text for another process: what may be imported here may be there."""
    allowed_names = sorted(name for name, count in _allowed_values.items() if count > 0)
    return _received, (str(text), text.file, allowed_names, sorted(_typed_names))


def _received(text: str, file: str, allowed_names: list[str], typed_names: list[str]) -> TextInFile:
    _allowed_values.update(name for name in allowed_names if _allowed_values[name] < 1)
    _typed_names.update(typed_names)
    return TextInFile(text, file)


copyreg.pickle(TextInFile, _sent)
