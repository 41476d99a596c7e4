"""What the shell offers behind Tab, once `longdoc --install-completion` was called: the names of tasks and components.

typer speaks with the shell; here are the words. A completer takes what was typed of a value and gives whole values.
Where it gives none, the shell offers files.
"""

import copy
import inspect
import typing
from collections.abc import Callable, Iterable

Completer = Callable[[str], list[str]]

GROUPS = ("muld", "scrolls", "zero_scrolls", "longbench", "infinitebench", "lara", "loogle", "ruler", "leval")


def components(kind: str, *more_names: str) -> Completer:
    """The names of a kind's components, several with commas; `more_names` are further words."""

    def names() -> Iterable[str]:
        from pipelines.cli.components import registry_of

        return [*registry_of(kind).names(), *more_names]

    return lambda incomplete: _offered(incomplete, names)


def words(*known_names: str) -> Completer:
    """The words, several with commas."""
    return lambda incomplete: _offered(incomplete, lambda: known_names)


def tasks(incomplete: str) -> list[str]:
    """The tasks, several with commas."""
    return _offered(incomplete, _tasks)


def tasks_and_groups(incomplete: str) -> list[str]:
    """The tasks and the benchmarks, several with commas."""
    return _offered(incomplete, lambda: [*GROUPS, *_tasks()])


def any_of(*completers: Completer) -> Completer:
    """What each of the completers offers."""
    return lambda incomplete: [text for completer in completers for text in completer(incomplete)]


def catalogue(incomplete: str) -> list[str]:
    """Kinds of components, and the names of all."""

    def names() -> Iterable[str]:
        from pipelines.cli.components import PROMPTS, registries

        return sorted(
            {*registries(), PROMPTS, *(name for registry in registries().values() for name in registry.names())}
        )

    return _offered(incomplete, names)


OF_VALUES: dict[str, Completer] = {  # by the name of a parameter, of one command where a command stands before
    **dict.fromkeys(("task", "tasks"), tasks),
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
    "engine": words("local", "ray"),
    "benchmark": words("scrolls", "zero_scrolls"),
    "format": words("html", "markdown", "latex", "csv", "json", "svg", "pdf", "png"),
    "run task": tasks_and_groups,
    "published task": tasks_and_groups,
    "tasks name": tasks_and_groups,
    "components name": catalogue,
    "benchmark name": words(*GROUPS),
    "fetch names": any_of(tasks, components("readers")),
    "score what": any_of(components("metrics"), tasks),
    "export to": words("inspect", "every_eval_ever"),
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


def _offered(incomplete: str, make: Callable[[], Iterable[str]]) -> list[str]:
    """The names behind the last comma of what was typed. An error offers nothing: behind Tab is no place for it."""
    head = incomplete[: incomplete.rfind(",") + 1]
    try:
        return [head + name for name in make()]
    except Exception:
        return []


def _tasks() -> list[str]:
    from pipelines.tasks import names

    return names()
