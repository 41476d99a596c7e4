"""All commands, longdoc's own and those of plugins, by the words that a user types, and the groups of some of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from longdoc.extensions import plugins
from longdoc.plugin import loaded
from pipelines.cli import ablate, benchmarks, compare, components, fetch, report, rerun, run, runs

Function = Callable[..., None]
CORE: Mapping[str, Function] = {
    "run": run.run, "ablate": ablate.ablate, "compare": compare.compare, "report": report.report, "view": runs.view,
    "show": runs.show, "blame": runs.blame, "rerun": rerun.rerun, "prompt": run.prompt, "runs list": runs.runs,
    "list tasks": components.tasks, "list components": components.components, "data fetch": fetch.fetch,
    "benchmark scores": benchmarks.benchmark, "benchmark published": benchmarks.published,
}  # fmt: skip
GROUPS: Mapping[str, str] = {
    "runs": "List, verify and merge runs.",
    "list": "List tasks, chunkers, retrievers, models, metrics, or show one.",
    "data": "Make, fetch and index data.",
    "benchmark": "Scores of runs and papers on a benchmark; submissions.",
}


@dataclass(frozen=True)
class CommandGroup:
    """Commands that share their first word (`runs list`, `runs merge`), and what `--help` says of the group."""

    help: str
    commands: Mapping[str, Function]


@cache
def _all_commands() -> Mapping[str, Function]:
    """All commands by the words that are typed: `run`, `runs list`."""
    return {**CORE, **{name: loaded(place) for plugin in plugins().values() for name, place in plugin.commands.items()}}


def commands() -> Mapping[str, Function]:
    """The commands of one word."""
    return {name: command for name, command in _all_commands().items() if " " not in name}


def groups() -> Mapping[str, CommandGroup]:
    """The groups of commands by their first word."""
    texts = {**GROUPS, **{word: text for plugin in plugins().values() for word, text in plugin.groups.items()}}
    return {word: CommandGroup(text, _subcommands(word)) for word, text in texts.items()}


def _subcommands(word: str) -> Mapping[str, Function]:
    """The commands of a group by their second word."""
    return {
        name.removeprefix(f"{word} "): command
        for name, command in _all_commands().items()
        if name.startswith(f"{word} ")
    }


def path_of(words: list[str]) -> str:
    """The command that a command line begins with: `run`, `runs merge`."""
    count = 2 if words[:1] and words[0] in groups() else 1
    return " ".join(words[:count])
