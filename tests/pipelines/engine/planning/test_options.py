"""The arguments of a run are declared once, and everything that lists them agrees with `RunOptions`."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import pipelines
from longdoc.arguments import argument_names
from longdoc.errors import UserError
from pipelines.cli.shared.set_option import names_of
from pipelines.engine.planning.options import (
    OPTIONS,
    changed,
    check_values,
    command_line_options,
    complete,
    planned_arguments,
    with_defaults,
)
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.run_options import PlanOptions, RunOptions, types_of
from pipelines.engine.planning.spec import digest, spec_of
from pipelines.results.run_folders.record import START_ARGUMENTS
from tests import documents

NAMES = ["task", *OPTIONS]
TYPES = types_of(RunOptions)
COMMANDS = documents.commands()


def test_run_takes_every_argument() -> None:
    assert set(argument_names(pipelines.run)) == set(NAMES)
    assert OPTIONS.keys() == RunOptions.__annotations__.keys()


def test_a_plan_s_arguments_are_typed_as_those_of_a_run() -> None:
    hints = types_of(PlanOptions)
    assert set(hints) == planned_arguments()
    assert hints == {name: TYPES[name] for name in hints}


def test_ask_takes_the_options_of_passages_and_readers() -> None:
    groups = {name for name, option in command_line_options().items() if option.group in ("Passages", "Reader")}
    assert set(argument_names(pipelines.ask)) & set(NAMES) == groups | {"seed"}


@pytest.mark.parametrize("command", ["run", "ask", "train", "prompt", "analyze agreement", "ablate", "rerun"])
def test_a_command_offers_its_options_in_their_order(command: str) -> None:
    name_in_options = command.rpartition(" ")[2]
    set_names = names_of(name_in_options)
    offered = {name: option for name, option in command_line_options(name_in_options).items() if name not in set_names}
    param_names = [param.name for param in COMMANDS[command].params if param.name in offered]
    assert set(param_names) == set(offered)
    own = ("model", "out", "data")  # declared by some commands themselves
    if command != "ablate":  # whose axes come first
        assert [name for name in param_names if name not in own] == [name for name in offered if name not in own]
    for param in COMMANDS[command].params:
        if param.name in offered:
            flags = offered[param.name].flags or (f"--{param.name.replace('_', '-')}",)
            assert {name for flag in flags for name in flag.split("/")} == {*param.opts, *param.secondary_opts}


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("agreement", "data split limit sample seed metrics"),
        ("index", "chunker retriever model server"),
        ("cost", "chunker retriever prompt max_new_tokens"),
        ("ask", "chunker retriever k budget order strategy model server prompt "
            "max_new_tokens"),
        ("train", "data data_revision limit sample chunker retriever k budget order strategy prompt "
            "max_new_tokens seed"),
        ("prompt", "data data_revision split prompts_from chunker retriever k budget query order strategy model "
            "server prompt seed"),
    ],
)  # fmt: skip
def test_each_command_takes_the_arguments_that_it_uses(command: str, names: str) -> None:
    assert [name for name, option in command_line_options().items() if command in option.commands] == names.split()


def test_help_lists_the_options_under_four_headings() -> None:
    groups: dict[str | None, list[str]] = {}
    for name, option in command_line_options().items():
        groups.setdefault(option.group, []).append(name)
    assert {group: " ".join(names) for group, names in groups.items()} == {
        "Data": "data data_revision split prompts_from limit sample shard",
        "Passages": "chunker retriever k budget query order",
        "Reader": "strategy model server prompt max_new_tokens",
        "Judge": "judge judge_prompts_from",
        None: "seed metrics out engine go_on report",
    }  # fmt: skip


def test_an_ablation_varies_all_options_but_those_of_scoring_and_output() -> None:
    fixed = [name for name, option in command_line_options().items() if option.axis_help is None]
    assert fixed == [
        "data_revision", "prompts_from", "shard", "server", "metrics", "out", "engine", "go_on", "report", "judge",
        "judge_prompts_from",
    ]  # fmt: skip


def test_every_argument_that_decides_predictions_is_in_the_identity_of_a_run() -> None:
    """The spec has the data's fingerprint, and what belongs to the model in the model's description."""
    of_the_data = {"data_revision"}
    of_the_model = {"server"}
    of_the_prompt = {"prompts_from"}
    spec = spec_of(make_plan("narrativeqa", data="sample", model="extractive", query="centroid", budget="300 words"))
    missing = planned_arguments() - of_the_data - of_the_model - of_the_prompt - spec.keys()
    assert missing == set(START_ARGUMENTS)
    assert spec.keys() - set(NAMES) == {"training", "resolved", "max_input_tokens"}


def test_metrics_and_limit_do_not_change_the_digest_of_a_run() -> None:
    arguments = {"data": "sample", "model": "extractive"}
    first, *others = [
        digest(spec_of(make_plan("narrativeqa", **arguments, **more)))
        for more in ({}, {"limit": 3}, {"metrics": ["f1"]}, {"metrics": "rouge-l", "limit": 2})
    ]
    assert set(others) == {first}
    assert digest(spec_of(make_plan("narrativeqa", **arguments, sample=3))) != first


def test_an_unknown_argument_is_refused_by_name() -> None:
    for call in (pipelines.dry_run, lambda task, **wrong: pipelines.prompt(task, "a", **wrong), make_plan):
        with pytest.raises(UserError, match="unknown argument 'retreiver'; did you mean retriever"):
            call("narrativeqa", retreiver="tfidf")


def test_counts_and_contradictions_are_checked() -> None:
    with pytest.raises(UserError, match="k must be a whole number of at least 1, got 0"):
        check_values({"k": 0})
    with pytest.raises(UserError, match="limit and sample cannot be given together"):
        check_values({"limit": 1, "sample": 1})
    with pytest.raises(UserError, match="seed must be a whole number of at least 0, got -1"):
        check_values({"seed": -1})


def test_a_change_drops_arguments_that_conflict_with_it() -> None:
    arguments = {"budget": "300 words", "sample": 3, "seed": 1}
    assert changed(arguments, {"k": 5, "limit": 2}) == {"seed": 1, "k": 5, "limit": 2}
    assert changed({"k": 5}, {"budget": None}) == {"k": 5, "budget": None}


def test_defaults_do_not_replace_given_arguments() -> None:
    options = with_defaults(complete({"k": 3}), k=5, retriever="bm25")
    assert (options["k"], options["retriever"]) == (3, "bm25")


@pytest.mark.parametrize("function", [pipelines.agreement, pipelines.ablate])
def test_no_argument_of_a_component_is_untyped(function: Callable[..., Any]) -> None:
    hints = {
        name: parameter.annotation for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
    }
    component_names = {"task", "data", "chunker", "retriever", "model", "strategy", "metrics", "engine"} & hints.keys()
    assert component_names
    assert not any(hints[name] in (Any, Any | None) for name in component_names)


@pytest.mark.parametrize(("name", "values"), [("retriever", ["bm25", "tfidf"]), ("k", [1, 2]), ("seed", (0, 1))])
def test_a_list_where_a_run_takes_one_value_names_ablate(name: str, values: Any) -> None:
    with pytest.raises(UserError) as error:
        pipelines.run("narrativeqa", data="sample", model="extractive", **{name: values})
    assert str(error.value) == (
        f"{name} takes one value here, got a list of 2: ablate({name}=…) compares several (longdoc ablate)"
    )


def test_options_that_name_components_have_their_kind() -> None:
    kinds = {name: option.kind for name, option in command_line_options().items()}
    assert {name: kind for name, kind in kinds.items() if kind not in ("", "words")} == {
        "chunker": "chunkers", "retriever": "retrievers", "strategy": "strategies", "model": "readers",
        "metrics": "metrics", "judge": "readers",
    }  # fmt: skip
