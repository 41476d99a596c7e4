"""In a checkout, our own packages are found first, or the user is told what hides them.

There they have plain names (`models`, `pipelines`), so a folder of that name next to a user's script can be imported
in place of ours and fail far away with a riddle. Every package of ours imports `longdoc` first; that runs this check.
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
    """Finds our packages where they lie, whatever folders of their names the search path holds."""

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

    A folder without Python (one with weights, called `models`) is no package, and ours is found before it. Where the
    wheel is installed nothing can hide ours: they are inside `longdoc`.
    """
    if IN_WHEEL:
        return
    for name in PACKAGES:
        found = _location(name)
        if found is None or found == HOME / name:
            continue
        if found.is_dir() and not _holds_python(found):
            find_ours_first()
        else:
            raise UserError(
                f"{found} hides longdoc's own package {name!r}: rename that folder, or run from another directory "
                f"(longdoc's is {HOME / name})"
            )


def leave_working_folder() -> None:
    """Where this is `python -m longdoc`, take the working folder, which Python searches first, off the search path.

    Data lie there, whatever they are called: a plain run must not import a `cython.py` that lies beside them.
    """
    started_by_name = sys.argv[:1] == ["-m"]  # so it reads until Python has found the module
    if started_by_name and not sys.flags.safe_path and sys.path and Path(sys.path[0]).resolve() == Path.cwd():
        del sys.path[0]


def find_ours_first() -> None:
    """Look for our packages where they lie before the search path is read; done once."""
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
    places = list(spec.submodule_search_locations or ())
    return Path(places[0]).resolve() if places else None
