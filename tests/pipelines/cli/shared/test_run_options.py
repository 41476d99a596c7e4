"""The options of commands, made from `RunOptions`."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from longdoc.errors import UserError
from pipelines.cli.shared.help import one_value_each
from pipelines.cli.shared.run_options import takes_run_options


def given(command: str, *typed: str, axes: bool = False) -> dict[str, Any]:
    """The arguments that a command gets."""
    seen: dict[str, Any] = {}

    @takes_run_options(command, axes=axes)
    def called(arguments: Mapping[str, Any], own: bool = False) -> None:
        seen.update(arguments)

    app = typer.Typer()
    app.command()(called)
    result = CliRunner().invoke(app, list(typed))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return seen


def test_only_what_was_typed_is_given() -> None:
    assert given("run") == {}
    assert given("run", "--k", "3", "-m", "extractive", "--go-on", "--metric", "f1", "--metric", "rouge") == {
        "k": 3, "model": "extractive", "go_on": True, "metrics": ["f1", "rouge"],
    }  # fmt: skip


def test_fields_of_a_model_stand_behind_its_name_or_alone() -> None:
    for model in ("google/flan-t5-base,dtype=bf16,options={low_cpu_mem_usage:true}", "device=cpu,dtype=fp32"):
        assert given("run", "--model", model) == {"model": model}
    models = "google/flan-t5-base,dtype=bf16,lead,flan-t5-small,device=cpu"
    assert given("ablate", "--model", models, axes=True) == {
        "model": ["google/flan-t5-base,dtype=bf16", "lead", "flan-t5-small,device=cpu"],
    }  # fmt: skip


def test_several_values_are_an_axis() -> None:
    assert given("ablate", "--k", "1,2", "--k", "5", "--chunker", "tokens", axes=True) == {
        "k": [1, 2, 5], "chunker": "tokens",
    }  # fmt: skip
    with pytest.raises(UserError, match="--max-new-tokens takes whole numbers, as in 1,2,5; got many"):
        given("ablate", "--max-new-tokens", "many", axes=True)


def test_a_command_takes_no_option_of_another() -> None:
    with pytest.raises(AssertionError, match="No such option"):
        given("ask", "--limit", "3")


def test_components_and_words_are_lists_with_commas_too() -> None:
    typed = ("--retriever", "hybrid:[bm25,tfidf],tfidf", "--retriever", "bm25",
             "--chunker", "tokens:size=100,stride=50", "--model", "lead,openai:gpt-4o,window=8192",
             "--set", "order=score,document", "--budget", "100 words,300 tokens",
             "--metric", "f1,rouge-l", "--prompt", "{query}, {document}", "--data", "a,b")  # fmt: skip
    assert given("ablate", *typed, axes=True) == {
        "retriever": ["hybrid:[bm25,tfidf]", "tfidf", "bm25"],
        "chunker": "tokens:size=100,stride=50",
        "model": ["lead", "openai:gpt-4o,window=8192"],
        "order": ["score", "document"],
        "budget": ["100 words", "300 tokens"],
        "metrics": ["f1", "rouge-l"],
        "prompt": "{query}, {document}",
        "data": "a,b",
    }


def test_a_folder_with_a_comma_in_its_name_is_one_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a,b").mkdir()
    assert given("ablate", "--model", "a,b", "--model", "c,d", axes=True) == {"model": ["a,b", "c", "d"]}


@pytest.mark.parametrize(
    ("flag", "value", "shown"),
    [
        ("--retriever", "bm25,tfidf", "bm25, tfidf"),
        ("-k", "1,2", "1, 2"),
        ("--budget", "100 words,300 words", "100 words, 300 words"),
    ],
)
def test_a_list_where_one_value_is_taken_names_the_command_for_several(flag: str, value: str, shown: str) -> None:
    name = "--k" if flag == "-k" else flag
    with pytest.raises(UserError) as error:
        given("run", flag, value)
    assert str(error.value) == (
        f"{name} takes one value here, got 2: {shown}; longdoc ablate compares several ({name} {shlex.quote(value)})"
    )


def test_a_number_that_is_none_is_named() -> None:
    with pytest.raises(UserError, match="--k takes a whole number, got 'many'"):
        given("run", "-k", "many")


@pytest.mark.parametrize(
    ("typed", "spread"),
    [
        ("qa -k 1 2 5 --seed 3", "qa -k 1 -k 2 -k 5 --seed 3"),
        ("--k 1 2 qa", "--k 1 --k 2 qa"),
        ("qa --retriever bm25 tfidf -k 3", "qa --retriever bm25 --retriever tfidf -k 3"),
        ("--retriever bm25 qa", "--retriever bm25 qa"),
        ("qa --seed 1 2", "qa --seed 1 2"),
        ("-k 1 -- 2", "-k 1 -- 2"),
    ],
)
def test_several_values_may_follow_one_option(typed: str, spread: str) -> None:
    app = typer.Typer()

    @app.command()
    def command(
        task: str,
        k: Annotated[list[str], typer.Option("--k", "-k")],
        retriever: Annotated[list[str], typer.Option()],
        seed: int = 0,
    ) -> None:
        pass

    assert one_value_each(typed.split(), typer.main.get_command(app).params) == spread.split()
