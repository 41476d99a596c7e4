"""A command and its Python function have the same name, and so do its options and the function's arguments."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import pipelines
from longdoc.arguments import argument_names
from pipelines.cli.shared import set_option
from pipelines.engine.planning.options import OPTIONS
from tests import documents
from tests.command_line import longdoc as longdoc_in_process
from tests.turns import for_each

# A command in a group has its function's name after the group's word, except these.
FUNCTIONS = {"runs list": "runs", "benchmark scores": "benchmark"}
COMMANDS = {FUNCTIONS.get(name, name.rpartition(" ")[2]): command for name, command in documents.commands().items()}
WITHOUT_FUNCTION = {
    "tasks": "a list for people: pipelines.tasks.names() and .get(name)",
    "components": "a list for people: chunkers.names(), retrievers.names(), models.names() …",
    "lm-eval": "hands over to the harness's own command, which has functions of its own",
}
WITHOUT_COMMAND = {
    "Grid": "a grid as an object; the command takes a file",
    "allow_hosts": "--allow-host", "follow_links": "--follow-links",
    "read_config": "--config", "dry_run": "run --dry-run", "dry_run_tasks": "run --dry-run",
    "plan_ablation": "ablate --dry-run", "plan_versus": "versus --dry-run", "run_tasks": "run TASK,TASK",
    "run_repeats": "run --repeat",
    "rescore": "score RUN", "score_predictions": "score TASK FILE", "score_prediction_files": "score TASK FILE FILE",
    "check_submission": "submit --check",
}  # fmt: skip
COMMAND_LINE_ONLY = {"config", "set_options", "signatures"}
WITHOUT_ARGUMENT = {
    "run": {
        "dry_run": "dry_run(…)", "pilot": "dry_run(pilot=…)", "repeat": "run_repeats(repeat=…)",
        "details": "Result.plain(details=True)",
    },
    "merge": {"details": "Result.plain(details=True)"},
    "ablate": {"dry_run": "plan_ablation(…)"},
    "versus": {"dry_run": "plan_versus(…)"},
    "rerun": {"print_config": "the arguments in run.json", "details": "Result.plain(details=True)"},
    "ask": {
        "full": "Answer.passages", "interactive": "index(…).ask(…)", "page": "Answer.to_html()",
        "no_cache": "cache=False", "show_prompt": "index(…).prompt(…)",
    },
    "index": {"no_cache": "cache=False"},
    "cost": {"no_cache": "cache=False"},
    "build": {"fields": "arguments of the builder, by their names"},
    "compare": {"fail_on_doubt": "Comparison.gates"},
    "evidence": {"places": "EvidenceTable"},
    "submit": {"check": "check_submission(…)", "split": "check_submission(split=…)"},
    "benchmark": {"format": "report(…)", "out": "report(out=…)"},
    "curve": {"plot": "the record's own"},
    "train": {"set_": "arguments of the recipe, by their names"},
    "view": {"no_open": "open=False", "once": "follow=False"},
}  # fmt: skip


def function_of(command: str) -> Any:
    return getattr(pipelines, command.replace("-", "_"))


def arguments_of(function: Any) -> Iterator[str]:
    """The names of a function's arguments, with those that `**arguments` may have."""
    yield from argument_names(function)
    if "arguments" in inspect.signature(function).parameters:  # the arguments of a run
        yield from OPTIONS


def options_of(command: str) -> set[str]:
    return {
        parameter.name for parameter in COMMANDS[command].params if parameter.param_type_name == "option"
    } - COMMAND_LINE_ONLY


@for_each("command", sorted(COMMANDS.keys() - WITHOUT_FUNCTION))
def test_a_command_has_a_function_of_its_name(command: str) -> None:
    name = command.replace("-", "_")
    assert name in pipelines.__all__
    assert inspect.isfunction(getattr(pipelines, name))


def test_a_function_has_a_command_of_its_name_or_a_reason() -> None:
    functions = {name: getattr(pipelines, name) for name in pipelines.__all__}
    of_commands = {command.replace("-", "_") for command in COMMANDS}
    names = {name for name, function in functions.items() if callable(function)}
    assert names - of_commands == WITHOUT_COMMAND.keys()


def test_reasons_are_given_only_for_commands_and_options_that_exist() -> None:
    assert COMMANDS.keys() >= WITHOUT_FUNCTION.keys()
    for command, options in WITHOUT_ARGUMENT.items():
        assert options_of(command) >= options.keys(), command


@for_each("command", sorted(COMMANDS.keys() - WITHOUT_FUNCTION))
def test_an_option_of_a_command_is_an_argument_of_its_function(command: str) -> None:
    missing = options_of(command) - set(arguments_of(function_of(command))) - WITHOUT_ARGUMENT.get(command, {}).keys()
    assert missing == set()


@pytest.mark.parametrize("command", sorted(set_option.BY_COMMAND))
def test_a_name_for_set_is_an_argument_of_the_function_and_not_an_option_of_the_command(command: str) -> None:
    names = set_option.names_of(command)
    assert names and names <= set(arguments_of(function_of(command)))
    assert not names & (options_of(command) if command in COMMANDS else set())


def test_an_argument_of_a_run_is_an_option_of_each_command_that_makes_runs_or_a_name_for_set() -> None:
    left_out = {"ablate": {"judge", "judge_prompts_from"}, "versus": {"judge", "judge_prompts_from", "shard", "task"}}
    for command in ("run", "rerun", "ablate", "versus"):
        typed = options_of(command) | set_option.names_of(command)
        assert set(OPTIONS) - typed == left_out.get(command, set()) - {"task"}, command


def test_a_former_option_is_refused_with_its_present_spelling(capfd: pytest.CaptureFixture[str]) -> None:
    assert longdoc_in_process(capfd, "ablate", "qa", "--order", "score")[2].endswith('(now "--set order=score")\n')
    assert longdoc_in_process(capfd, "run", "qa", "--select", "300")[2].endswith("(now --budget '300 words')\n")
    assert longdoc_in_process(capfd, "ablate", "qa", "--go-on")[2].endswith('(now "--set go_on=VALUE")\n')
