"""The share of names in the source that are everyday words: one, found, given … in place of a noun of the field.

A name counts once in each scope that binds it: modules, classes, functions, parameters, attributes, what an assignment,
a loop, a comprehension, `with`, `except`, `:=`, `match` or an import with `as` binds. Comprehensions and lambdas are
scopes too. A name counts as everyday words if the whole of it, without underscores at its ends, is on the list below,
if it has several parts and each is on the list or joins words (`made_again`, `as_they_come`), or if it starts with
"of_" or "in_" (`of_run`, `in_words`). A word with its noun (`given_arguments`) does not count, nor a question
(`is_known`).

Run: python -m benchmarks.bound_names [FILES OR FOLDERS] [--list]
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")
PART = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")  # of snake_case and CamelCase


@dataclass(frozen=True, slots=True)
class Binding:
    """A name that a scope binds, where it does so first; `scope` is the scope's qualified name, "" for a module."""

    path: str
    line: int
    kind: str
    scope: str
    name: str

    @property
    def qualname(self) -> str:
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True, slots=True)
class Scope:
    """A module, class, function, lambda or comprehension: its qualified name, and the names it has bound already."""

    qualname: str = ""
    is_class: bool = False
    names: set[str] = field(default_factory=set)


class Names(ast.NodeVisitor):
    """Collects the bindings of a module."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.bindings: list[Binding] = []
        self.scopes = [Scope()]

    def bind(self, line: int, kind: str, name: str, scope: Scope | None = None) -> None:
        scope = scope or self.scopes[-1]
        special = name.startswith("__") and name.endswith("__")
        if not special and name not in scope.names:
            scope.names.add(name)
            self.bindings.append(Binding(self.path, line, kind, scope.qualname, name))

    def visit_all(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    @contextmanager
    def inside(self, name: str = "", is_class: bool = False) -> Iterator[None]:
        """A scope within the last one; without a name it has that one's."""
        outside = self.scopes[-1].qualname
        self.scopes.append(Scope(".".join(filter(None, [outside, name])), is_class))
        yield
        self.scopes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.lineno, "method" if self.scopes[-1].is_class else "function", node.name)
        self.visit_all(*node.decorator_list, *node.args.defaults, *node.args.kw_defaults)
        with self.inside(node.name):
            self.bind_parameters(node.args)
            self.visit_all(*node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_all(*node.args.defaults, *node.args.kw_defaults)
        with self.inside():
            self.bind_parameters(node.args)
            self.visit(node.body)

    def bind_parameters(self, arguments: ast.arguments) -> None:
        usual = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        for parameter in (*usual, arguments.vararg, arguments.kwarg):
            if parameter is not None and parameter.arg not in ("self", "cls"):
                self.bind(parameter.lineno, "parameter", parameter.arg)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.lineno, "class", node.name)
        self.visit_all(*node.decorator_list, *node.bases, *node.keywords)
        with self.inside(node.name, is_class=True):
            self.visit_all(*node.body)

    def visit_comprehension_expression(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        with self.inside():
            self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_comprehension_expression  # noqa: N815

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bind(node.lineno, "attribute" if self.scopes[-1].is_class else "variable", node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self":
            classes = [scope for scope in self.scopes if scope.is_class]
            self.bind(node.lineno, "attribute", node.attr, classes[-1] if classes else None)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.bind_optional(node, node.name)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.bind_optional(node, node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self.bind_optional(node, node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.bind_optional(node, node.rest)

    def bind_optional(self, node: ast.ExceptHandler | ast.pattern, name: str | None) -> None:
        if name is not None:
            self.bind(node.lineno, "variable", name)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        if node.asname is not None and node.asname != node.name:
            self.bind(node.lineno, "import", node.asname)


def bindings_of(source: str, path: str) -> list[Binding]:
    """The names that a module binds, the first of which is its own; sorted by line."""
    names = Names(path)
    names.visit(ast.parse(source))
    file = Path(path)
    module = file.parent.name if file.stem == "__init__" else file.stem
    return [Binding(path, 1, "module", "", module), *sorted(names.bindings, key=lambda binding: binding.line)]


# Words that this source has bound and that thinc, datatrove, sacrebleu and ranx bind hardly ever. Usual names of Python
# code are not here (out, other, first, last, left, right, before, after, missing, seen, done, joined, expected …).
PRONOUNS = (
    "another", "anything", "both", "each", "enough", "every", "everything", "few", "fewer", "fewest", "its",
    "least", "many", "mine", "more", "most", "much", "neither", "none", "nothing", "one", "ones", "others", "ours",
    "own", "same", "several", "some", "something", "such", "that", "theirs", "them", "these", "they", "this",
    "those", "twice", "whole",
)  # fmt: skip
QUESTIONS = (
    "how", "what", "when", "where", "whether", "who", "whom", "whose", "why",
)  # fmt: skip
PARTICIPLES = (
    "accepted", "agreed", "allowed", "answered", "answering", "arrived", "asked", "asking", "awaited", "awaiting",
    "beaten", "began", "begun", "broken", "built", "came", "carried", "caught", "chosen", "counted", "covered",
    "decided", "described", "differing", "doing", "drawn", "ended", "entered", "filled", "folded", "followed",
    "found", "gained", "given", "going", "gone", "got", "grown", "having", "headed", "held", "holding",
    "instructed", "judging", "kept", "known", "lacking", "laid", "learned", "lined", "losing", "lost", "made",
    "meant", "met", "missed", "named", "needed", "noted", "offered", "paid", "parted", "passing", "picked",
    "placed", "played", "preferred", "ran", "reached", "refused", "remembered", "said", "settled", "shown",
    "shrunk", "sized", "sought", "spared", "spent", "spoken", "stated", "suited", "taken", "thought", "told",
    "tried", "trusted", "typed", "unasked", "undecided", "unsaid", "varying", "waiting", "wanted", "weighed",
    "written",
)  # fmt: skip
ADVERBS = (
    "again", "alike", "alone", "anew", "anywhere", "apart", "as", "aside", "at", "bad", "bare", "besides", "better",
    "by", "earlier", "elsewhere", "everywhere", "for", "foreign", "fresh", "from", "further", "harder", "here",
    "instead", "late", "later", "less", "like", "nearly", "nowhere", "odd", "of", "off", "on", "once", "only",
    "otherwise", "plain", "quick", "quietly", "singly", "soon", "spare", "stray", "than", "then", "there", "to",
    "together", "unlike", "unsure", "usual", "warm", "wide", "with", "without", "worse", "worth", "wrong",
)  # fmt: skip
VAGUE = (
    "cure", "doubt", "kinds", "room", "stuff", "thing", "things", "way", "ways",
)  # fmt: skip
EVERYDAY = frozenset((*PRONOUNS, *QUESTIONS, *PARTICIPLES, *ADVERBS, *VAGUE))
# Parts of names that alone are none, or usual: as_they_come, left_over, made_by. A question (is_named) is a usual name.
JOINING = (
    "a", "about", "after", "all", "an", "and", "any", "are", "around", "as", "be", "been", "before", "below",
    "between", "but", "by", "can", "come", "comes", "did", "does", "for", "from", "go", "goes", "had", "has",
    "have", "if", "in", "into", "it", "joined", "kind", "left", "let", "make", "makes", "may", "maybe", "might",
    "must", "never", "no", "not", "on", "or", "other", "out", "over", "read", "say", "says", "see", "seen", "since",
    "so", "take", "takes", "tell", "than", "that", "the", "their", "to", "too", "under", "until", "up", "us", "was",
    "we", "were", "will", "with", "within", "you",
)  # fmt: skip


def is_everyday(name: str) -> bool:
    """Whether a name has no noun: an everyday word, several that join to no noun, or one noun after "of" or "in"."""
    parts = [part.lower() for part in PART.findall(name)]
    if len(parts) < 2:
        return parts[:1] != [] and parts[0] in EVERYDAY
    return name.strip("_").lower().startswith(("of_", "in_")) or all(
        part in EVERYDAY or part in JOINING for part in parts
    )


def python_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files, and those in the folders, sorted."""
    for path in paths:
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def bindings_in(paths: Iterable[Path], root: Path = ROOT) -> list[Binding]:
    """The bindings of files and folders; their paths are shown as from `root` if they are below it."""
    bindings: list[Binding] = []
    for file in python_files(paths):
        file = file.resolve()
        path = file.relative_to(root) if file.is_relative_to(root) else file
        bindings += bindings_of(file.read_text("utf-8"), path.as_posix())
    return bindings


def everyday(bindings: Iterable[Binding]) -> list[Binding]:
    """Those whose names are everyday words."""
    return [binding for binding in bindings if is_everyday(binding.name)]


def shares(paths: Iterable[Path]) -> str:
    """A Markdown table: for each path its names, those that are everyday words, and the most frequent of those."""
    from benchmarks.results import table  # here, that the law of names needs nothing of the program

    rows, total = [], [0, 0]
    for path in paths:
        bindings = bindings_in([path])
        counted = everyday(bindings)
        frequent = Counter(binding.name for binding in counted).most_common(8)
        total = [total[0] + len(bindings), total[1] + len(counted)]
        words = ", ".join(f"{name} {count}" for name, count in frequent)
        rows.append([path.name, f"{len(bindings):,}", f"{len(counted):,}", percent(len(counted), len(bindings)), words])
    rows.append(["in all", f"{total[0]:,}", f"{total[1]:,}", percent(total[1], total[0]), ""])
    return table(["", "names", "everyday words", "share", "most frequent"], rows)


def percent(part: int, total: int) -> str:
    return f"{100 * part / total:.2f} %" if total else "–"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bound_names", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders; the five packages if none is given")
    parser.add_argument(
        "--list", action="store_true", help="print every binding that counts: file:line kind qualname name"
    )
    options = parser.parse_args()
    paths = options.paths or [ROOT / package for package in PACKAGES]
    if not options.list:
        print(shares(paths))
        return
    for binding in everyday(bindings_in(paths)):
        print(f"{binding.path}:{binding.line} {binding.kind} {binding.qualname} {binding.name}")


if __name__ == "__main__":
    main()
