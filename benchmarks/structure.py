"""How much there is to know of the source: its shapes, circles, folders, arguments, commands and lines.

All is read from the source without importing it, with two exceptions: a run of three questions of the sample is traced
in a process of its own (`benchmarks/traced_run.py`), and commands and options are counted in the command line itself.

Run: python -m benchmarks.structure [--lists]
"""

import argparse
import ast
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from benchmarks.import_graph import PACKAGES, ROOT, circles, import_graph, python_files
from benchmarks.size import size_of

SCORE_FIELDS = {"scores", "intervals", "no_interval", "signatures", "not_computed"}  # dictionaries side by side
SHAPES = {"Run", "Scores"}
RUN_ARGUMENTS = {"fill", "retriever"}  # who declares both declares the arguments of a run
EVERY_DECLARATION = "fill"
MOST_FILES = 20  # of a folder
LONG = 50  # lines of a function
UNRELEASED = "## Unreleased"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Measure:
    """A row of the table, and what it counts, each as a line."""

    name: str
    value: str
    counted: tuple[str, ...] = ()


def measures(root: Path, packages: tuple[str, ...]) -> list[Measure]:
    """Those that are read from the source."""
    nodes = list(definitions(root, packages))
    shapes = [place for place, node in nodes if isinstance(node, ast.ClassDef) and is_shape(node)]
    declarations = [place for place, node in nodes if declares_run_arguments(node)]
    groups = circles(import_graph(root, packages))
    folders = large_folders(root, packages)
    return [
        Measure("shapes of a scored run", f"{len(shapes)}", tuple(shapes)),
        Measure("circles of files", f"{len(groups)}", tuple(", ".join(group) for group in groups)),
        Measure(f"folders over {MOST_FILES} files", f"{len(folders)}", tuple(folders)),
        Measure("places that declare arguments of `run`", f"{len(declarations)}", tuple(declarations)),
        *sizes(root, packages),
    ]  # fmt: skip


def sizes(root: Path, packages: tuple[str, ...]) -> list[Measure]:
    """Lines of the source, its functions and two documents."""
    files = python_files(root / package for package in packages)
    lengths = {place: length(node) for place, node in definitions(root, packages) if isinstance(node, Function)}
    long = [f"{place}: {lines}" for place, lines in lengths.items() if lines > LONG]
    decile = statistics.quantiles(lengths.values(), n=10)[-1]
    spread = f"{statistics.median(lengths.values()):.0f} / {decile:.0f} / {100 * len(long) / len(lengths):.2f} %"
    documents = (root / "benchmarks" / "RELIABILITY.md", root / "CHANGELOG.md")
    reliability, changelog = (document.read_text("utf-8") for document in documents)
    return [
        Measure("source lines", str(size_of(files))),
        Measure("lines of RELIABILITY.md", f"{len(reliability.splitlines()):,}"),
        Measure("lines of CHANGELOG.md's Unreleased", f"{unreleased_lines(changelog)}"),
        Measure(f"lines of a function: median / 90th percentile / over {LONG}", spread, tuple(long)),
    ]


def definitions(root: Path, packages: tuple[str, ...]) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """The functions and classes, each with `file:line name`."""
    for file in python_files(root / package for package in packages):
        path = file.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, Function | ast.ClassDef):
                yield f"{path}:{node.lineno} {node.name}", node


def is_shape(node: ast.ClassDef) -> bool:
    """Whether a class holds the scores of a run: `Run`, `Scores`, or what has parallel dictionaries by score."""
    mappings = {name for name, annotation in declared_fields(node) if annotation.startswith("Mapping")}
    fields = SCORE_FIELDS & mappings
    return node.name in SHAPES or (len(fields) > 1 and not fields.isdisjoint({"scores", "intervals"}))


def declared_fields(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The fields of a class with their types."""
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id, ast.unparse(part.annotation)


def declares_run_arguments(node: Function | ast.ClassDef) -> bool:
    """Whether a function or a class declares several arguments of a run, or a typed dictionary one that is in all."""
    names = set(declared_names(node))
    typed = isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "TypedDict" for base in node.bases)
    return names >= RUN_ARGUMENTS or (typed and EVERY_DECLARATION in names)


def declared_names(node: Function | ast.ClassDef) -> Iterator[str]:
    """A function's parameters, a class's fields."""
    if isinstance(node, ast.ClassDef):
        yield from (name for name, _ in declared_fields(node))
    else:
        arguments = node.args
        yield from (part.arg for part in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def length(function: Function) -> int:
    """Its lines, without decorators and docstring."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function, clean=False) is None:
        return lines
    docstring = function.body[0]
    return lines - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def large_folders(root: Path, packages: tuple[str, ...]) -> list[str]:
    """The folders with more files of Python than one can have in mind, with their number."""
    files = python_files(root / package for package in packages)
    counts = Counter(file.parent.relative_to(root).as_posix() for file in files)
    return [f"{folder}: {count}" for folder, count in sorted(counts.items()) if count > MOST_FILES]


def unreleased_lines(changelog: str) -> int:
    """The lines below the heading, up to the next version's, blank ones counted."""
    _, _, rest = changelog.partition(f"{UNRELEASED}\n")
    return len(list(takewhile(lambda line: not line.startswith("## "), rest.splitlines())))


def run_measures() -> list[Measure]:
    """Those of a run of three questions, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.traced_run"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    trace = json.loads(process.stdout)
    called = {place.partition(":")[0] for place in trace["functions"]}
    return [
        Measure("files that a run of 3 questions enters", f"{len(trace['files'])}", tuple(trace["files"])),
        Measure("of these, files with a function that is called", f"{len(called)}"),
        Measure("functions that carry `k` in it", f"{len(trace['carriers'])}", tuple(trace["carriers"])),
    ]


def command_measures() -> list[Measure]:
    """The commands of the command line, those of groups too, and their options."""
    from typer.main import get_command

    from pipelines.cli.main import app
    from pipelines.cli.shared.shared_options import shared_options

    options = {name: options_of(command) for name, command in commands_of(get_command(app), "")}
    counted = tuple(f"{name or 'longdoc'}: {count}" for name, (count, _) in options.items())
    every = sum(is_command for _, is_command in options.values())
    total = sum(count for count, _ in options.values()) + len(shared_options())
    return [
        Measure("commands", f"{len(get_command(app).commands)}", counted),  # type: ignore[attr-defined]
        Measure("kinds of commands, those behind one word each", f"{every}"),
        Measure("options in all", f"{total}"),
    ]


def commands_of(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command of click's, and those below it, by their names as typed."""
    yield name, command
    for child in getattr(command, "commands", {}).values():
        if not child.hidden:
            yield from commands_of(child, f"{name} {child.name}".strip())


def options_of(command: Any) -> tuple[int, bool]:
    """The number of a command's options, and whether it is a command, not a group."""
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    return len(options), not hasattr(command, "commands")


def page(rows: list[Measure], with_lists: bool) -> str:
    """The table, and below it the lists."""
    from benchmarks.results import table

    text = table(["", "now"], [[row.name, row.value] for row in rows])
    for row in rows if with_lists else []:
        if row.counted:
            text += f"\n\n{row.name}:\n\n" + "\n".join(f"- {line}" for line in row.counted)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__)
    parser.add_argument("--lists", action="store_true", help="print what each figure counts; RESULTS.md gets none")
    options = parser.parse_args()
    rows = [*measures(ROOT, PACKAGES), *run_measures(), *command_measures()]
    if options.lists:
        print(page(rows, with_lists=True))
    else:
        from benchmarks.results import publish

        publish("structure", page(rows, with_lists=False))


if __name__ == "__main__":
    main()
