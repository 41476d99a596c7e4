"""Which code may be imported by name: `module:Class` is accepted where the user types it, not from a file.

A model folder's `reader.json` and a run folder's `run.json` are data. Names in them are looked up among the registered
components (ours and the entry points of installed packages); any other module that they name is imported only if the
user allows it: `--allow-code MODULE` on the command line, `allow_code` in Python.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.layout import PACKAGES, is_ours, module_name

_allowed: ContextVar[frozenset[str]] = ContextVar("allowed", default=frozenset())
_typed: set[str] = set()  # each `module:Class` that the user gave in this process, by name or as an object
_file: ContextVar[str | None] = ContextVar("file", default=None)  # the file whose names are being looked up
_beside: ContextVar[frozenset[str]] = ContextVar("beside", default=frozenset())  # names the user typed beside it


class OnlyTyped(UserError):
    """A file sets fields of a component that only the user may set."""


class Guarded:
    """Base of components that start other programs, or send text and keys to a server.

    `typed_only` names the fields that only the user may set; a file that sets one is refused.
    """

    typed_only: ClassVar[frozenset[str]] = frozenset()


class NamedInFile(dict[Any, Any]):
    """A component's spec read from a file; `file` is that file's name."""

    def __init__(self, spec: dict[Any, Any], file: str) -> None:
        super().__init__(spec)
        self.file = file

    def copy(self) -> "NamedInFile":
        """A copy that keeps the name of its file."""
        return NamedInFile(dict(self), self.file)


@contextmanager
def allow_code(*modules: str) -> Iterator[None]:
    """Let files name code of these modules (and of modules inside them) while the block runs."""
    token = _allowed.set(_allowed.get() | set(modules))
    try:
        yield
    finally:
        _allowed.reset(token)


@contextmanager
def named_in(file: str | Path | None, typed: Iterable[str] = ()) -> Iterator[None]:
    """While the block runs, looked-up names come from `file`; None: from the user, or as an outer block says.

    `typed` are names and specs that the user gave beside the file (`given_as`).
    """
    tokens = _file.set(_file.get() if file is None else str(file)), _beside.set(_beside.get() | set(typed))
    try:
        yield
    finally:
        _file.reset(tokens[0])
        _beside.reset(tokens[1])


@contextmanager
def given_as(spec: str) -> Iterator[None]:
    """While the block runs, names come from the user if the spec is one that was typed beside the file."""
    token = _file.set(None if spec in _beside.get() else _file.get())
    try:
        yield
    finally:
        _file.reset(token)


def remember_typed(name: str) -> None:
    """Remember a component that the user gave: this process may read it again from the files of its runs."""
    if _file.get() is None:
        _typed.add(name)


def typed_modules() -> tuple[str, ...]:
    """The modules of others whose components the user gave in this process: another one has to import them, too."""
    names = {name.partition(":")[0] for name in _typed}
    return tuple(sorted(name for name in names if name != "__main__" and not is_ours(name)))


def import_typed(modules: Iterable[str]) -> None:
    """In a process that the run started, import modules as the run did; what is missing is said where it is used."""
    for module in modules:
        with _working_folder(), suppress(ModuleNotFoundError):
            import_module(module)


def check_fields(cls: type, label: str, given: Any) -> None:
    """Raise `UserError` if a file sets a field that only the user may set."""
    if (file := _file.get()) is None or not issubclass(cls, Guarded):
        return
    if fields := sorted(name for name in cls.typed_only if given.get(name) is not None):
        raise OnlyTyped(f"{file} sets {', '.join(fields)} of the {label}, which counts only where you type it yourself")


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
    if file is None or f"{module}:{attribute}" in _typed:
        return
    if any(module == name or module.startswith(f"{name}.") for name in _allowed.get()):
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
