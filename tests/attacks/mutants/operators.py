"""Small changes of Python code: what each kind of expression or statement may be replaced by.

The kinds are those of mutmut and cosmic-ray: comparisons and their boundaries, arithmetic, `and`/`or`/`not`,
conditions, constants by one, strings, what is returned or assigned, arguments left out or swapped, ends of slices,
loops, removed statements.
"""

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple


class Change(NamedTuple):
    """One change: its kind, the node it replaces, and the code that takes its place."""

    kind: str
    node: ast.expr | ast.stmt
    code: str


COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
METHODS = {"lower": "upper", "lstrip": "rstrip", "find": "rfind", "index": "rindex", "split": "rsplit"}
METHODS |= {"partition": "rpartition", "removeprefix": "removesuffix", "startswith": "endswith", "strip": "lstrip"}
METHODS |= {new: old for old, new in METHODS.items() if new not in METHODS}
FUNCTIONS = {"min": "max", "any": "all"}
FUNCTIONS |= {new: old for old, new in FUNCTIONS.items()}
SYMMETRIC = {"min", "max", "isclose", "gcd", "print"}  # the order of their arguments says nothing
EMPTY = {"list": "[]", "dict": "{}", "set": "set()", "str": "''", "int": "0", "float": "0.0"}
SEPARATE = {"cast", "TypeVar", "NewType", "ParamSpec"}  # what they are given is for the type checker


def expression_changes(node: ast.expr) -> Iterator[Change]:
    """What may take the place of an expression."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                yield _changed("comparison", node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _is_text(node.left, node.right):
        yield _changed("arithmetic", node, op=ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield _changed("boolean", node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for place in range(len(node.values)):
            rest = [value for other, value in enumerate(node.values) if other != place]
            yield Change("boolean", node, ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield Change("boolean" if isinstance(node.op, ast.Not) else "arithmetic", node, ast.unparse(node.operand))
    elif isinstance(node, ast.IfExp):
        yield _changed("condition", node, test=_negated(node.test))
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
        yield from _unfiltered(node)
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        for end in ("lower", "upper", "step"):
            if getattr(node.slice, end) is not None:
                slice_without_end = copy.copy(node.slice)
                setattr(slice_without_end, end, None)
                yield _changed("slice", node, slice=slice_without_end)
    elif isinstance(node, ast.Yield) and node.value is not None:
        yield _changed("yield", node, value=ast.Constant(None))


def is_the_same(change: Change) -> bool:
    """Whether it is the code that was there, written otherwise: two equal arguments swapped, say."""
    return ast.unparse(change.node) == ast.unparse(ast.parse(change.code))


def statement_changes(node: ast.stmt, returns: ast.expr | None) -> Iterator[Change]:
    """What may take the place of a statement, or of its condition; `returns` is the annotation of its function."""
    if isinstance(node, ast.If | ast.While):
        yield Change("condition", node.test, ast.unparse(_negated(node.test)))
    elif isinstance(node, ast.For):
        yield Change("loop", node.iter, "()")
    elif isinstance(node, ast.Break):
        yield Change("loop", node, "continue")
    elif isinstance(node, ast.Continue):
        yield Change("loop", node, "break")
    elif isinstance(node, ast.Return) and node.value is not None:
        other = _other_result(node.value, returns)
        if ast.unparse(node.value) != other:
            yield Change("return", node.value, other)
    elif isinstance(node, ast.AugAssign):
        if type(node.op) in ARITHMETIC and not _is_text(node.value):
            yield _changed("arithmetic", node, op=ARITHMETIC[type(node.op)]())
        yield Change("removed", node, "pass")
    elif (isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant)) or (
        isinstance(node, ast.AnnAssign) and node.value is not None and not isinstance(node.value, ast.Constant)
    ):
        yield Change("assignment", node.value, "None")
    elif isinstance(node, ast.Raise | ast.Delete) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom)
    ):
        yield Change("removed", node, "pass")
    elif isinstance(node, ast.Try):
        for handler in node.handlers:
            if handler.type is not None:
                yield Change("exception", handler.type, "()")


def _changed(kind: str, node: ast.expr | ast.stmt, **fields: object) -> Change:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return Change(kind, node, ast.unparse(other))


def _negated(test: ast.expr) -> ast.expr:
    return (
        test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else ast.UnaryOp(ast.Not(), test)
    )


def _is_text(*nodes: ast.expr) -> bool:
    """Whether one is seen to be text: a minus in the place of a plus would then be an error and nothing else."""
    return any(
        isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        for node in nodes
    )


def _unfiltered(node: ast.ListComp | ast.SetComp | ast.DictComp) -> Iterator[Change]:
    for place, generator_filtered in enumerate(node.generators):
        if generator_filtered.ifs:
            generator = copy.copy(generator_filtered)
            generator.ifs = []
            yield _changed(
                "condition", node, generators=[*node.generators[:place], generator, *node.generators[place + 1 :]]
            )


def _constants(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield Change("constant", node, str(not value))
    elif isinstance(value, int | float):
        yield Change("constant", node, repr(value + 1))
        yield Change("constant", node, repr(value - 1))
    elif isinstance(value, str):
        yield Change("string", node, repr(f"XX{value}XX" if value else "XX"))


def _calls(node: ast.Call) -> Iterator[Change]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in FUNCTIONS:
        yield _changed("function", node, func=ast.Name(FUNCTIONS[name]))
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    # all parts, from either end
    does_the_same = method in {"split", "rsplit"} and len(node.args) + len(node.keywords) < 2
    if isinstance(node.func, ast.Attribute) and method in METHODS and not does_the_same:
        other = copy.copy(node.func)
        other.attr = METHODS[other.attr]
        yield _changed("function", node, func=other)
    first_arguments = node.args[:2]
    if (
        len(first_arguments) == 2
        and name not in SYMMETRIC
        and not any(isinstance(argument, ast.Starred) for argument in first_arguments)
    ):
        yield _changed("argument", node, args=[first_arguments[1], first_arguments[0], *node.args[2:]])
    for place, keyword in enumerate(node.keywords):
        if keyword.arg not in {None, "strict"}:  # zip's `strict` is an assertion
            yield _changed("argument", node, keywords=[*node.keywords[:place], *node.keywords[place + 1 :]])


def _other_result(value: ast.expr, returns: ast.expr | None) -> str:
    kind = ast.unparse(returns) if returns is not None else ""
    if kind == "bool":
        return ast.unparse(_negated(value))
    return EMPTY.get(kind.partition("[")[0], "None")
