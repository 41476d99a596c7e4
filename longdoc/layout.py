"""Where our own packages are: beside `longdoc` in a checkout, inside it in the installed wheel.

In a checkout they can be imported under both names, `models.requests` and `longdoc.models.requests`: one module object.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

PACKAGES = ("chunkers", "models", "retrievers", "pipelines")
LONGDOC = Path(__file__).resolve().parent
IN_WHEEL = (LONGDOC / "pipelines" / "__init__.py").is_file()
HOME = LONGDOC if IN_WHEEL else LONGDOC.parent  # the folder that holds the packages
_PREFIX = "longdoc."


def module_name(name: str) -> str:
    """The name under which a module of ours is imported: `models.requests` or `longdoc.models.requests`."""
    return _PREFIX + name if IN_WHEEL else name


def is_ours(module: str) -> bool:
    """Whether this is the name of a module of ours. With the wheel installed, `models.unet` is somebody else's."""
    if IN_WHEEL and not module.startswith(_PREFIX):
        return False
    return short_name(module).partition(".")[0] in PACKAGES


def short_name(module: str) -> str:
    """The name of a module of ours in a checkout."""
    return module.removeprefix(_PREFIX)


def join_names() -> None:
    """In a checkout, make `longdoc.models` and its submodules importable too. Done once."""
    if not IN_WHEEL and not any(isinstance(finder, _Aliases) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Aliases())


class _Aliases(MetaPathFinder):
    """Finds `longdoc.models` and its submodules in a checkout: they are `models` and its submodules themselves."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the alias; None for any other name, and where there is no such module."""
        name = short_name(fullname)
        if name == fullname or name.partition(".")[0] not in PACKAGES or find_spec(name) is None:
            return None
        return ModuleSpec(fullname, _Alias(name))


class _Alias(Loader):
    """Imports the module under its first name and returns that same module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that has the first name."""
        module = import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing again; restore the module's own spec, which the import system has replaced."""
        module.__spec__ = self.spec
