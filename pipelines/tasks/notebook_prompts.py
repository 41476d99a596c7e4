"""Prompts in the code cells of a notebook: f-strings under a condition that names them; read, and never run.

    if eval_mode == "oracle": prompt = f"… {question} … {context}"

The name of a prompt is the one text that a comparison leaves: of `if mode in ["a", "b"]`, then `if mode == "a"` and
`else`, the last is under "b".
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from longdoc import plain_json
from longdoc.errors import UserError

Names = frozenset[str]
_COMMAND = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)  # lines for the notebook's shell


def read(content: str, path: Path) -> Mapping[str, str]:
    """The prompts by name, literal braces doubled. Raises `UserError` for a file without prompts."""
    prompts: dict[str, str] = {}
    for cell in _code_cells(content, path):
        for text, names in _cell_prompts(cell):
            if names is not None and len(names) == 1:
                prompts |= dict.fromkeys(names, text)
    if not prompts:
        raise UserError(f"{path} has no prompt under a condition that names it: give the benchmark's own file")
    return prompts


def _code_cells(content: str, path: Path) -> Iterator[str]:
    """The code of each cell. Raises `UserError` for a file that is not a notebook."""
    try:
        notebook = plain_json.loads(content)
    except ValueError as error:
        raise UserError(f"{path} cannot be read as a notebook ({error}): give the benchmark's own file") from None
    cells = notebook.get("cells") if isinstance(notebook, Mapping) else None
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, Mapping) and cell.get("cell_type") == "code":
            source = cell.get("source")
            yield "".join(map(str, source)) if isinstance(source, list) else str(source or "")


def _cell_prompts(cell: str) -> list[tuple[str, Names | None]]:
    """The prompts of a cell; empty where it cannot be parsed as Python."""
    try:
        return list(_prompts(ast.parse(_COMMAND.sub("", cell)).body, None))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _prompts(nodes: Sequence[ast.AST], names: Names | None) -> Iterator[tuple[str, Names | None]]:
    """The f-strings with a question, each with the names that the conditions around it leave; None: any."""
    for node in nodes:
        if isinstance(node, ast.If):
            compared = _compared(node.test)
            yield from _prompts(node.body, compared if names is None else names & compared)
            yield from _prompts(node.orelse, None if names is None else names - compared)
        elif isinstance(node, ast.JoinedStr):
            if "{question}" in (text := _text(node)):
                yield text, names
        else:
            yield from _prompts(list(ast.iter_child_nodes(node)), names)


def _compared(test: ast.expr) -> Names:
    """The texts in a comparison."""
    constants = (node.value for node in ast.walk(test) if isinstance(node, ast.Constant))
    return frozenset(constant for constant in constants if isinstance(constant, str))


def _text(string: ast.JoinedStr) -> str:
    """An f-string with its variables in braces; other expressions stand as they are written, and are refused later."""
    pieces = []
    for piece in string.values:
        if isinstance(piece, ast.Constant):
            pieces.append(str(piece.value).replace("{", "{{").replace("}", "}}"))
        elif isinstance(piece, ast.FormattedValue):
            pieces.append(f"{{{ast.unparse(piece.value)}}}")
    return "".join(pieces)
