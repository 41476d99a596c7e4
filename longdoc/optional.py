"""Optional libraries: the error names the pip command that installs a missing one."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType

from longdoc.errors import UserError


class NotInstalled(UserError):
    """A library of an extra that is not installed."""

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
    """The version of an installed distribution; None where it is not installed."""
    try:
        return version(library)
    except PackageNotFoundError:
        return None
