"""Which lines of the groups' modules each test executes.

In a copy of the checkout, every block of a function (its body, a branch, a loop's body) begins by noting its number:
far faster than `sys.settrace`, and in every thread.
"""

import ast
import builtins
import functools
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.mutants.sample import modules

NOTE = "__executed__"
Blocks = dict[int, tuple[str, list[int]]]  # the file of a block and the lines that are its own


def instrument(root: Path) -> Blocks:
    """Rewrite the groups' modules below `root`, and say which lines each number stands for."""
    blocks: Blocks = {}
    for path in modules(root):
        tree = ast.parse(path.read_bytes())
        _BlockNoter(str(path.relative_to(root)), blocks).visit(tree)
        place = next((n for n, node in enumerate(tree.body) if not _is_first(node)), len(tree.body))
        head = f"import builtins\n{NOTE} = getattr(builtins, {NOTE!r}, id)\ndel builtins"
        tree.body[place:place] = ast.parse(head).body
        path.write_text(ast.unparse(tree), encoding="utf-8")
    return blocks


def _is_first(node: ast.stmt) -> bool:
    """Whether it must stay at the head of a module: its docstring, an import from __future__."""
    return isinstance(node, ast.Expr) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


class _BlockNoter(ast.NodeTransformer):
    def __init__(self, file: str, blocks: Blocks) -> None:
        self._file, self._blocks, self._inside = file, blocks, False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        was_inside = self._inside
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        self._inside = (self._inside or is_function) and not isinstance(node, ast.ClassDef)
        super().generic_visit(node)
        if self._inside:
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body:
                    self._note(node, body, is_function)
        self._inside = was_inside
        return node

    def _note(self, node: ast.AST, body: list[ast.stmt], is_function: bool) -> None:
        number = len(self._blocks)
        lines = [line for statement in body for line in _own_lines(statement)]
        if is_function:
            lines += range(node.lineno, body[0].lineno + 1)  # type: ignore[attr-defined]
        self._blocks[number] = (self._file, lines)
        has_docstring = is_function and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        body.insert(int(has_docstring), ast.parse(f"{NOTE}({number})").body[0])


def _own_lines(statement: ast.stmt) -> Iterator[int]:
    """The lines of a statement, of one with blocks the lines of its head."""
    if not hasattr(statement, "lineno"):
        return
    inner = getattr(statement, "body", None) or getattr(statement, "cases", None)
    last = statement.end_lineno or 0
    if inner:
        last = max(statement.lineno, getattr(inner[0], "lineno", statement.lineno + 1) - 1)
    yield from range(statement.lineno, last + 1)
    for handler in getattr(statement, "handlers", ()):
        yield handler.lineno


class Recorder:
    """A plugin of pytest that tells what each test executes, its fixtures of a wider scope included."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._executed: set[int] = set()
        self._of_fixture: dict[str, set[int]] = {}
        self._tell: Callable[..., None] = lambda **_: None
        self._failed: set[str] = set()
        self._seconds: dict[str, float] = defaultdict(float)

    def attach(self, tell: Callable[..., None]) -> None:
        """Begin to note; what a test gets from `functools.cache`, it counts as having executed."""
        self._tell = tell
        setattr(builtins, NOTE, self._executed.add)
        original_cache = functools.cache

        def cache(function: Callable[..., Any]) -> Callable[..., Any]:
            return self._remembering(function) if function.__module__.startswith("tests.") else original_cache(function)

        functools.cache = cache  # type: ignore[assignment]

    def _run_apart(self, call: Callable[[], Any]) -> tuple[Any, set[int]]:
        """The result of a call, and what it executed."""
        before = set(self._executed)
        self._executed.clear()
        try:
            result = call()
            return result, set(self._executed)
        finally:
            self._executed |= before

    def _remembering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        results: dict[Any, tuple[Any, set[int]]] = {}

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            key = (arguments, tuple(named.items()))
            if key not in results:
                results[key] = self._run_apart(lambda: function(*arguments, **named))
            result, executed = results[key]
            self._executed |= executed
            return result

        return call

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        """What a fixture of a wider scope executes counts for every test that asks for it."""
        before = set(self._executed)
        self._executed.clear()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self._of_fixture[fixturedef.argname] = set(self._executed)
            self._executed |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """Tell what a test executed."""
        self._executed.clear()
        result = yield
        executed = set(self._executed)
        for fixture in getattr(item, "fixturenames", ()):
            executed |= self._of_fixture.get(fixture, set())
        lines: dict[str, set[int]] = defaultdict(set)
        for number in executed:
            name, block_lines = self._blocks[number]
            lines[name].update(block_lines)
        self._tell(
            test=item.nodeid,
            outcome="failed" if item.nodeid in self._failed else "passed",
            seconds=round(self._seconds[item.nodeid], 3),
            lines={name: sorted(numbers) for name, numbers in sorted(lines.items())},
        )
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed, and how long each took."""
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._failed.add(report.nodeid)
