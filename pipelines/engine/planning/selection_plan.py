"""How a document is split, and which of its chunks a prompt holds in which order."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import chunkers
import models
import retrievers
from longdoc.errors import UserError
from longdoc.registry import name_of
from pipelines import strategies, tasks
from pipelines.engine.planning.argument_types import Order, Query
from pipelines.engine.planning.run_arguments import PlanArguments
from pipelines.engine.planning.selection_budget import SelectionBudget, selection_budget

BEST = "best"  # the preset of retrieval that the task declares


def selects_nothing(options: PlanArguments) -> bool:
    """Whether no argument says which parts of a document are read."""
    return all(value is None for value in (options["chunker"], options["budget"], options["k"], options["select"]))


@dataclass(frozen=True, slots=True)
class Selection:
    """How many of a document's chunks a prompt holds, in which order.

    `select` bounds the selected text, in place of `k` and `budget`; with `fit` there are as many chunks as fit the
    prompt, the last one cut. `query` is what chunks are ranked by instead of the question.
    """

    k: int | None
    budget: int | None
    select: SelectionBudget | None
    order: Order
    query: Query | None = None
    fit: bool = False


def chosen_selection(
    task: tasks.Task, options: PlanArguments, strategy: strategies.Strategy
) -> tuple[chunkers.Chunker, retrievers.Retriever, Selection]:
    """The chunker, the retriever and how much is selected: given, else the task's own. Raises `UserError`."""
    select = selection_budget(options["select"], options["fill"])
    chunker, retriever = _chunker_and_retriever(task, options)
    retriever = seeded(retriever, options["seed"])
    if strategy.searches and retriever.query_source != "query":
        problem = f"the strategy {name_of(strategy)} searches again with another query"
        raise UserError(f"{problem}, and the retriever {name_of(retriever)} is asked with none: retriever='bm25'")
    if select is not None and select.beyond is not None:
        _check_auto(retriever, strategy)
    usual_value: Order = "document" if select is not None or not retriever.takes_k else task.order
    order = options["order"] or usual_value
    if order not in ("score", "document"):
        raise UserError(f'order must be "score" or "document", got {order!r}')
    k = options["k"]
    if (k is not None or select is not None) and not retriever.takes_k:
        bound = f"k={k}" if k is not None else f"select={options['select']!r}"
        ranker = "best" if task.dataset.has_query else "first"
        hint = f"use retriever={ranker!r} or drop {bound.partition('=')[0]}"
        raise UserError(f"this retriever takes every chunk, so {bound} cannot hold; {hint}")
    if k is None and options["budget"] is None and select is None and retriever.takes_k:
        k = task.k
    return chunker, retriever, Selection(k, options["budget"], select, order, options["query"])


def _check_auto(retriever: retrievers.Retriever, strategy: strategies.Strategy) -> None:
    """Raises `UserError` where nobody can say what is worth reading."""
    if retriever.calibration is None:
        raise UserError(
            f"select='auto' needs a retriever that says how likely a passage is evidence, and {name_of(retriever)} "
            "does not: longdoc train TASK --model evidence_ranker --out FOLDER, then retriever=FOLDER"
        )
    if strategy.searches or strategy.selections > 1:
        raise UserError(f"select='auto' is for one search, and {name_of(strategy)} makes several: select=300")


def _chunker_and_retriever(task: tasks.Task, options: PlanArguments) -> tuple[chunkers.Chunker, retrievers.Retriever]:
    """The given ones, else the task's. A given retriever brings the chunker it is made for (`Retriever.chunker`).

    A recipe that reads whole documents selects with `best` where `select` is given alone.
    """
    spec = options["retriever"]
    if spec is None and options["select"] is not None and options["chunker"] is None and _is_whole(task):
        spec = BEST
    if spec is None:
        chunker = chunkers.get(options["chunker"] or task.chunker)
        spec = "all" if chunker.single_chunk and options["k"] is None and options["select"] is None else task.retriever
        return chunker, _checked_retriever(task, retrievers.get(spec), options)
    retriever = retrievers.get(_task_default(task, spec))
    wanted_value = options["chunker"] or retriever.chunker or task.chunker
    return chunkers.get(wanted_value), _checked_retriever(task, retriever, options)


def _task_default(task: tasks.Task, spec: Any) -> Any:
    """The retriever, with the task's preset in place of `best`: "best", "best:encoder=none", {"name": "best"}."""
    preset = f"evidence:{task.evidence or 'general'}"
    if isinstance(spec, str):
        name, colon, arguments = spec.partition(":")
        return preset + colon.replace(":", ",") + arguments if name == BEST else spec
    return {**spec, "name": preset} if isinstance(spec, Mapping) and spec.get("name") == BEST else spec


def _is_whole(task: tasks.Task) -> bool:
    return not retrievers.get(task.retriever).takes_k


def _checked_retriever(
    task: tasks.Task, retriever: retrievers.Retriever, options: PlanArguments
) -> retrievers.Retriever:
    query, central = options["query"], retriever.ranks_by_centroid
    if query not in (None, "centroid"):
        raise UserError(f'query must be "centroid" or left out (then it is the example\'s question), got {query!r}')
    if query and not central:
        raise UserError(
            f"the retriever {name_of(retriever)} cannot rank by the document's centroid: retriever='tfidf', 'bm25', "
            f"'dense' or a hybrid of these, or leave query= out"
        )
    if retriever.query_source == "query" and not task.dataset.has_query and not query:
        hint = "query='centroid' or retriever='first'" if central else "retriever='first'"
        raise UserError(f"{task.name} asks no question, so a retriever that ranks by one cannot work: {hint}")
    return retriever


def seeded(component: Any, seed: int) -> Any:
    """A component whose field `seed` is None takes the run's, save readers in which nothing is random."""
    if isinstance(component, models.Reader) and not component.is_random:
        return component
    if component.seed is None and dataclasses.is_dataclass(component):
        return replace(cast(Any, component), seed=seed)
    return component
