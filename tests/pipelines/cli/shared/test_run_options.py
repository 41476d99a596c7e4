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


def arguments_of(command: str, *words: str, axes: bool = False) -> dict[str, Any]:
    """The arguments that a command gets."""
    received: dict[str, Any] = {}

    @takes_run_options(command, axes=axes)
    def fake_command(arguments: Mapping[str, Any], own: bool = False) -> None:
        received.update(arguments)

    app = typer.Typer()
    app.command()(fake_command)
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return received


def test_only_typed_arguments_are_passed() -> None:
    assert arguments_of("run") == {}
    assert arguments_of("run", "--k", "3", "-m", "extractive", "--go-on", "--metric", "f1", "--metric", "rouge") == {
        "k": 3, "model": "extractive", "go_on": True, "metrics": ["f1", "rouge"],
    }  # fmt: skip


def test_fields_of_a_model_stand_behind_its_name_or_alone() -> None:
    for model in ("google/flan-t5-base,dtype=bf16,options={low_cpu_mem_usage:true}", "device=cpu,dtype=fp32"):
        assert arguments_of("run", "--model", model) == {"model": model}
    models = "google/flan-t5-base,dtype=bf16,lead,flan-t5-small,device=cpu"
    assert arguments_of("ablate", "--model", models, axes=True) == {
        "model": ["google/flan-t5-base,dtype=bf16", "lead", "flan-t5-small,device=cpu"],
    }  # fmt: skip


def test_several_values_are_an_axis() -> None:
    assert arguments_of("ablate", "--k", "1,2", "--k", "5", "--chunker", "tokens", axes=True) == {
        "k": [1, 2, 5], "chunker": "tokens",
    }  # fmt: skip
    with pytest.raises(UserError, match="--max-new-tokens takes whole numbers, as in 1,2,5; got many"):
        arguments_of("ablate", "--max-new-tokens", "many", axes=True)


def test_a_command_takes_no_option_of_another() -> None:
    with pytest.raises(AssertionError, match="No such option"):
        arguments_of("ask", "--limit", "3")


def test_components_and_words_are_lists_with_commas_too() -> None:
    words = ("--retriever", "hybrid:[bm25,tfidf],tfidf", "--retriever", "bm25",
             "--chunker", "tokens:size=100,stride=50", "--model", "lead,openai:gpt-4o,window=8192",
             "--set", "order=score,document", "--budget", "100 words,300 tokens",
             "--metric", "f1,rouge-l", "--prompt", "{query}, {document}", "--data", "a,b")  # fmt: skip
    assert arguments_of("ablate", *words, axes=True) == {
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
    assert arguments_of("ablate", "--model", "a,b", "--model", "c,d", axes=True) == {"model": ["a,b", "c", "d"]}


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
        arguments_of("run", flag, value)
    assert str(error.value) == (
        f"{name} takes one value here, got 2: {shown}; longdoc ablate compares several ({name} {shlex.quote(value)})"
    )


def test_an_invalid_number_is_named() -> None:
    with pytest.raises(UserError, match="--k takes a whole number, got 'many'"):
        arguments_of("run", "-k", "many")


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
