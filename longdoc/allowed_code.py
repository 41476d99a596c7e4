"""Which code may be imported by name: `module:Class` counts where a person typed it, not where a file names it.

A model folder's `reader.json` and a run folder's `run.json` are data. What they name is looked up among the registered
components (ours and those of installed packages' entry points); a module of theirs is imported only if it was allowed,
`--allow-code MODULE` on the command line, `allow_code` in Python.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.layout import PACKAGES, module_name

_allowed: ContextVar[frozenset[str]] = ContextVar("allowed", default=frozenset())
_typed: set[str] = set()  # the `module:Class` that were given in this process, by name or as objects
_file: ContextVar[str | None] = ContextVar("file", default=None)  # the file whose words are being looked up


class Guarded:
    """Base of components that reach beyond this program: they start another, or send text and keys to a server.

    `typed_only` names the fields that count only where a person typed them; a file that sets one is refused.
    """

    typed_only: ClassVar[frozenset[str]] = frozenset()


class NamedInFile(dict[Any, Any]):
    """A component's spec as a file has it; `file` is that file's name."""

    def __init__(self, spec: dict[Any, Any], file: str) -> None:
        super().__init__(spec)
        self.file = file

    def copy(self) -> "NamedInFile":
        """The same, still with its file."""
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
def named_in(file: str | Path | None) -> Iterator[None]:
    """While the block runs, what is looked up stands in `file`; None: a person typed it, or an outer block decides."""
    token = _file.set(_file.get() if file is None else str(file))
    try:
        yield
    finally:
        _file.reset(token)


def given(name: str) -> None:
    """Remember a component that a person gave: what a run of this process writes down may be read again in it."""
    if _file.get() is None:
        _typed.add(name)


def check_fields(cls: type, label: str, given: Any) -> None:
    """Raise `UserError` if a file sets a field that only a person may set."""
    if (file := _file.get()) is None or not issubclass(cls, Guarded):
        return
    if fields := sorted(name for name in cls.typed_only if given.get(name) is not None):
        raise UserError(f"{file} sets {', '.join(fields)} of the {label}, which counts only where you type it yourself")


def imported(module: str, attribute: str, kind: str) -> Any:
    """What `module:attribute` names; the working folder is searched too, last, and only meanwhile.

    Raises `UserError`: no such module or attribute, or a file names it and the module is not allowed.
    """
    _check(module, attribute, kind)
    with _working_folder():
        try:
            return getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if error.name is None or (error.name != module and not module.startswith(f"{error.name}.")):
                raise
            raise UserError(f"no module {module!r} for the {kind} {module}:{attribute}") from None
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
    """Search the working folder last; our own packages are imported before, so nothing there takes their place."""
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
