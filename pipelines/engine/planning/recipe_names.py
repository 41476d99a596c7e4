"""Bare names of components that a task's recipe uses stand for the component with the recipe's arguments.

On `narrativeqa` "tfidf" is the TF-IDF of its recipe. `NAME:` is the component with its own defaults.
"""

from typing import Any

import chunkers
import models
import retrievers
from longdoc.registry import Registry
from pipelines import strategies, tasks
from pipelines.engine.planning.options import with_values
from pipelines.engine.planning.run_options import PlanOptions


def with_recipe_forms(task: tasks.Task, options: PlanOptions) -> PlanOptions:
    """The options, where a bare name that the recipe uses becomes the recipe's spec with its arguments."""
    is_floor = options["model"] == "floor"
    return with_values(
        options,
        chunker=_form(options["chunker"], task.floor_chunker if is_floor else task.chunker, chunkers.registry),
        retriever=_form(options["retriever"], task.retriever, retrievers.registry),
        strategy=_form(options["strategy"], task.floor_strategy if is_floor else task.strategy, strategies.registry),
        model=_form(options["model"], task.model, models.registry),
    )


def _form(spec: Any, recipe: Any, registry: Registry[Any]) -> Any:
    """The recipe's spec where it is `spec` with arguments, else `spec`, which need not be a component's name."""
    if not (isinstance(spec, str) and isinstance(recipe, str) and recipe.startswith(f"{spec}:")):
        return spec
    return recipe if ":" in spec or spec in registry.names() else spec
