"""Shell completion of values, after `longdoc --install-completion`: the names of tasks and components.

typer talks to the shell; here are the words. A completer takes the part of a value that was typed, and returns whole
values. The shell offers files where it returns none.
"""

import copy
import inspect
import typing
from collections.abc import Callable, Iterable

Completer = Callable[[str], list[str]]


def components(kind: str, *others: str) -> Completer:
    """A completer for the names of a kind's components and the words `others`, several with commas."""

    def names() -> Iterable[str]:
        from pipelines.cli.components import registry_of

        return [*registry_of(kind).names(), *others]

    return lambda incomplete: _completions(incomplete, names)


def words(*choices: str) -> Completer:
    """A completer for fixed words, several with commas."""
    return lambda incomplete: _completions(incomplete, lambda: choices)


def tasks(incomplete: str) -> list[str]:
    """Complete names of tasks, several with commas."""
    return _completions(incomplete, _tasks)


def tasks_and_groups(incomplete: str) -> list[str]:
    """Complete names of tasks and benchmarks, several with commas."""
    return _completions(incomplete, lambda: [*_groups(), *_tasks()])


def groups(incomplete: str) -> list[str]:
    """Complete names of benchmarks."""
    return _completions(incomplete, _groups)


def submittable(incomplete: str) -> list[str]:
    """Complete names of benchmarks that take submissions."""

    def names() -> Iterable[str]:
        from pipelines.results.leaderboards.average import task_scores

        return task_scores()

    return _completions(incomplete, names)


def _groups() -> Iterable[str]:
    from pipelines import tasks

    return tasks.groups()


def any_of(*completers: Completer) -> Completer:
    """A completer for everything that the given ones return."""
    return lambda incomplete: [text for completer in completers for text in completer(incomplete)]


def catalogue(incomplete: str) -> list[str]:
    """Complete kinds of components and names of components."""

    def names() -> Iterable[str]:
        from pipelines.cli.components import PROMPTS, registries

        return sorted(
            {*registries(), PROMPTS, *(name for registry in registries().values() for name in registry.names())}
        )

    return _completions(incomplete, names)


COMPLETERS: dict[str, Completer] = {  # by "PARAMETER" of any command or "COMMAND PARAMETER" of one
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
    "query": words("centroid"),
    **dict.fromkeys(("split", "validation"), words("train", "validation", "test")),
    "stage": words("document", "chunks", "budget", "ranked", "selected", "shown", "answered", "text"),
    "engine": words("local", "ray"),
    "benchmark": submittable,
    "format": words("html", "markdown", "latex", "csv", "json", "svg", "pdf", "png"),
    "run task": tasks_and_groups,
    "published task": tasks_and_groups,
    "tasks name": tasks_and_groups,
    "components name": catalogue,
    "benchmark name": groups,
    "fetch names": any_of(tasks, components("readers")),
    "score what": any_of(components("metrics"), tasks),
    "export to": words("inspect", "every_eval_ever"),
    "runs sort": words("score", "time"),
    "versus over_window": words("cut", "skip"),
}


def offer(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command's parameters their completers of `COMPLETERS`, and return it."""
    signature = inspect.signature(command, eval_str=True)
    parameters = [_completed(command.__name__, parameter) for parameter in signature.parameters.values()]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _completed(command: str, parameter: inspect.Parameter) -> inspect.Parameter:
    completer = COMPLETERS.get(f"{command} {parameter.name}") or COMPLETERS.get(parameter.name)
    if completer is None or typing.get_origin(parameter.annotation) is not typing.Annotated:
        return parameter
    kind, declaration = typing.get_args(parameter.annotation)
    declaration = copy.copy(declaration)  # commands share declarations
    declaration.autocompletion = completer
    return parameter.replace(annotation=typing.Annotated[kind, declaration])


def _completions(incomplete: str, names: Callable[[], Iterable[str]]) -> list[str]:
    """The names with everything typed up to the last comma before them; none after an error, which Tab cannot show."""
    head = incomplete[: incomplete.rfind(",") + 1]
    try:
        return [head + name for name in names()]
    except Exception:
        return []


def _tasks() -> list[str]:
    from pipelines.tasks import names

    return names()
