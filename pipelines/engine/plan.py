"""Turn the arguments of a run into components that fit together, before any data is read.

What was given is never silently ignored: an argument that a component cannot take is refused by name.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import chunkers
import models
import retrievers
from longdoc.errors import UserError, unknown
from longdoc.registry import describe, name_of
from longdoc.whole_numbers import check_whole
from models.prompts import Prompt
from models.requests import prompt_limit
from pipelines import metrics, sources, strategies, tasks
from pipelines.engine._reader import check_whole_documents, check_window, length_of, reader_of
from pipelines.records import Document, Example
from pipelines.strategies._row_prompt import FORMS, RowPrompt
from pipelines.strategies._template import Template
from pipelines.tasks.scrolls import chat_advice, chat_form
from pipelines.tasks.zero_scrolls import own_instruction, row_prompt

BOUNDLESS = 1_000_000_000  # tokens: more than any document has
WORDS = 512  # of a chunk where neither chunker nor reader sets a size
ARGUMENTS = frozenset({
    "data", "split", "limit", "sample", "chunker", "retriever", "k", "budget", "query", "order", "strategy", "model",
    "prompt", "metrics", "max_new_tokens", "max_input_tokens", "device", "dtype", "deterministic", "revision", "seed",
    "model_options",
})  # fmt: skip  # of a run, save where and by which engine
JOINT = 2  # tokens that may arise where the prompt's words and a chunk meet


@dataclass(frozen=True, slots=True)
class Plan:
    """A run with every component made and every default filled."""

    task: tasks.Task
    data: sources.Dataset
    opened: Callable[[str], sources.Dataset]  # another split of the same data
    split: str
    chunker: chunkers.Chunker
    chunker_record: Mapping[str, Any]
    retriever: retrievers.Retriever
    k: int | None
    budget: int | None
    order: Literal["score", "document"]
    strategy: strategies.Strategy
    reader: models.Reader
    template: Template | RowPrompt
    length: int
    metrics: Mapping[str, Any]
    limit: int | None
    sample: int | None
    seed: int
    query: Literal["centroid"] | None = None  # what chunks are ranked by instead of the question
    where: Mapping[str, Any] = field(default_factory=dict)  # the data's place, which decides no number

    @property
    def window(self) -> int | None:
        """The reader's bound on a prompt: its limit, less the room for the output where both share one window."""
        return prompt_limit(self.reader, self.length)

    @property
    def max_input_tokens(self) -> int | None:
        """The bound on a prompt: the reader's, lowered by a truncating chunker's and by the budget."""
        return min((bound for bound in (self.window, self.whole) if bound is not None), default=None)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What its data and its choices warn of."""
        return (*dict.fromkeys(self.data.warnings), *filter(None, [self.advice]))

    @property
    def advice(self) -> str | None:
        """The prompt to take instead, where this one asks a chat model nothing."""
        bare = isinstance(self.template, Template) and self.template.text == self.task.prompt
        return chat_advice(self.task.name) if bare and getattr(self.reader, "chats", False) else None

    @property
    def whole(self) -> int | None:
        """The bound without the reader's, for prompts that it reads in windows."""
        bounds = (self.chunker.max_input_tokens, self.budget)
        return min((bound for bound in bounds if bound is not None), default=None)


def make_plan(task: Any, **given: Any) -> Plan:
    """The plan for `pipelines.run`'s arguments; `None` everywhere means the task's own recipe. Raises `UserError`."""
    chosen = tasks.get(task)
    check_counts(given)
    given = _with_baseline(chosen, given)
    if given.get("data") is None and not chosen.dataset.files:
        raise UserError(f"{chosen.name} has no published files: it runs on your own, data=FILE or FOLDER")
    chunker = chunkers.get(given.get("chunker") or chosen.chunker)
    retriever = _seeded(_retriever(chosen, chunker, given), given["seed"])
    strategy = strategies.get(given.get("strategy") or chosen.strategy)
    if getattr(strategy, "searches", False) and retriever.query_source != "query":
        told = f"the strategy {name_of(strategy)} searches again with another query"
        raise UserError(f"{told}, and the retriever {name_of(retriever)} is asked with none: retriever='bm25'")
    k, budget = _selection(chosen, retriever, given)
    scored = _metrics(given.get("metrics") or chosen.metrics)
    worded = _template(given.get("prompt") or chosen.prompt, chosen)
    model_revision, data_revision = _revisions(given)
    labels = chosen.labels or getattr(strategy, "labels", ())
    reader = _seeded(
        reader_of(given.get("model") or chosen.model, strategy, given, model_revision, labels), given["seed"]
    )
    if getattr(reader, "needs_whole_document", False) and all(
        given.get(name) is None for name in ("chunker", "budget", "k")
    ):
        given = {**given, "chunker": "whole", "retriever": given.get("retriever") or "all"}
        return make_plan(chosen, **given)
    check_whole_documents(reader, chunker, budget)
    length = length_of(given.get("max_new_tokens"), chosen, reader)
    check_window(reader, length)
    order = _order(given.get("order"), chosen, retriever)
    split = given.get("split") or chosen.split

    def opened(split: str) -> sources.Dataset:
        return sources.load(chosen.name, chosen.dataset, given.get("data"), split, data_revision)

    data = opened(split)
    template, like = _by_first_row(worded, chosen, data)
    plan = Plan(
        task=chosen,
        data=data,
        opened=opened,
        split=split,
        chunker=chunker,
        chunker_record=describe(chunker),
        retriever=retriever,
        k=k,
        budget=budget,
        order=order,
        strategy=strategy,
        reader=reader,
        template=template,
        length=length,
        metrics=scored,
        limit=given.get("limit"),
        sample=given.get("sample"),
        seed=given["seed"],
        query=given.get("query"),
        where=_where(given.get("data"), data_revision),
    )
    return _sized(plan, like)


def _where(data: Any, revision: str | None) -> dict[str, Any]:
    """Where the data can be read again: a path or "sample", None for the published files; nothing of objects."""
    if data is None or data == "sample":
        return {"given": data} | ({"revision": revision} if revision else {})
    return {"given": str(Path(data).expanduser().resolve())} if isinstance(data, (str, Path)) else {}


def check_counts(given: Mapping[str, Any]) -> None:
    """Refuse counts below one or beyond any use, and a pair that contradicts itself."""
    for name in ("k", "budget", "limit", "sample", "max_new_tokens", "max_input_tokens"):
        value = given.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UserError(f"{name} must be a whole number of at least 1, got {value!r}")
        check_whole(name, value)
    check_whole("seed", given.get("seed"))
    for pair in (("k", "budget"), ("limit", "sample")):
        if all(given.get(name) is not None for name in pair):
            raise UserError(f"{pair[0]} and {pair[1]} cannot be given together: choose one")


def _with_baseline(task: tasks.Task, given: dict[str, Any]) -> dict[str, Any]:
    """model="baseline" as the task's baseline, by its recipe; how long its answers are is its own affair."""
    if given.get("model") != "baseline":
        return given
    if not task.baseline:
        known = ", ".join(sorted(name for name, one in tasks.all_tasks().items() if one.baseline))
        raise UserError(f"{task.name} has no baseline (tasks that have one: {known}); model='naive' is one for any")
    own = {"chunker": task.baseline_chunker, "strategy": task.baseline_strategy, "max_new_tokens": BOUNDLESS}
    return {**given, "model": task.baseline, **{name: given.get(name) or value for name, value in own.items()}}


def _retriever(task: tasks.Task, chunker: chunkers.Chunker, given: Mapping[str, Any]) -> retrievers.Retriever:
    by_default = "all" if chunker.single_chunk and given.get("k") is None else task.retriever
    retriever = retrievers.get(given.get("retriever") or by_default)
    query, central = given.get("query"), retriever.ranks_by_centroid
    if query not in (None, "centroid"):
        raise UserError(f'query must be "centroid" or left out (then it is the example\'s question), got {query!r}')
    if query and not central:
        raise UserError(
            f"the retriever {name_of(retriever)} cannot rank by the document's centroid: retriever='tfidf', 'bm25', "
            f"'dense' or a hybrid of these, or leave query= out"
        )
    if retriever.query_source == "query" and not task.dataset.has_query and not query:
        cure = "query='centroid' or retriever='first'" if central else "retriever='first'"
        raise UserError(f"{task.name} asks no question, so a retriever that ranks by one cannot work: {cure}")
    return retriever


def _selection(
    task: tasks.Task, retriever: retrievers.Retriever, given: Mapping[str, Any]
) -> tuple[int | None, int | None]:
    k, budget = given.get("k"), given.get("budget")
    if retriever.takes_k:
        return (task.k if k is None and budget is None else k), budget
    if k is not None:
        raise UserError(f"this retriever takes every chunk, so k={k} cannot hold; use retriever='first' or drop k")
    return None, budget


def _order(wanted: str | None, task: tasks.Task, retriever: retrievers.Retriever) -> Literal["score", "document"]:
    order = wanted or (task.order if retriever.takes_k else "document")
    if order not in ("score", "document"):
        raise UserError(f'order must be "score" or "document", got {order!r}')
    return cast(Literal["score", "document"], order)


def _template(text: str, task: tasks.Task) -> Template | RowPrompt:
    """The prompt's wording; that of rows is known when the first one is."""
    if text in FORMS:
        return RowPrompt(text)
    if text.isidentifier():
        raise unknown("form of prompt", text, FORMS)
    cut_at = task.cut_at if text == task.prompt else "word"
    return Template(text, task.instruction or own_instruction(task.name), cut_at=cut_at)


def _by_first_row(
    template: Template | RowPrompt, task: tasks.Task, data: sources.Dataset
) -> tuple[Template | RowPrompt, Example]:
    """The wording, and an example that has the prompt's own words: the first row where rows carry them."""
    if isinstance(template, Template):
        return template, Example("", Document("", ""))
    first = next(iter(data.examples()), None)
    if (asked := chat_form(task.name, template.form, first)) is not None:
        return asked, first or Example("", Document("", ""))
    return row_prompt(task.name, template.form, first), first or Example("", Document("", ""), meta={"before": ""})


def _sized(plan: Plan, like: Example) -> Plan:
    """A chunker whose `size` is None takes the reader's limit less the prompt's own words, in the reader's tokens.

    Without a limit it takes 512 words, or has no bound if it says so (`unbounded`). `like` is an example whose prompt
    has these words. Raises `UserError` where there is no room.
    """
    record, reader, window = plan.chunker_record, plan.reader, plan.window
    chunker: Any = plan.chunker
    if chunker.size is not None or not dataclasses.is_dataclass(plan.chunker):
        return plan
    if window is None:
        unbounded = chunker.unbounded
        sized = dataclasses.replace(chunker, size=BOUNDLESS if unbounded else WORDS)
        return dataclasses.replace(
            plan, chunker=sized, chunker_record=record if unbounded else {**record, "size": WORDS}
        )
    words = [part for part in plan.template.render(like, ()).parts if part.role not in ("query", "options")]
    size = window - reader.count([Prompt(tuple(words)).text])[0] - JOINT
    if size < 1:
        raise UserError(f"the prompt's own words leave no room in {window} tokens: raise the limit")
    filled = dataclasses.replace(chunker, size=size, unit=lambda text: reader.count([text])[0])
    return dataclasses.replace(plan, chunker=filled, chunker_record={**record, "size": size, "unit": "reader"})


def _metrics(wanted: Any) -> dict[str, Any]:
    names: Sequence[Any] = [wanted] if isinstance(wanted, (str, Mapping)) else wanted
    made = [(name, metrics.get(name)) for name in names]
    heads = [metric.signature.partition("|")[0] for metric in {one.signature: one for _, one in made}.values()]
    if twice := [head for head, count in Counter(heads).items() if count > 1]:
        told = f"two metrics give the figures of {twice[0]}, and a run keeps one figure of a name"
        raise UserError(f"{told}: run with one; longdoc score METRIC PREDICTIONS REFERENCES gives the other's")
    return {name if isinstance(name, str) else metric.signature: metric for name, metric in made}


def _revisions(given: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The model's and the data's revision: a string is the model's, a mapping says which is whose."""
    revision = given.get("revision")
    if revision is None or isinstance(revision, str):
        return revision, None
    unknown = set(revision) - {"model", "data"}
    if unknown:
        raise UserError(f"revision takes a string (the model's) or a mapping with model and data, got {revision!r}")
    return revision.get("model"), revision.get("data")


def _seeded(component: Any, seed: int) -> Any:
    """A component whose field `seed` is None takes the run's, unless it says that it draws nothing (`draws`)."""
    drawn = getattr(component, "is_random", True)
    if drawn and dataclasses.is_dataclass(component) and getattr(component, "seed", 0) is None:
        return dataclasses.replace(cast(Any, component), seed=seed)
    return component
