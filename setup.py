"""The wheel holds one package, `longdoc`: `models/requests.py` of the checkout is `longdoc.models.requests` in it.

Names like `models` are too general for other people's environments. So what is built has the four packages inside
`longdoc`, and their imports of one another say so; an editable installation takes the checkout as it is.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

PACKAGES = ("chunkers", "models", "retrievers", "pipelines")


def ours(module: str) -> bool:
    """Whether a module is in one of the four packages."""
    return module.partition(".")[0] in PACKAGES


def with_prefix(source: str) -> str:
    """The source of a module with `longdoc.` before every module of the four packages that it imports.

    Only import statements change, and no line moves. Raises `ValueError` for `import models.requests`, which binds
    `models` and has no counterpart in one statement.
    """
    lines = source.encode().splitlines(keepends=True)  # the columns of `ast` count bytes
    for node in sorted(_imports(ast.parse(source)), key=lambda node: (node.lineno, node.col_offset), reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        rest = lines[last][node.end_col_offset :]
        lines[last] = lines[last][: node.end_col_offset]
        statement = b"".join(lines[first : last + 1])
        before, statement = statement[: node.col_offset], statement[node.col_offset :]
        statement = _prefixed(node, statement.decode()).encode()
        lines[first : last + 1] = (before + statement + rest).splitlines(keepends=True)
    return b"".join(lines).decode()


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The statements that import modules of the four packages."""
    for node in ast.walk(tree):
        from_ours = isinstance(node, ast.ImportFrom) and not node.level and ours(node.module or "")
        if from_ours or (isinstance(node, ast.Import) and any(ours(one.name) for one in node.names)):
            yield node


def _prefixed(node: ast.Import | ast.ImportFrom, statement: str) -> str:
    if isinstance(node, ast.ImportFrom):
        return re.sub(r"from(\s|\\\n)+", r"\g<0>longdoc.", statement, count=1)
    return "; ".join(_import_of(one, node.lineno) for one in node.names) + "\\\n" * statement.count("\n")


def _import_of(one: ast.alias, line: int) -> str:
    if not ours(one.name):
        return f"import {ast.unparse(one)}"
    if one.asname:
        return f"import longdoc.{one.name} as {one.asname}"
    if "." in one.name:
        raise ValueError(f"line {line}: write `from … import …` or `import {one.name} as …`")
    return f"from longdoc import {one.name}"


class BuildOnePackage(build_py):
    """Copies the modules, with their imports as they are inside `longdoc`."""

    def run(self) -> None:
        """Build into an empty folder: what an earlier build left there would be in the wheel."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib) / "longdoc", ignore_errors=True)
        super().run()

    def build_module(self, module: str, module_file: str, package: str) -> tuple[str, bool]:
        """Copy one module."""
        built, copied = super().build_module(module, module_file, package)
        file = Path(built)
        try:
            file.write_text(with_prefix(file.read_text(encoding="utf-8")), encoding="utf-8")
        except ValueError as error:
            raise ValueError(f"{module_file}: {error}") from error
        return built, copied


class EditableCheckout(editable_wheel):
    """Puts the five packages on the path as they are."""

    def finalize_options(self) -> None:
        """Take the packages by their names in the checkout."""
        self.distribution.packages = ["longdoc", *folders()]
        self.distribution.package_dir = {}
        super().finalize_options()


def folders() -> list[str]:
    """The four packages and all that is in them, folders with nothing but data too."""
    found = find_namespace_packages(include=[pattern for name in PACKAGES for pattern in (name, f"{name}.*")])
    return [name for name in found if "__pycache__" not in name]


if __name__ == "__main__":
    setup(
        packages=["longdoc", *(f"longdoc.{name}" for name in folders())],
        package_dir={f"longdoc.{name}": name.replace(".", "/") for name in folders()},
        cmdclass={"build_py": BuildOnePackage, "editable_wheel": EditableCheckout},
    )
