"""The changes that a file allows, and a seeded sample of those of the whole project."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.mutants.operators import SEPARATE, Change, expression_changes, is_the_same, statement_changes

PARTS = (
    "metrics",
    "strategies",
    "engine",
    "benchmarks",
    "plugins",
    "sources",
    "cli",
)  # of pipelines, with rates of their own
GROUPS = ("longdoc", "chunkers", "models", "retrievers", *(f"pipelines/{part}" for part in PARTS), "pipelines")
UNCHANGED_NAMES = {"__all__", "__slots__"}
LOGGING = {"debug", "info", "warning", "log"}
MODULE = "<module>"


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the bytes from `start` to `end` become `code`.

    `lines` are the first and last line of the statement it is in; `number` tells equal changes of a function apart.
    """

    file: str
    function: str
    kind: str
    before: str
    after: str
    number: int
    lines: tuple[int, int]
    start: int
    end: int
    code: str
    cached: bool

    @property
    def key(self) -> str:
        """The same as long as the function has this expression: other changes of the file leave it."""
        return " | ".join([self.file, self.function, self.kind, self.before, self.after, str(self.number)])

    @property
    def group(self) -> str:
        """The group of modules it belongs to."""
        return group_of(self.file)

    def applied(self, source: bytes) -> bytes:
        """The file with the change. Raises `ValueError` for another file than the one it was found in."""
        if " ".join(source[self.start : self.end].decode().split()) != self.before:
            raise ValueError(f"{self.file} has changed")
        return source[: self.start] + self.code.encode() + source[self.end :]


def group_of(file: str) -> str:
    """The group of modules that a file belongs to; `pipelines` has those of no other group."""
    return next(group for group in GROUPS if file.startswith(group + "/"))


def all_mutants(root: Path) -> Iterator[Mutant]:
    """Every change of every module of the groups."""
    for path in modules(root):
        yield from mutants_of_file(str(path.relative_to(root)), path.read_bytes())


def modules(root: Path) -> list[Path]:
    """The modules of the groups, each once."""
    return list(dict.fromkeys(path for group in GROUPS for path in sorted((root / group).rglob("*.py"))))


def mutants_of_file(name: str, source: bytes) -> Iterator[Mutant]:
    """Every change of one file."""
    lengths = [len(line) for line in source.splitlines(keepends=True)]
    line_starts = [sum(lengths[:number]) for number in range(len(lengths) + 1)]
    counts: Counter[tuple[str, ...]] = Counter()
    for found_change in _Walk().changes(ast.parse(source)):
        node = found_change.change.node
        if is_the_same(found_change.change):
            continue
        start = line_starts[node.lineno - 1] + node.col_offset
        end = line_starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        code = found_change.change.code
        if isinstance(node, ast.expr):  # a line more or less would move those below
            code = f"({code}{chr(10) * before.count(chr(10))})"
        identity = (found_change.function, found_change.change.kind, " ".join(before.split()), found_change.change.code)
        counts[identity] += 1
        yield Mutant(
            name,
            *identity,
            number=counts[identity],
            lines=found_change.lines,
            start=start,
            end=end,
            code=code,
            cached=found_change.cached,
        )


def sample_of(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """`count` mutants, each group as many as its share of all: those whose hash with the seed comes first, in order.

    A change elsewhere in the code leaves the sample as it is, but for the mutants that it adds or removes. The order is
    one over all groups, so that the first of a sample are a sample too.
    """
    order = sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).hexdigest())
    chosen = [
        mutant
        for group, number in shares(mutants, count).items()
        for mutant in [mutant for mutant in order if mutant.group == group][:number]
    ]
    places = {mutant.key: place for place, mutant in enumerate(order)}
    return sorted(chosen, key=lambda mutant: places[mutant.key])


def shares(mutants: list[Mutant], count: int) -> dict[str, int]:
    """How many of `count` fall to each group, in proportion to its mutants, by largest remainder."""
    sizes = Counter(mutant.group for mutant in mutants)
    exact = {group: count * sizes[group] / len(mutants) for group in GROUPS}
    counts = {group: int(share) for group, share in exact.items()}
    by_remainder = sorted(GROUPS, key=lambda group: counts[group] - exact[group])
    for group in by_remainder[: min(count, len(mutants)) - sum(counts.values())]:
        counts[group] += 1
    return counts


@dataclass(frozen=True)
class _FoundChange:
    change: Change
    function: str
    lines: tuple[int, int]
    cached: bool


class _Walk:
    """Goes through a module; what only the type checker, a reader or a log sees is left out."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._function = MODULE
        self._returns: list[ast.expr | None] = []
        self._lines = (0, 0)
        self._cached = False
        self._logged = False

    def changes(self, module: ast.Module) -> Iterator[_FoundChange]:
        for statement in _without_docstring(module.body):
            yield from self._statement(statement)

    def _statement(self, node: ast.stmt) -> Iterator[_FoundChange]:
        if _is_left_out(node):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from self._definition(node)
            return
        header = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
        self._lines = (node.lineno, max(node.lineno, header or 0))
        for change in statement_changes(node, self._returns[-1] if self._returns else None):
            yield self._found(change)
        for name, value in ast.iter_fields(node):
            if name not in {"annotation", "targets", "target"}:
                yield from self._parts(value)

    def _parts(self, value: object) -> Iterator[_FoundChange]:
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.stmt):
                yield from self._statement(part)
            elif isinstance(part, ast.expr):
                yield from self._expression(part)
            elif isinstance(part, ast.keyword) and part.arg == "strict":
                continue  # of `zip`: an assertion
            elif isinstance(part, ast.AST) and not isinstance(part, ast.pattern):
                for _, inner in ast.iter_fields(part):
                    yield from self._parts(inner)

    def _expression(self, node: ast.expr) -> Iterator[_FoundChange]:
        if isinstance(node, ast.JoinedStr):  # up to Python 3.11 the places of its parts are not those in the file
            return
        name = _called(node)
        if name in SEPARATE:
            return
        was_logged, self._logged = self._logged, self._logged or name in LOGGING
        for change in expression_changes(node):
            if not (change.kind == "string" and self._logged):
                yield self._found(change)
        for field, value in ast.iter_fields(node):
            if field not in {"op", "ops", "ctx"}:
                yield from self._parts(value)
        self._logged = was_logged

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[_FoundChange]:
        outer_function, was_cached = self._function, self._cached
        self._names.append(node.name)
        if not isinstance(node, ast.ClassDef):
            self._lines = (node.lineno, node.lineno)
            self._function = outer_function if outer_function != MODULE else ".".join(self._names)
            self._cached = was_cached or any("cache" in ast.unparse(decorator) for decorator in node.decorator_list)
            defaults = self._parts([*node.args.defaults, *filter(None, node.args.kw_defaults)])
            yield from defaults
            self._returns.append(node.returns)
        for statement in _without_docstring(node.body):
            yield from self._statement(statement)
        if not isinstance(node, ast.ClassDef):
            self._returns.pop()
        self._names.pop()
        self._function, self._cached = outer_function, was_cached

    def _found(self, change: Change) -> _FoundChange:
        return _FoundChange(change, self._function, self._lines, self._cached)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    is_docstring = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if is_docstring else body


def _is_left_out(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        is_alias = (
            name.lstrip("_")[:1].isupper() and not name.isupper() and isinstance(node.value, ast.Subscript | ast.BinOp)
        )
        return is_alias or name in UNCHANGED_NAMES
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _called(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
