"""Optional libraries: the error names the pip command that installs a missing one."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from longdoc.errors import UserError


class NotInstalled(UserError):
    """The error for a missing library of an extra."""

    def __init__(self, module: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {module.partition('.')[0]}, which is not installed: pip install 'longdoc[{extra}]'"
        )


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or raise `NotInstalled` with the pip command for the extra that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise NotInstalled(module, extra, purpose) from None


def check(modules: tuple[str, ...], extra: str, purpose: str) -> None:
    """Raise `NotInstalled` for the first of the modules that is missing; none of them is imported."""
    for module in modules:
        if find_spec(module) is None:
            raise NotInstalled(module, extra, purpose)


def installed_version(library: str) -> str | None:
    """The version of an installed distribution; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError

    try:
        return _distribution_version(library)
    except PackageNotFoundError:
        return None


@cache  # it parses a file of hundreds of lines; a missing distribution is not cached
def _distribution_version(library: str) -> str:
    from importlib.metadata import version

    return version(library)
