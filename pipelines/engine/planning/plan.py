"""Turn the arguments of a run into components that fit together, before any data is read.

No given argument is ignored silently: one that a component cannot take is refused by name.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import chunkers
import models
import retrievers
from longdoc.errors import UserError
from longdoc.folders import expanded
from longdoc.registry import describe, name_of
from models.prompts import Part, Prompt
from pipelines import sources, strategies, tasks
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.given_arguments import given_arguments
from pipelines.engine.planning.labels import check_labels, declared_labels, labelled, row_options, training_labels
from pipelines.engine.planning.metric_names import chosen_metrics, led_by_rows, with_number_warning
from pipelines.engine.planning.options import changed_plan, complete, filled, revisions
from pipelines.engine.planning.prompt_form import asks_in_words, by_rows, concluding, form_of, prompt_of
from pipelines.engine.planning.reader import (
    NO_READER,
    check_whole_documents,
    check_window,
    length_of,
    longest_output,
    reader_of,
)
from pipelines.engine.planning.recipe_names import with_recipe_forms
from pipelines.engine.planning.run_arguments import PlanArguments
from pipelines.engine.planning.selection_budget import SelectionBudget
from pipelines.engine.planning.selection_plan import Selection, chosen_selection, seeded, selects_nothing
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.engine.planning.shard import Shard
from pipelines.records import Example
from pipelines.strategies.shared.chat_prompt import ChatPrompt
from pipelines.strategies.shared.row_prompt import RowPrompt
from pipelines.strategies.shared.template import Template

BOUNDLESS = 1_000_000_000  # tokens, more than any document has
WORDS = 512  # per chunk where neither chunker nor reader sets a size
WITHOUT_LIMIT = 10  # chunks where nothing says how many and no limit bounds them

JOINT = 2  # additional tokens where the prompt's words and a chunk are joined


@dataclass(frozen=True, slots=True)
class Plan:
    """A run with every component created and every default filled in."""

    task: tasks.Task
    data: sources.Dataset
    open_split: Callable[[str], sources.Dataset]  # another split of the same data
    split: str
    chunker: chunkers.Chunker
    chunker_record: Mapping[str, Any]
    retriever: retrievers.Retriever
    selection: Selection
    strategy: strategies.Strategy
    reader: models.Reader
    template: Template | RowPrompt | ChatPrompt
    max_new_tokens: int
    metrics: Mapping[str, Any]
    limit: int | None
    sample: int | None
    seed: int
    shard: Shard | None = None  # the part of the documents that is run; decides no number of theirs
    data_location: Mapping[str, Any] = field(default_factory=dict)  # where and in which layout: decides no number
    resolved: Mapping[str, Any] | None = None  # what the reader resolved to, where an engine runs it elsewhere
    engine_prices: Mapping[str, float] | None = None  # of the reader's tokens, where its engine has other ones
    given: Mapping[str, Any] = field(default_factory=dict)  # the arguments as they were given (`given_arguments`)
    labels: tuple[str, ...] = ()  # between which the strategy decides, where they are known beforehand

    @property
    def prices(self) -> Mapping[str, float]:
        """The prices of a million of the reader's tokens, on the engine that runs it; empty: not known."""
        return self.reader.prices if self.engine_prices is None else self.engine_prices

    @property
    def prompt_limit(self) -> int | None:
        """The reader's limit on a prompt: less the room for the output where both share one window."""
        return self.reader.prompt_limit(self.strategy.longest_output(self.max_new_tokens))

    @property
    def max_input_tokens(self) -> int | None:
        """The limit on a prompt: the reader's, lowered by a truncating chunker's and by the budget."""
        return min((bound for bound in (self.prompt_limit, self.document_limit) if bound is not None), default=None)

    @property
    def ranked(self) -> int | None:
        """How many chunks are ranked for an example, None for all: of those that fit each has a token at least."""
        bounds = (self.selection.k, self.max_input_tokens if self.selection.fit else None)
        return min((bound for bound in bounds if bound is not None), default=None)

    @property
    def selection_share(self) -> SelectionBudget | None:
        """The budget of one search: the strategy's searches have equal shares."""
        select = self.selection.select
        return select and replace(select, amount=select.amount // self.strategy.selections)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about its data, its selection and its prompt."""
        return (*dict.fromkeys(self.data.warnings), *self.advice)

    @property
    def advice(self) -> tuple[str, ...]:
        """What would suit the task better than what was chosen."""
        return tuple(filter(None, [self.selection_advice, self.retriever.advice]))

    @property
    def selection_advice(self) -> str | None:
        """The advice to split documents, where the given retriever has one chunk to rank."""
        ranks = self.retriever.takes_k and self.retriever.most != 0
        if not (self.chunker.single_chunk and ranks and self.given.get("retriever")) or self.given.get("chunker"):
            return None
        return (
            f"{self.task.name} gives the whole document, one chunk: retriever {name_of(self.retriever)} has nothing to "
            f"rank; give a chunker too, as in chunker=sentences"
        )

    @property
    def document_limit(self) -> int | None:
        """The limit without the reader's, for prompts that it reads in windows."""
        bounds = (self._chunker_limit, self.selection.budget)
        return min((bound for bound in bounds if bound is not None), default=None)

    @property
    def _chunker_limit(self) -> int | None:
        """The chunker's bound as the reader counts: where it cuts in the middle, special tokens are in it."""
        limit, edges = self.chunker.max_input_tokens, self.reader.edges
        if limit is None or edges is None or self.chunker.cut_side == "tail":
            return limit
        return limit - limit % 2 * self.task.equal_halves - sum(edges.special_around)


@dataclass(frozen=True, slots=True)
class _TokensOf:
    """Counts the tokens of a text as a reader does, in other processes too."""

    reader: models.Reader

    def __call__(self, text: str) -> int:
        return self.reader.count([text])[0]


def make_plan(task: TaskSpec, *, template: Template | None = None, **arguments: Any) -> Plan:
    """The plan for `pipelines.run`'s arguments; None everywhere means the task's own recipe. Raises `UserError`.

    `template` takes the place of `prompt`.
    """
    chosen_task = tasks.get(task)
    arguments = with_served_reader(arguments)
    options = complete(arguments)
    options = _without_reader(_with_floor(chosen_task, with_recipe_forms(chosen_task, options)))
    if options["data"] is None and not chosen_task.dataset.files:
        raise UserError(f"{chosen_task.name} has no published files: it runs on your own, data=FILE or FOLDER")
    strategy = strategies.get(options["strategy"] or chosen_task.strategy)
    chunker, retriever, selection = chosen_selection(chosen_task, options, strategy)
    scored = chosen_metrics(options, chosen_task)
    form = form_of(strategy, retriever)
    model_revision, data_revision = revisions(options["revision"])
    labels = declared_labels(chosen_task, strategy)
    reader, strategy = reader_of(options, options["model"] or chosen_task.model, strategy, model_revision, labels)
    reader = seeded(reader, options["seed"])
    if reader.needs_whole_document and selects_nothing(options):
        options = changed_plan(filled(options, retriever="all"), chunker="whole")
        chunker, retriever, selection = chosen_selection(chosen_task, options, strategy)
    asks_words = asks_in_words(options, chosen_task, reader)
    strategy = concluding(strategy, chosen_task, options["prompts_from"], asks_words)
    wording = template or prompt_of(options, chosen_task, form, strategy, asks_words)
    check_whole_documents(reader, chunker, selection.budget)
    length = length_of(options["max_new_tokens"], chosen_task, reader, strategy, labels)
    check_window(reader, longest_output(strategy, length, reader))
    split = options["split"] or chosen_task.split

    def open_split(split: str) -> sources.Dataset:
        is_sharded = options["shard"] is not None and options["sample"] is None
        return sources.load(chosen_task.name, chosen_task.dataset, options["data"], split, data_revision, is_sharded)

    data = with_number_warning(open_split(split), scored)
    if not labels and (labels := training_labels(chosen_task, strategy, reader, data, split, open_split)):
        reader = labelled(reader, labels)
    if named_names := labels or row_options(strategy, data):
        length = length_of(options["max_new_tokens"], chosen_task, reader, strategy, named_names)
    wording, example = by_rows(wording, chosen_task, data, options["prompt"], form)
    plan = Plan(
        task=chosen_task,
        data=data,
        open_split=open_split,
        split=split,
        chunker=chunker,
        chunker_record=describe(chunker),
        retriever=retriever,
        selection=selection,
        strategy=strategy,
        reader=reader,
        template=wording,
        max_new_tokens=length,
        metrics=led_by_rows(scored, options, data),
        limit=options["limit"],
        sample=options["sample"],
        seed=options["seed"],
        shard=None if options["shard"] is None else Shard.of(options["shard"]),
        data_location=_data_location(options["data"], data_revision) | ({"layout": data.layout} if data.layout else {}),
        given=given_arguments(task, arguments),
        labels=labels,
    )
    check_labels(plan.strategy, reader, labels, plan.max_input_tokens)
    return _sized_plan(_with_width(plan), example)


def _data_location(data: Any, revision: str | None) -> dict[str, Any]:
    """Where the data can be read again: a path or "sample", None for the published files; empty for objects."""
    if data is None or (isinstance(data, str) and data == "sample"):
        return {"given": data} | ({"revision": revision} if revision else {})
    return {"given": str(expanded(data).resolve())} if isinstance(data, (str, Path)) else {}


def _with_floor(task: tasks.Task, options: PlanArguments) -> PlanArguments:
    """The options with model="floor" replaced by the task's baseline and its recipe; its answers have any length."""
    if options["model"] != "floor":
        return options
    if not task.floor:
        known_text = ", ".join(sorted(name for name, task in tasks.all_tasks().items() if task.floor))
        raise UserError(f"{task.name} has no floor (tasks that have one: {known_text}); model='naive' is one for any")
    recipe = {"chunker": task.floor_chunker, "strategy": task.floor_strategy, "max_new_tokens": BOUNDLESS}
    return changed_plan(filled(options, **recipe), model=task.floor)


def _without_reader(options: PlanArguments) -> PlanArguments:
    """The options with the strategy that asks nothing where `model` is "none"."""
    if options["model"] != NO_READER:
        return options
    if options["strategy"] is not None:
        raise UserError(f"model='none' asks nothing, so strategy={options['strategy']!r} cannot hold: leave it out")
    return changed_plan(options, strategy="select_only")


def _with_width(plan: Plan) -> Plan:
    """Where neither argument nor task says how many chunks are selected: as many as fit the prompt, else ten.

    Behind an API, where tokens cost, at most ten: a large window is not filled unasked.
    """
    selection = plan.selection
    bounds = (selection.k, selection.budget, selection.select)
    if not plan.retriever.takes_k or any(bound is not None for bound in bounds):
        return plan
    bounded = plan.strategy.one_prompt and plan.max_input_tokens is not None
    unpriced = bounded and not isinstance(plan.reader, models.StreamingReader)
    return replace(plan, selection=replace(selection, fit=bounded, k=None if unpriced else WITHOUT_LIMIT))


def _sized_plan(plan: Plan, example: Example) -> Plan:
    """A chunker whose `size` is None takes the reader's limit less the prompt's own words, in the reader's tokens.

    It takes less where the output has no room for that much (`_room_to_write`). Without both it takes 512 words, or has
    no bound if it says so (`unbounded`). `example` is an example whose prompt has these words. Raises `UserError` where
    there is no room.
    """
    chunker: Any = plan.chunker
    if chunker.size is not None or not dataclasses.is_dataclass(plan.chunker):
        return plan
    bounds = [bound for bound in (_reading_budget(plan, example), _room_to_write(plan)) if bound is not None]
    if not bounds:
        sized_chunker = replace(chunker, size=BOUNDLESS if chunker.unbounded else WORDS)
        record = plan.chunker_record if chunker.unbounded else {**plan.chunker_record, "size": WORDS}
        return replace(plan, chunker=sized_chunker, chunker_record=record)
    filled_chunker = replace(chunker, size=min(bounds), unit=_TokensOf(plan.reader))
    return replace(
        plan, chunker=filled_chunker, chunker_record={**plan.chunker_record, "size": min(bounds), "unit": "reader"}
    )


def _reading_budget(plan: Plan, example: Example) -> int | None:
    """The tokens that the prompt's own words leave of the reader's limit; None without one."""
    if (limit := plan.prompt_limit) is None:
        return None
    rendered = plan.template.render(example, (Part("document", "", 0, 0),))  # a passage has words of its own, its label
    words = [part for part in rendered.parts if part.role not in ("query", "options")]
    own_count = plan.reader.count([Prompt(tuple(words)).text + plan.strategy.ending(plan.labels)])[0]
    if (budget := limit - own_count - JOINT) < 1:
        raise UserError(f"the prompt's own words leave no room in {limit} tokens: raise the limit")
    return budget


def _room_to_write(plan: Plan) -> int | None:
    """The tokens of a chunk whose output has its length, for chat models; None where outputs do not grow with chunks.

    Models made for translation, and T5, are not bounded: their windows are about as long as their outputs.
    """
    ratio = plan.strategy.output_ratio
    return max(int(plan.max_new_tokens / ratio), 1) if ratio is not None and plan.reader.is_chat else None
