"""Read a judge's prompts from a benchmark's code: f-strings, or texts joined by +. The code is parsed and never run.

A prompt is a text with a reference and a prediction in it, by the names of `ROLES`. The system message of the same
conversation comes first, with an empty line after it, since a reader here gets one message.
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
    """A prompt, and the words in the conditions under which the code uses it (`if query_type == 'hallu'`)."""

    text: str
    conditions: Words


def read(code: str, path: Path) -> list[FoundPrompt]:
    """The prompts in a file's code. Raises `UserError` where it has none."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(
            f"{path} is not a Python file that can be parsed: {error}; give the benchmark's own file, or a text"
        ) from None
    nodes = list(_walk(tree, frozenset()))
    texts_by_name = _texts_by_name(nodes)
    systems = [(text, words) for node, words in nodes if (text := _system(node, texts_by_name)) is not None]
    prompts = []
    for node, words in nodes:
        text = _text(node) if isinstance(node, (ast.JoinedStr, ast.BinOp)) else None
        if text is not None and {"{reference}", "{prediction}"} <= {f"{{{role}}}" for role in _roles(text)}:
            system_texts = [text for text, names in systems if names <= words]
            prompts.append(FoundPrompt("\n\n".join([*system_texts, text.strip()]), words))
    if not prompts:
        raise UserError(
            f"{path} has no prompt for a judge, which is a text with a reference and a prediction in it "
            f"({', '.join(ROLES)}): pass a text file with {{question}}, {{reference}} and {{prediction}}"
        )
    return prompts


def _walk(node: ast.AST, words: Words) -> Iterator[tuple[ast.AST, Words]]:
    """Every node with the words in the conditions around it; parts of a text are left out."""
    yield node, words
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and _text(node) is not None):
        return
    if isinstance(node, ast.If):
        body_words = words | {value.value for value in ast.walk(node.test)
                         if isinstance(value, ast.Constant) and isinstance(value.value, str)}  # fmt: skip
        for branch, names in ((node.body, body_words), (node.orelse, words)):
            for statement in branch:
                yield from _walk(statement, names)
        return
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, words)


def _texts_by_name(nodes: list[tuple[ast.AST, Words]]) -> dict[str, str]:
    """The texts that are assigned to a name once, by name."""
    texts: dict[str, list[str]] = {}
    for node, _ in nodes:
        if isinstance(node, ast.Assign):
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            for target in node.targets:
                if isinstance(target, ast.Name):
                    texts.setdefault(target.id, []).append(value if isinstance(value, str) else "")
    return {name: texts[0] for name, texts in texts.items() if len(texts) == 1 and texts[0]}


def _system(node: ast.AST, texts_by_name: dict[str, str]) -> str | None:
    """The text of a system message `{"role": "system", "content": …}`; None for any other node."""
    if not isinstance(node, ast.Dict):
        return None
    message = {key.value: value for key, value in zip(node.keys, node.values, strict=True)
               if isinstance(key, ast.Constant)}  # fmt: skip
    role, content = message.get("role"), message.get("content")
    if not (isinstance(role, ast.Constant) and role.value == "system"):
        return None
    if isinstance(content, ast.Name):
        return texts_by_name.get(content.id)
    return content.value if isinstance(content, ast.Constant) and isinstance(content.value, str) else None


def _text(node: ast.expr) -> str | None:
    """An expression as a text with `{role}` in place of values with known names; None where it is not a text."""
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
    """The roles that a text has a place for."""
    return {role for role in set(ROLES.values()) if f"{{{role}}}" in text}
