"""Prompts for a judge in the code of a benchmark: f-strings, or texts joined by +, read from its syntax; nothing runs.

A prompt is one that has a reference and a prediction in it, by the names of `ROLES`. What the code says as the system's
message of the same conversation comes first, with an empty line after it: a reader here has one message.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from longdoc.errors import UserError

ROLES = {
    **dict.fromkeys(("question", "query"), "question"),
    **dict.fromkeys(("reference", "references", "label", "ground_truth", "groundtruth", "gold", "answer"), "reference"),
    **dict.fromkeys(("official_answer", "gold_answer", "correct_answer"), "reference"),
    **dict.fromkeys(("prediction", "pred", "hypothesis", "response", "output"), "prediction"),
    **dict.fromkeys(("candidate_answer", "model_answer", "llm_answer"), "prediction"),
}
Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """A prompt, and the texts in the conditions under which the code uses it (`if query_type == 'hallu'`)."""

    text: str
    conditions: Words


def read(whole_text: str, path: Path) -> list[FoundPrompt]:
    """The prompts of a file. Raises `UserError` where it has none."""
    try:
        tree = ast.parse(whole_text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(
            f"{path} is no Python file that can be read: {error}; give the benchmark's own file, or a text"
        ) from None
    nodes = list(_walk(tree, frozenset()))
    assigned = _assigned(nodes)
    systems = [(text, words) for node, words in nodes if (text := _system(node, assigned)) is not None]
    prompts = []
    for node, words in nodes:
        text = _text(node) if isinstance(node, (ast.JoinedStr, ast.BinOp)) else None
        if text is not None and {"{reference}", "{prediction}"} <= {f"{{{role}}}" for role in _roles(text)}:
            before = [text for text, names in systems if names <= words]
            prompts.append(FoundPrompt("\n\n".join([*before, text.strip()]), words))
    if not prompts:
        raise UserError(
            f"{path} has no prompt for a judge, which is a text with a reference and a prediction in it "
            f"({', '.join(ROLES)}): pass a text file with {{question}}, {{reference}} and {{prediction}}"
        )
    return prompts


def _walk(node: ast.AST, words: Words) -> Iterator[tuple[ast.AST, Words]]:
    """Every node with the texts in the conditions around it; parts of a text are left out."""
    yield node, words
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and _text(node) is not None):
        return
    if isinstance(node, ast.If):
        inner = words | {value.value for value in ast.walk(node.test)
                         if isinstance(value, ast.Constant) and isinstance(value.value, str)}  # fmt: skip
        for branch, names in ((node.body, inner), (node.orelse, words)):
            for statement in branch:
                yield from _walk(statement, names)
        return
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, words)


def _assigned(nodes: list[tuple[ast.AST, Words]]) -> dict[str, str]:
    """Names that are assigned a plain text once."""
    texts: dict[str, list[str]] = {}
    for node, _ in nodes:
        if isinstance(node, ast.Assign):
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            for target in node.targets:
                if isinstance(target, ast.Name):
                    texts.setdefault(target.id, []).append(value if isinstance(value, str) else "")
    return {name: texts[0] for name, texts in texts.items() if len(texts) == 1 and texts[0]}


def _system(node: ast.AST, assigned: dict[str, str]) -> str | None:
    """The text of a message `{"role": "system", "content": …}`."""
    if not isinstance(node, ast.Dict):
        return None
    entries = {key.value: value for key, value in zip(node.keys, node.values, strict=True)
               if isinstance(key, ast.Constant)}  # fmt: skip
    role, content = entries.get("role"), entries.get("content")
    if not (isinstance(role, ast.Constant) and role.value == "system"):
        return None
    if isinstance(content, ast.Name):
        return assigned.get(content.id)
    return content.value if isinstance(content, ast.Constant) and isinstance(content.value, str) else None


def _text(node: ast.expr) -> str | None:
    """A text with `{role}` where it has a value of a known name; None for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        pieces = [_text(value) for value in node.values]
        return None if None in pieces else "".join(map(str, pieces))
    if isinstance(node, ast.FormattedValue):
        return _text(node.value) if not isinstance(node.value, ast.Constant) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None or right is None else left + right
    name = node.id if isinstance(node, ast.Name) else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = str(node.slice.value)
    return f"{{{ROLES[name]}}}" if name in ROLES else None


def _roles(text: str) -> set[str]:
    return {role for role in set(ROLES.values()) if f"{{{role}}}" in text}
