"""Optional imports: the error names the pip command that installs a missing one."""

from importlib import import_module
from types import ModuleType

from longdoc.errors import UserError


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or raise `UserError` with the pip command for the extra that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        raise UserError(f"{purpose} needs {module}, which is not installed: pip install 'longdoc[{extra}]'") from None
