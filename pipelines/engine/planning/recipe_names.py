"""Bare names of components that a task's recipe uses: they stand for the recipe's form of the component.

On `narrativeqa` "tfidf" is the TF-IDF of its recipe. `NAME:` is the component with its own defaults.
"""

from typing import Any

import chunkers
import models
import retrievers
from longdoc.registry import Registry
from pipelines import strategies, tasks
from pipelines.engine.planning.options import changed_plan
from pipelines.engine.planning.run_arguments import PlanArguments


def with_recipe_forms(task: tasks.Task, options: PlanArguments) -> PlanArguments:
    """The options with the recipe's arguments for each component that is given by a bare name the recipe uses."""
    floor = options["model"] == "floor"
    return changed_plan(
        options,
        chunker=_form(options["chunker"], task.floor_chunker if floor else task.chunker, chunkers.registry),
        retriever=_form(options["retriever"], task.retriever, retrievers.registry),
        strategy=_form(options["strategy"], task.floor_strategy if floor else task.strategy, strategies.registry),
        model=_form(options["model"], task.model, models.registry),
    )


def _form(spec: Any, recipe: Any, registry: Registry[Any]) -> Any:
    """The recipe where it is `spec` with arguments, else `spec`. A module's name alone is no component's."""
    if not (isinstance(spec, str) and isinstance(recipe, str) and recipe.startswith(f"{spec}:")):
        return spec
    return recipe if ":" in spec or spec in registry.names() else spec
