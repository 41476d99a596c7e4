"""Where longdoc's own packages are, and keeping others from hiding them, here and in child processes.

They are beside `longdoc` in a checkout, and inside it in the installed wheel. In a checkout they can be imported under
both names, `models.requests` and `longdoc.models.requests`, as one module object. There they have plain names
(`models`, `pipelines`), so a folder of that name beside a user's script could be imported in their place and fail later
with a confusing error. Each of these packages imports `longdoc` first, which checks that.

`python -c`, with which `multiprocessing` starts its processes, searches the working folder first: a `threading.py`
among the user's data would run there. PYTHONSAFEPATH (Python's own variable, as `-P`) prevents that in all child
processes. They find longdoc's packages by the search path that they inherit.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from longdoc.errors import UserError

PACKAGES = ("chunkers", "models", "retrievers", "pipelines")
LONGDOC = Path(__file__).resolve().parent
IN_WHEEL = (LONGDOC / "pipelines" / "__init__.py").is_file()
HOME = LONGDOC if IN_WHEEL else LONGDOC.parent  # the folder that holds the packages
_PREFIX = "longdoc."


def module_name(name: str) -> str:
    """The name under which one of longdoc's modules is imported: `models.requests` or `longdoc.models.requests`."""
    return _PREFIX + name if IN_WHEEL else name


def is_ours(module: str) -> bool:
    """Whether a module is one of longdoc's. With the wheel installed, `models.unet` is somebody else's."""
    if IN_WHEEL and not module.startswith(_PREFIX):
        return False
    return short_name(module).partition(".")[0] in PACKAGES


def short_name(module: str) -> str:
    """The name of one of longdoc's modules in a checkout, without `longdoc.`."""
    return module.removeprefix(_PREFIX)


def join_names() -> None:
    """In a checkout, make `longdoc.models` and its submodules importable, too. Does it once."""
    if not IN_WHEEL and not any(isinstance(finder, _Aliases) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Aliases())


class _Aliases:
    """Finds `longdoc.models` and its submodules in a checkout: they are `models` and its submodules themselves."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the alias; None for other names, and if there is no such module."""
        name = short_name(fullname)
        if name == fullname or name.partition(".")[0] not in PACKAGES or find_spec(name) is None:
            return None
        return ModuleSpec(fullname, cast(Any, _Alias(name)))  # of `importlib.abc`, whose import takes 10 ms


class _Alias:
    """Loader that imports a module under its plain name and returns that same module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module with the plain name."""
        module = import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec, which the import system replaced; its code is not run again."""
        module.__spec__ = self.spec


class OwnPackages:
    """Finds longdoc's packages whatever folders of the same names are on the search path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package's spec; None for every other module."""
        if fullname not in PACKAGES:
            return None
        folder = HOME / fullname
        return spec_from_file_location(fullname, folder / "__init__.py", submodule_search_locations=[str(folder)])


def check_not_hidden() -> None:
    """Raise `UserError`, naming the folder, if one of longdoc's packages would be imported from elsewhere.

    A folder without Python files (`models`, with weights in it) is not a package; longdoc's is found before it. Nothing
    can hide the packages of the installed wheel, which are inside `longdoc`.
    """
    if IN_WHEEL:
        return
    for name in PACKAGES:
        location = _location(name)
        if location is None or location == HOME / name:
            continue
        if location.is_dir() and not _holds_python(location):
            find_ours_first()
        else:
            raise UserError(
                f"{location} hides longdoc's own package {name!r}: rename that folder, or run from another directory "
                f"(longdoc's is {HOME / name})"
            )


def leave_working_folder() -> None:
    """For `python -m longdoc`, remove the working folder, which Python puts first, from the search path.

    It has the user's data under any names: a run must not import a `cython.py` among them. A checkout is put last
    instead, so that child processes find longdoc's packages.
    """
    started_by_name = sys.argv[:1] == ["-m"]  # its value until Python has found the module
    if started_by_name and not sys.flags.safe_path and sys.path and Path(sys.path[0]).resolve() == Path.cwd():
        del sys.path[0]
        if not IN_WHEEL and Path.cwd() == HOME:
            sys.path.append(str(HOME))


def find_ours_first() -> None:
    """Install the finder of longdoc's packages before all others. Does it once."""
    if not IN_WHEEL and not any(isinstance(finder, OwnPackages) for finder in sys.meta_path):
        sys.meta_path.insert(0, OwnPackages())


def _holds_python(folder: Path) -> bool:
    return any(folder.glob("*.py")) or any(folder.glob("*/__init__.py"))


def _location(name: str) -> Path | None:
    spec = find_spec(name)
    if spec is None:
        return None
    if spec.origin and not spec.submodule_search_locations:
        return Path(spec.origin).resolve()  # a single file, models.py
    folders = list(spec.submodule_search_locations or ())
    return Path(folders[0]).resolve() if folders else None


SAFE_PATH = "PYTHONSAFEPATH"


def guard_child_processes() -> None:
    """Keep all child processes of this program from searching the working folder."""
    os.environ[SAFE_PATH] = "1"


@contextmanager
def guarded_child_processes() -> Iterator[None]:
    """`guard_child_processes` while the block runs, for use in other people's programs."""
    previous = os.environ.get(SAFE_PATH)
    guard_child_processes()
    try:
        yield
    finally:
        if previous is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = previous


@contextmanager
def guarded_child_processes_elsewhere() -> Iterator[None]:
    """`guarded_child_processes`, in the folder from which longdoc's packages are found.

    For Ray, whose processes search the working folder first whatever their environment says.
    """
    with guarded_child_processes(), chdir(HOME.parent if IN_WHEEL else HOME):
        yield
