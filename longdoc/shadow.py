"""In a checkout, makes sure that our own packages are imported, or raises an error that names what hides them.

There they have plain names (`models`, `pipelines`), so a folder of that name beside a user's script could be imported
instead of ours and fail later with a confusing error. Every package of ours imports `longdoc` first, which runs this
check.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from longdoc.errors import UserError
from longdoc.layout import HOME, IN_WHEEL, PACKAGES


class OwnPackages(MetaPathFinder):
    """Finds our packages where they are, whatever folders of the same names are on the search path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package's spec; None for every other module."""
        if fullname not in PACKAGES:
            return None
        folder = HOME / fullname
        return spec_from_file_location(fullname, folder / "__init__.py", submodule_search_locations=[str(folder)])


def check() -> None:
    """Raise `UserError`, naming the folder, if a package of ours would be imported from somewhere else.

    A folder without Python files (`models`, with weights in it) is not a package, and ours is found before it. In the
    installed wheel nothing can hide our packages: they are inside `longdoc`.
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

    It holds the user's data under any name: a run must not import a `cython.py` that is beside them. A checkout is put
    last instead: the processes that a run starts find our packages by this path.
    """
    started_by_name = sys.argv[:1] == ["-m"]  # its value until Python has found the module
    if started_by_name and not sys.flags.safe_path and sys.path and Path(sys.path[0]).resolve() == Path.cwd():
        del sys.path[0]
        if not IN_WHEEL and Path.cwd() == HOME:
            sys.path.append(str(HOME))


def find_ours_first() -> None:
    """Install the finder of our own packages before all others; done once."""
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
