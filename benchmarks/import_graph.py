"""Which files import which, those of type checking and of functions included, and the circles among them."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")
Graph = dict[str, set[str]]


def python_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files, and those in the folders, sorted."""
    for path in paths:
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def import_graph(root: Path, packages: tuple[str, ...]) -> Graph:
    """The modules of the packages, each with those of them that it imports by a statement anywhere in its file.

    `from package import name` imports the module `package.name` if there is one, else the package's `__init__`.
    """
    files = {module_of(file.relative_to(root)): file for package in packages for file in (root / package).rglob("*.py")}
    return {module: set(imported_modules(file, module, files)) - {module} for module, file in files.items()}


def module_of(path: Path) -> str:
    """`pipelines/cli/__init__.py`: "pipelines.cli"."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(file: Path, module: str, files: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            source = absolute_name(node, module, file)
            for alias in node.names:
                name = f"{source}.{alias.name}"
                if name in files:
                    yield name
                elif source in files:
                    yield source


def absolute_name(node: ast.ImportFrom, module: str, file: Path) -> str:
    """The module that is imported from, where the statement says it by dots, too."""
    if not node.level:
        return node.module or ""
    parts = module.split(".") if file.stem == "__init__" else module.split(".")[:-1]
    outer = parts[: len(parts) - node.level + 1]
    return ".".join([*outer, *filter(None, [node.module])])


def circles(graph: Graph) -> list[list[str]]:
    """The groups of two or more modules of which each imports all others of its group, directly or not; sorted."""
    order: list[str] = []
    visited: set[str] = set()
    for module in sorted(graph):
        order += finished(module, graph, visited)
    backwards = reversed_graph(graph)
    visited = set()
    groups = [sorted(finished(module, backwards, visited)) for module in reversed(order)]
    return sorted(group for group in groups if len(group) > 1)


def finished(module: str, graph: Graph, visited: set[str]) -> list[str]:
    """The modules reached from one, not visited before, in the order in which a search in depth leaves them."""
    order: list[str] = []
    if module in visited:
        return order
    visited.add(module)
    stack = [(module, iter(sorted(graph[module])))]
    while stack:
        parent, children = stack[-1]
        child = next((child for child in children if child not in visited), None)
        if child is None:
            order.append(parent)
            stack.pop()
        else:
            visited.add(child)
            stack.append((child, iter(sorted(graph[child]))))
    return order


def reversed_graph(graph: Graph) -> Graph:
    backwards: Graph = {module: set() for module in graph}
    for module, imported in graph.items():
        for other in imported:
            backwards[other].add(module)
    return backwards
