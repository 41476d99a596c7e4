"""The ways in which `versus` has a model read documents, as cells of an ablation: each is an ordinary run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import chunkers
import retrievers
from longdoc.arguments import several
from longdoc.descriptions import typed_form
from longdoc.errors import UserError, unknown
from pipelines import strategies
from pipelines.engine.planning.budget import Budget
from pipelines.engine.planning.options import check_values
from pipelines.engine.planning.selection_plan import BEST
from pipelines.plugins.versus.finished_conditions import CLOSED, WHOLE
from pipelines.results.run_folders.schema import Kind
from pipelines.tasks import Task
from pipelines.tasks.own_data import RETRIEVER

OverWindow = Literal["cut", "skip"]
OVER_WINDOW = ("cut", "skip")
BUDGETS = ("300 words", "1000 words", "3000 words")  # the default
PASSAGES = "tokens:size=100"  # the default where neither task nor retriever splits documents
RETRIEVAL_ARGUMENTS = ("chunker", "order", "query")  # arguments that are for retrieval alone
ORACLE = "oracle:of=evidence"


@dataclass(frozen=True, slots=True)
class RequestedCondition:
    """A way to read the documents that has to be asked: a cell of the ablation."""

    name: str
    kind: Kind
    arguments: Mapping[str, Any]
    line: str = ""
    amount: str = ""


def requested_conditions(
    task: Task,
    retriever: Any,
    amounts: Mapping[str, Mapping[str, Any]],
    over_window: str,
    arguments: Mapping[str, Any],
    further_strategies: Any = None,
) -> list[RequestedCondition]:
    """The whole document, closed book, and each retriever, the oracle last, at each budget. Raises `UserError`.

    `amounts` are those of `selected_amounts`; 300, 1,000 and 3,000 words where there are none. `arguments` are further
    ones of a run; those on how passages are selected are for retrieval alone. `further_strategies` that search run with
    each retriever and budget, others over all passages.
    """
    if over_window not in OVER_WINDOW:
        raise unknown("over_window", over_window, OVER_WINDOW)
    retrieval_arguments = {
        name: value for name, value in arguments.items() if name in RETRIEVAL_ARGUMENTS and value is not None
    }
    shared = {name: value for name, value in arguments.items() if name not in RETRIEVAL_ARGUMENTS}
    whole = {"retriever": "all", "chunker": "uncut" if over_window == "skip" else _whole_chunker(task)}
    amounts = amounts or selected_amounts(budget=BUDGETS)
    rankers = several(retriever, "retriever") or [RETRIEVER if task.dataset.has_query else "first"]
    lines: list[tuple[Kind, Any, str]] = [("retrieval", ranker, _typed_name(ranker)) for ranker in rankers]
    lines.append(("oracle", ORACLE, "oracle"))
    conditions = [RequestedCondition(WHOLE, "whole", {**shared, **whole})]
    for kind, ranker, line in lines:
        for amount, selected in amounts.items():
            selection = {
                "chunker": _passage_chunker(task, ranker),
                **retrieval_arguments,
                "retriever": ranker,
                **selected,
            }
            conditions.append(RequestedCondition(f"{line}, {amount}", kind, {**shared, **selection}, line, amount))
    for strategy in several(further_strategies, "strategies"):
        retrieval = [condition for condition in conditions if condition.kind == "retrieval"]
        conditions += _strategy_conditions(task, strategy, retrieval, {**shared, **retrieval_arguments})
    conditions.append(RequestedCondition(CLOSED, "closed book", {**shared, "retriever": "none"}))
    names = [condition.name for condition in conditions]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"{repeated} is given twice: leave one out")
    return conditions


def _typed_name(component: Any) -> str:
    """A component as it is typed."""
    return str(typed_form(component))


def _strategy_conditions(
    task: Task, strategy: Any, retrieval: Sequence[RequestedCondition], arguments: Mapping[str, Any]
) -> list[RequestedCondition]:
    """The conditions of a strategy: one for each of retrieval if it searches, else one over all passages in order."""
    name = _typed_name(strategy)
    if strategies.get(strategy).searches:
        return [
            replace(
                condition,
                name=f"{name}, {condition.name}",
                kind="other",
                arguments={**condition.arguments, "strategy": strategy},
                line=f"{name}, {condition.line}",
            )
            for condition in retrieval
        ]
    fields = {**arguments, "chunker": arguments.get("chunker") or _passage_chunker(task, "all"), "retriever": "all"}
    return [RequestedCondition(name, "other", {**fields, "strategy": strategy})]


def _whole_chunker(task: Task) -> str:
    """The chunker for whole documents: the task's own, which says how they are cut, if it reads whole documents."""
    return task.chunker if chunkers.get(task.chunker).single_chunk else "whole"


def _passage_chunker(task: Task, ranker: Any) -> Any:
    """The default chunker for retrieval: the task's, or passages of 100 words where the task reads whole documents.

    None for a retriever that brings its own.
    """
    if ranker == BEST or retrievers.get(ranker).chunker:
        return None
    return PASSAGES if chunkers.get(task.chunker).single_chunk else task.chunker


def selected_amounts(k: Any = None, budget: Any = None) -> dict[str, dict[str, Any]]:
    """The arguments that set how much is selected, by name: `k=5`, `300 words`; may be empty. Raises `UserError`."""
    numbers, budgets = several(k, "k"), several(budget, "budget")
    for number in numbers:  # before the whole document is asked, which costs most
        check_values({"k": number})
    return {
        **{f"k={number}": {"k": number} for number in numbers},
        **{str(Budget.of(typed)): {"budget": typed} for typed in budgets},
    }
