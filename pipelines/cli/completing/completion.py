"""What the shell offers behind Tab, once `longdoc --install-completion` was called: names, and the folders of runs.

typer speaks with the shell; here are the words. A completer takes what was typed of a value and gives whole values.
bash cuts words at colons and equals signs before it asks, and puts a space behind the only completion; both are undone.
"""

import copy
import inspect
import io
import os
import re
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

Completer = Callable[[str], list[str]]

ASKED_TEXT = "_LONGDOC_COMPLETE"
GROUPS = ("muld", "scrolls", "zero_scrolls", "longbench", "infinitebench", "lara", "loogle", "ruler", "leval")
RECORDS = ("run.json", "ablation.json")
GOES_ON_NAMES = tuple(":=/,[{")  # ends of completions behind which no space belongs
_PLAIN_PATTERN = re.compile(r"[\w./:=,\[\]{}@+-]+")  # what shells take without quotation marks
_CUT = re.compile("[:=]+")


def components(kind: str, *more_names: str) -> Completer:
    """The components of a kind with their arguments, several with commas; `more_names` are further words."""

    def complete(incomplete: str) -> list[str]:
        from pipelines.cli.completing.specs import completions

        return _offered_names(lambda: [*completions(kind, incomplete), *more_names])

    return complete


def words(*known_names: str) -> Completer:
    """The words, several with commas."""

    def complete(incomplete: str) -> list[str]:
        return _listed(incomplete, known_names)

    return complete


def tasks(incomplete: str) -> list[str]:
    """The tasks, several with commas."""
    return _offered_names(lambda: _listed(incomplete, _tasks()))


def tasks_and_groups(incomplete: str) -> list[str]:
    """The tasks and the benchmarks, several with commas."""
    return _offered_names(lambda: _listed(incomplete, [*GROUPS, *_tasks()]))


def shards(incomplete: str) -> list[str]:
    """The shards of as many as were typed behind the slash, else the first of two, three and four."""
    count = incomplete.partition("/")[2]
    number = int(count) if count.isascii() and count.isdecimal() and len(count) < 4 else 0
    known_names = [f"{single_count}/{number}" for single_count in range(1, number + 1)] or [
        f"1/{few_value}" for few_value in (2, 3, 4)
    ]
    return [text for text in known_names if text.startswith(incomplete)]


def run_folders(incomplete: str) -> list[str]:
    """The folders of runs and ablations beside what was typed, those in `runs`, and folders to look in."""
    return _offered_names(lambda: [*_folders(incomplete), *(_folders("runs/") if "/" not in incomplete else [])])


def any_of(*completers: Completer) -> Completer:
    """What each of the completers offers."""

    def complete(incomplete: str) -> list[str]:
        return [text for completer in completers for text in completer(incomplete)]

    return complete


def catalogue(incomplete: str) -> list[str]:
    """Kinds of components, and the names of all."""

    def names() -> list[str]:
        from pipelines.cli.components import PROMPTS, registries

        return sorted(
            {*registries(), PROMPTS, *(name for registry in registries().values() for name in registry.names())}
        )

    return _offered_names(names)


OF_VALUES: dict[str, Completer] = {  # by the name of a parameter, of one command where a command stands before
    **dict.fromkeys(("task", "tasks"), tasks),
    **dict.fromkeys(("run", "runs", "shards", "a", "b"), run_folders),
    "chunker": components("chunkers"),
    "retriever": components("retrievers"),
    "strategy": components("strategies"),
    "model": components("readers", "floor"),
    "metrics": components("metrics"),
    "primary_metric": components("metrics"),
    "builder": components("builders"),
    "recipe": components("recipes"),
    "order": words("score", "document"),
    "prompt": words("row", "chat", "tags", "t5", "flan", "unifiedqa", "document_first", "question_first", "document"),
    "fill": words("cut", "skip", "stop"),
    "query": words("centroid"),
    **dict.fromkeys(("split", "validation"), words("train", "validation", "test")),
    "stage": words("document", "chunks", "budget", "ranked", "selected", "shown", "answered", "text"),
    "dtype": words("auto", "bf16", "fp16", "fp32"),
    "device": words("cpu", "cuda"),
    "shard": shards,
    "engine": words("local", "local:workers=", "local:processes=", "ray", "ray:address=auto,readers="),
    "benchmark": words("scrolls", "zero_scrolls"),
    "format": words("html", "markdown", "latex", "csv", "json", "svg", "pdf", "png"),
    "run task": tasks_and_groups,
    "published task": tasks_and_groups,
    "tasks name": tasks_and_groups,
    "components name": catalogue,
    "benchmark name": words(*GROUPS),
    "fetch names": any_of(tasks, components("readers")),
    "score what": any_of(components("metrics"), tasks, run_folders),
    "export to": words("inspect"),
    "runs sort": words("score", "time"),
    "versus over_window": words("cut", "skip"),
}


def offer(command: Callable[..., None]) -> Callable[..., None]:
    """The command, its parameters with the completers of `OF_VALUES`."""
    signature = inspect.signature(command, eval_str=True)
    parameters = [_completed(command.__name__, parameter) for parameter in signature.parameters.values()]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _completed(command: str, parameter: inspect.Parameter) -> inspect.Parameter:
    completer = OF_VALUES.get(f"{command} {parameter.name}") or OF_VALUES.get(parameter.name)
    if completer is None or typing.get_origin(parameter.annotation) is not typing.Annotated:
        return parameter
    kind, declared = typing.get_args(parameter.annotation)
    declared = copy.copy(declared)  # commands share declarations
    declared.autocompletion = completer
    return parameter.replace(annotation=typing.Annotated[kind, declared])


@contextmanager
def asked_by_shell() -> Iterator[None]:
    """While bash asks for completions: give words that it cut to typer whole, and to bash what is behind the cut."""
    if os.environ.get(ASKED_TEXT) != "complete_bash" or "\n" not in os.environ.get("COMP_WORDS", ""):
        yield
        return
    typed_names = os.environ["COMP_WORDS"].split("\n")
    whole_names, position = _whole_rows(typed_names, int(os.environ["COMP_CWORD"]))
    os.environ |= {"COMP_WORDS": "\n".join(whole_names), "COMP_CWORD": str(position)}
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        for line in _for_bash(
            printed.getvalue().splitlines(), whole_names[position] if position < len(whole_names) else ""
        ):
            print(line)


def _whole_rows(typed_names: list[str], cursor: int) -> tuple[list[str], int]:
    """The words, joined again where bash cut them, and the place of the one with the cursor."""
    names: list[str] = []
    position, cut = 0, False
    for place, word in enumerate(typed_names[: cursor + 1]):
        is_cut = _CUT.fullmatch(word) is not None
        if names and word and (cut or is_cut):
            names[-1] += word
        else:
            names.append(word)
        cut = is_cut
        position = len(names) - 1 if place == cursor else position
    return names, position


def _for_bash(completions: list[str], typed_text: str) -> list[str]:
    """What is behind the last cut; and a second completion where the only one is to go on without a space."""
    if typed_text.startswith("-"):
        typed_text = typed_text.partition("=")[2]
    behind = max(typed_text.rfind(":"), typed_text.rfind("=")) + 1
    left = [
        completion[behind:] if completion.startswith(typed_text[:behind]) else completion for completion in completions
    ]
    return [left[0], f"{left[0]}…"] if len(left) == 1 and left[0].endswith(GOES_ON_NAMES) else left


def _offered_names(make: Callable[[], Iterable[str]]) -> list[str]:
    """Those that every shell takes as they are. An error offers nothing: behind Tab there is no place for it."""
    try:
        return [text for text in dict.fromkeys(make()) if _PLAIN_PATTERN.fullmatch(text)]
    except Exception:
        return []


def _listed(incomplete: str, known_names: Iterable[str]) -> list[str]:
    """The words behind the last comma."""
    head = incomplete[: incomplete.rfind(",") + 1]
    return [head + text for text in known_names]


def _tasks() -> list[str]:
    from pipelines.tasks import names

    return names()


def _folders(typed_text: str) -> list[str]:
    """Folders beside what was typed: of runs and ablations, and with a slash at the end those to look in."""
    parent = typed_text[: typed_text.rfind("/") + 1]
    try:
        home = Path(parent or ".").expanduser()
    except RuntimeError:  # the home of nobody
        return []
    names: list[str] = []
    for path in sorted(home.iterdir()) if home.is_dir() else ():
        if path.is_dir() and not path.name.startswith((".", "_")):
            is_run = any((path / name).is_file() for name in RECORDS)
            names.append(f"{parent}{path.name}" + ("" if is_run else "/"))
    return names
