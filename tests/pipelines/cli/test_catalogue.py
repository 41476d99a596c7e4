"""`longdoc list components NAME` and `longdoc list tasks NAME`."""

import json

import pytest
from typer.testing import CliRunner

import chunkers
from longdoc.errors import UserError
from pipelines.cli.main import app
from pipelines.cli.shared import details

ROW = {"short_for": None, "parameters": {}}


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("kind", ["chunkers", "chunker"])
def test_a_kind_lists_its_components_alone(kind: str) -> None:
    lines = printed("list", "components", kind).splitlines()
    assert lines[0] == "chunkers"
    assert "  sentences" in {line[:11] for line in lines}
    assert "retrievers" not in lines


def test_the_models_of_the_option_are_the_readers() -> None:
    assert printed("list", "components", "models") == printed("list", "components", "readers")


def test_a_component_is_shown_with_docstring_types_and_defaults() -> None:
    shown = printed("list", "components", "bm25")
    assert shown.startswith("retriever bm25\n\nRanks chunks by BM25; defaults are Lucene's.\n\n")
    assert "`stem` names a language of the Snowball stemmers" in shown
    rows = [line.split() for line in shown.splitlines() if line.startswith("  ")]
    assert ["k1", "float", "1.2"] in rows
    assert ["stem", "str", "or", "None", "null"] in rows


def test_a_preset_says_what_it_is_short_for_and_a_name_of_two_kinds_shows_both() -> None:
    preset = printed("list", "components", "flan-t5-base")
    assert preset.startswith("reader flan-t5-base, short for seq2seq:model=google/flan-t5-base,max_input_tokens=8192\n")
    both = printed("list", "components", "mentions")
    assert [line for line in both.splitlines() if line.endswith(" mentions")] == [
        "chunker mentions",
        "retriever mentions",
    ]


def test_json_of_a_component_has_docstring_and_types() -> None:
    (row,) = json.loads(printed("list", "components", "sentences", "--json"))["chunkers"].values()
    assert row["types"]["size"] == "int"
    assert row["docstring"].startswith(row["summary"][:20])
    assert json.loads(printed("list", "components", "t5", "--json"))["prompts"]["t5"]["parameters"] == {}


def test_prompts_are_listed_with_their_words_and_source() -> None:
    assert "question: {query} context: {document}" in printed("list", "components", "prompts")
    assert "Raffel et al. 2020" in printed("list", "components", "t5")


def test_a_benchmark_lists_its_tasks_and_a_task_is_shown_whole() -> None:
    names = json.loads(printed("list", "tasks", "scrolls", "--json"))
    assert len(names) == 7
    assert all(name.startswith("scrolls/") for name in names)
    assert set(json.loads(printed("list", "tasks", "qmsum", "--json"))) == {
        "scrolls/qmsum", "zero_scrolls/qmsum", "longbench/qmsum",
    }  # fmt: skip
    shown = printed("list", "tasks", "narrativeqa")
    assert shown.startswith("task narrativeqa\n\nquestions about whole books and film scripts\n")
    assert "  data          ghomasHudson/muld (train, validation, test)\n" in shown
    assert "\nThe paper gives no output length and no prompt; both are longdoc's.\n" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("list", "components", "bm52"), "unknown component 'bm52'; did you mean bm25?"),
        (("list", "components", "retreiver"), "unknown component 'retreiver'; did you mean retrievers"),
        (("list", "tasks", "narrativqa"), "unknown task 'narrativqa'; did you mean narrativeqa"),
        (("list", "tasks", "scrols"), "unknown task 'scrols'; did you mean scrolls"),
    ],
)
def test_an_unknown_name_gets_the_nearest(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError) as error:
        printed(*arguments)
    assert str(error.value).startswith(message)


def test_on_a_terminal_paragraphs_and_items_flow() -> None:
    shown = details.component(chunkers.registry, "tokens", {"docstring": "One\ntwo.\n\n- three\n  four\n- five", **ROW})
    assert shown.flowing == "One two.\n\n- three four\n- five"
