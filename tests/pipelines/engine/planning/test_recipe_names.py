"""A bare name that a recipe uses keeps the recipe's arguments; `NAME:` has the component's own."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.ablations.cells import plan_cells
from pipelines.ablations.grid import Grid, parameter_grid
from pipelines.engine.planning.options import planned_arguments
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import recipe_of, spec_of
from pipelines.records import Document, Example
from pipelines.tasks import Task

ROWS = [Example("1", Document("a", "One. Two. Three."), "Which?", ("One",))]


@pytest.mark.parametrize(
    ("task", "argument", "name", "recipe", "own"),
    [
        ("narrativeqa", "retriever", "tfidf", "tfidf:token_pattern=scikit-learn", "tfidf"),
        ("opensubtitles", "strategy", "map", "map:keep_lines=true", "map"),
        ("vlsp", "chunker", "sections", "sections:level=1,keep=body", "sections"),
    ],
)
def test_a_bare_name_of_the_recipe_is_the_recipe_s_component(
    task: str, argument: str, name: str, recipe: str, own: str
) -> None:
    def plan(**arguments: Any) -> Plan:
        return make_plan(task, data=ROWS, model="extractive", **arguments)

    assert spec_of(plan(**{argument: name})) == spec_of(plan()) == spec_of(plan(**{argument: recipe}))
    assert spec_of(plan(**{argument: f"{own}:"})) == spec_of(plan(**{argument: {"name": own}}))
    assert spec_of(plan(**{argument: f"{own}:"})) != spec_of(plan())


def test_the_line_of_the_recipe_shows_which_one_it_is() -> None:
    lines = [recipe_of(make_plan("narrativeqa", data=ROWS, model="extractive", retriever=name))
             for name in ("tfidf", "tfidf:", "bm25")]  # fmt: skip
    assert lines == [
        "tokens:200 → tfidf:token_pattern=scikit-learn k=10 → stuff → extractive",
        "tokens:200 → tfidf k=10 → stuff → extractive",
        "tokens:200 → bm25 k=10 → stuff → extractive",
    ]


def test_a_bare_model_of_the_recipe_keeps_the_recipe_s_arguments() -> None:
    task = Task(name="own", summary="", metrics=("f1",), max_new_tokens=8, model="naive:words=2")
    readers = [make_plan(task, data=ROWS, model=name).reader for name in (None, "naive", "naive:")]
    assert readers[0] == readers[1] != readers[2]


def test_cells_of_an_ablation_with_a_bare_name_are_the_recipe_s(tmp_path: Path) -> None:
    axes = {"data": ROWS, "model": "extractive", "retriever": ["tfidf", "tfidf:"]}
    cells = parameter_grid(planned_arguments(), Grid(), axes).cells()
    planned = plan_cells(cells, lambda arguments: make_plan("narrativeqa", **arguments), tmp_path)
    assert [(cell.settings.name, cell.recipe) for cell in planned] == [
        ("retriever=tfidf", "tokens:200 → tfidf:token_pattern=scikit-learn k=10 → stuff → extractive"),
        ("retriever=tfidf:", "tokens:200 → tfidf k=10 → stuff → extractive"),
    ]
