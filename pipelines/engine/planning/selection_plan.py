"""The chunker, the retriever and the selection of a run: which chunks a prompt holds, and in which order."""

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
from pipelines.engine.planning.budget import Budget
from pipelines.engine.planning.run_options import PlanOptions

BEST = "best"  # the retriever "evidence" with the preset that the task declares


def selects_nothing(options: PlanOptions) -> bool:
    """Whether no argument says which parts of a document are read."""
    return all(value is None for value in (options["chunker"], options["budget"], options["k"]))


@dataclass(frozen=True, slots=True)
class Selection:
    """How many of a document's chunks a prompt holds, and in which order.

    `budget` takes the place of `k`; with `fit` there are as many chunks as fit the prompt, the last one shortened.
    Chunks are ranked by `query` instead of the question.
    """

    k: int | None
    budget: Budget | None
    order: Order
    query: Query | None = None
    fit: bool = False

    def record(self) -> dict[str, Any]:
        """The fields for a run's spec; `fit` and `query` only where they are set."""
        return {
            "k": self.k,
            "budget": None if self.budget is None else str(self.budget),
            "order": self.order,
            **({"fit": True} if self.fit else {}),
            **({"query": self.query} if self.query else {}),
        }

    @property
    def bounded(self) -> bool:
        """Whether a number or a budget says how much is selected."""
        return self.k is not None or self.budget is not None

    @property
    def words(self) -> int | None:
        """The budget in words of selected text, None without one."""
        return self.budget.amount if self.budget is not None and self.budget.unit == "words" else None

    @property
    def tokens(self) -> int | None:
        """The budget in tokens of the prompt, None without one."""
        return self.budget.amount if self.budget is not None and self.budget.unit == "tokens" else None


def chosen_selection(
    task: tasks.Task, options: PlanOptions, strategy: strategies.Strategy
) -> tuple[chunkers.Chunker, retrievers.Retriever, Selection]:
    """The chunker, the retriever and the selection of the options, else of the task. Raises `UserError`."""
    budget = None if options["budget"] is None else Budget.of(options["budget"])
    in_words = budget is not None and budget.unit == "words"
    chunker, retriever = _chunker_and_retriever(task, options, in_words)
    retriever = seeded(retriever, options["seed"])
    if strategy.searches and retriever.query_source != "query":
        problem = f"the strategy {name_of(strategy)} searches again with other queries"
        raise UserError(f"{problem}, which the retriever {name_of(retriever)} does not take: give retriever='bm25'")
    default_order: Order = "document" if in_words or not retriever.takes_k else task.order
    order = options["order"] or default_order
    if order not in ("score", "document"):
        raise UserError(f'order must be "score" or "document", got {order!r}')
    k = options["k"]
    if (k is not None or in_words) and not retriever.takes_k:
        bound = f"k={k}" if k is not None else f"budget='{budget}'"
        ranker = "best" if task.dataset.has_query else "first"
        hint = f"give retriever={ranker!r}, or leave {bound.partition('=')[0]}= out"
        raise UserError(f"this retriever selects every chunk, so {bound} has no effect: {hint}")
    if k is None and budget is None and retriever.takes_k:
        k = task.k
    return chunker, retriever, Selection(k, budget, order, options["query"])


def _chunker_and_retriever(
    task: tasks.Task, options: PlanOptions, in_words: bool
) -> tuple[chunkers.Chunker, retrievers.Retriever]:
    """The chunker and the retriever of the options, else of the task. A retriever may bring its own `chunker`.

    The task's own retriever ranks the task's own chunks, typed or not, unless a budget `in_words` has to be filled. A
    recipe that reads whole documents selects with `best` where such a budget is given alone.
    """
    spec = options["retriever"]
    if spec is None and in_words and options["chunker"] is None and _reads_whole(task):
        spec = BEST
    if spec is None:
        chunker = chunkers.get(options["chunker"] or task.chunker)
        if chunker.single_chunk and options["k"] is None and not in_words:
            return chunker, _checked_retriever(task, retrievers.get("all"), options)
        spec = task.retriever
    retriever = retrievers.get(_with_preset(task, spec))
    own_chunker = "" if spec == task.retriever and not in_words else retriever.chunker
    chunker = chunkers.get(options["chunker"] or own_chunker or task.chunker)
    return chunker, _checked_retriever(task, retriever, options)


def _with_preset(task: tasks.Task, spec: Any) -> Any:
    """The spec of a retriever, with the task's preset in place of "best", as in "best:encoder=none"."""
    preset = f"evidence:{task.evidence or 'general'}"
    if isinstance(spec, str):
        name, colon, arguments = spec.partition(":")
        return preset + colon.replace(":", ",") + arguments if name == BEST else spec
    return {**spec, "name": preset} if isinstance(spec, Mapping) and spec.get("name") == BEST else spec


def _reads_whole(task: tasks.Task) -> bool:
    """Whether the task's recipe reads whole documents."""
    return not retrievers.get(task.retriever).takes_k


def _checked_retriever(task: tasks.Task, retriever: retrievers.Retriever, options: PlanOptions) -> retrievers.Retriever:
    """The retriever. Raises `UserError` where it does not go with `query`, or with a task without questions."""
    query, has_centroid = options["query"], retriever.ranks_by_centroid
    if query not in (None, "centroid"):
        raise UserError(f'query must be "centroid" or left out (then it is the example\'s question), got {query!r}')
    if query and not has_centroid:
        raise UserError(
            f"the retriever {name_of(retriever)} cannot rank by the document's centroid: give retriever='tfidf', "
            "'bm25', 'dense' or a hybrid of these, or leave query= out"
        )
    if retriever.query_source == "query" and not task.dataset.has_query and not query:
        hint = "query='centroid' or retriever='first'" if has_centroid else "retriever='first'"
        raise UserError(f"{task.name} asks no question that a retriever could rank by: give {hint}")
    return retriever


def seeded(component: Any, seed: int) -> Any:
    """The component with the run's seed in place of None, unless it is a reader in which nothing is random."""
    if isinstance(component, models.Reader) and not component.is_random:
        return component
    if component.seed is None and dataclasses.is_dataclass(component):
        return replace(cast(Any, component), seed=seed)
    return component
