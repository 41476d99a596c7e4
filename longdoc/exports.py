"""A package's functions, imported when they are first used: `import pipelines` costs nothing.

The package names each of them once, in imports that type checkers and editors follow (as `lazy_loader` reads them
from a stub file):

    if TYPE_CHECKING:
        from pipelines.api import run as run
    else:
        __getattr__, __dir__, __all__ = lazily(__name__, __file__)
"""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

PLUGINS = "pipelines.plugins"  # functions imported from there are looked up in the plugins


def lazily(package: str, file: str, more: str = "") -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from its imports under `TYPE_CHECKING`.

    The subpackage `more` has further functions, which the error for a missing name points to.
    """
    # `from package import module` asks for the name first; for a submodule plugins need not be imported
    submodules = {path.stem for path in Path(file).parent.iterdir()}
    origins = _imports(ast.parse(Path(file).read_text(encoding="utf-8")))

    def get(name: str) -> Any:
        """The function, module or subpackage of this name. Raises `AttributeError`."""
        module, attribute = origins.get(name, (PLUGINS, None))
        if more and name not in origins and name in import_module(f"{package}.{more}").__all__:
            raise AttributeError(f"{package}.{name} is {package}.{more}.{name}")
        if module.startswith(PLUGINS):
            if name.startswith("_") or name in submodules:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            return _plugin_function(package, name)
        if attribute is None:
            return import_module(module)
        if module == package:  # a subpackage
            return import_module(f"{module}.{attribute}")
        return getattr(__import__(module, fromlist=[attribute]), attribute)  # as `from module import attribute` does

    names = sorted(origins)
    return get, lambda: names, names


def _plugin_function(package: str, name: str) -> Any:
    """A plugin's function. Raises `AttributeError` if no plugin has it."""
    extensions: Any = import_module("longdoc.extensions")
    if name not in extensions.functions():
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return extensions.function(name)


def _imports(source: ast.Module) -> dict[str, tuple[str, str | None]]:
    """The module and the attribute (None: the module itself) behind each name."""
    origins: dict[str, tuple[str, str | None]] = {}
    for block in source.body:
        if not isinstance(block, ast.If) or ast.unparse(block.test) != "TYPE_CHECKING":
            continue
        for statement in block.body:
            if isinstance(statement, ast.ImportFrom) and statement.module:
                origins |= {name.asname or name.name: (statement.module, name.name) for name in statement.names}
            elif isinstance(statement, ast.Import):
                origins |= {name.asname or name.name: (name.name, None) for name in statement.names}
    return origins
