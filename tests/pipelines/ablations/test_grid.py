"""What varies: axes, variants, files, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from longdoc.descriptions import typed_form
from longdoc.errors import UserError
from pipelines.ablations.grid import Grid, parameter_grid
from pipelines.records import Document, Example
from retrievers.bm25 import Bm25

ARGUMENT_NAMES = {"data", "k", "retriever", "chunker", "model", "metrics", "seed"}


def cells(grid: Grid | None = None, **arguments: Any) -> list[Any]:
    return list(parameter_grid(ARGUMENT_NAMES, grid or Grid(), arguments).cells())


def test_a_list_given_to_a_scalar_argument_is_an_axis_and_the_last_runs_fastest() -> None:
    grid_cells = cells(k=[1, 2], retriever=["tfidf", "bm25"], model="extractive")
    assert [cell.name for cell in grid_cells] == [
        "k=1, retriever=tfidf", "k=1, retriever=bm25", "k=2, retriever=tfidf", "k=2, retriever=bm25",
    ]  # fmt: skip
    assert grid_cells[3].arguments == {"k": 2, "retriever": "bm25", "model": "extractive"}
    assert grid_cells[3].values == {"k": 2, "retriever": "bm25"}


def test_a_range_is_an_axis() -> None:
    assert parameter_grid({"k"}, Grid(), {"k": range(1, 4)}).labels == {"k": [1, 2, 3]}


def test_the_size_is_known_without_making_cells() -> None:
    grid = parameter_grid(ARGUMENT_NAMES, Grid(), {"k": list(range(100)), "seed": list(range(100))})
    assert str(grid) == "k (100) × seed (100) = 10,000 cells"


def test_lists_of_metrics_and_of_examples_are_not_axes() -> None:
    example = Example("a", Document("d", "text"))
    (first, _) = cells(metrics=["f1", "rouge"], data=[example], k=[1, 2])
    assert first.arguments == {"metrics": ["f1", "rouge"], "data": [example], "k": 1}
    assert [cell.name for cell in cells(data=["a.jsonl", Path("b.jsonl")])] == ["data=a.jsonl", "data=b.jsonl"]


def test_components_are_named_as_they_are_typed() -> None:
    names = [cell.name for cell in cells(retriever=[{"name": "bm25", "b": 0.5}, "hybrid:[bm25,tfidf]", "first"])]
    assert names == ["retriever=bm25:b=0.5", "retriever=hybrid:[bm25,tfidf]", "retriever=first"]
    assert typed_form(Bm25(b=0.5)).startswith("bm25:")
    assert typed_form(None) is None


def test_variants_are_combined_with_the_axes() -> None:
    grid = Grid([{"name": "paper"}, {"name": "ours", "retriever": "bm25"}])
    grid_cells = cells(grid, k=[1, 2])
    assert [cell.name for cell in grid_cells] == ["paper, k=1", "paper, k=2", "ours, k=1", "ours, k=2"]
    assert grid_cells[2].arguments == {"retriever": "bm25", "k": 1}
    assert parameter_grid(ARGUMENT_NAMES, grid, {"k": [1, 2]}).labels == {"variant": ["paper", "ours"], "k": [1, 2]}


def test_a_grid_is_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(
        "task: narrativeqa\nmodel: extractive\nk: [1, 5]\nbaseline: lead, k=1\n"
        "variants:\n  - name: lead\n    retriever: first\n  - {name: ours, retriever: bm25}\n",
        encoding="utf-8",
    )
    grid = Grid.read(file)
    assert (grid.task, grid.baseline, grid.primary_metric) == ("narrativeqa", "lead, k=1", None)
    assert [cell.name for cell in cells(grid)] == ["lead, k=1", "lead, k=5", "ours, k=1", "ours, k=5"]
    assert cells(grid)[0].arguments == {"model": "extractive", "retriever": "first", "k": 1}
    assert len(cells(grid, k=7)) == 2  # what is given by hand takes the file's place


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({}, "nothing varies: give a list to an argument", id="nothing varies"),
        pytest.param({"k": []}, "k=[] has no value", id="an empty axis"),
        pytest.param({"k": [1, 1]}, "k has the value 1 twice", id="a value twice"),
        pytest.param({"chunkr": ["tokens"]}, "chunker", id="an unknown argument"),
    ],
)
def test_an_invalid_grid_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as error:
        cells(**arguments)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("variants", "arguments", "message"),
    [
        pytest.param([{"k": 1}], {}, "a variant must be a mapping with a name", id="no name"),
        pytest.param(["paper"], {}, "a variant must be a mapping with a name", id="no mapping"),
        pytest.param([{"name": "a"}, {"name": "a"}], {}, "two variants are called 'a'", id="a name twice"),
        pytest.param([{"name": "a", "k": 1}], {"k": [1, 2]}, "sets k, which is an axis too", id="axis and variant"),
        pytest.param([{"name": "a", "k": [1, 2]}], {}, "has a list for k", id="a list in a variant"),
        pytest.param([{"name": "a", "kk": 1}], {}, "unknown argument 'kk'", id="an unknown argument"),
    ],
)
def test_invalid_variants_are_refused(variants: list[Any], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as error:
        cells(Grid(variants), **arguments)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("k: [1", "is not valid YAML", id="broken"),
        pytest.param("- 1", "must hold a mapping", id="a list"),
        pytest.param("variants: 5", "variants must be a list", id="variants of another kind"),
    ],
)
def test_a_file_without_a_grid_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        Grid.read(file)
    with pytest.raises(UserError, match=r"there is no .absent.yaml. in"):
        Grid.read(tmp_path / "absent.yaml")
