"""The plan of a run: its arguments turned into components that fit together, before documents are prepared.

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
from longdoc.files import expanded
from longdoc.registry import describe, name_of
from models.prompts import Part, Prompt
from pipelines import sources, strategies, tasks
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.given_arguments import given_arguments
from pipelines.engine.planning.labels import check_labels, declared_labels, row_options, training_labels, with_labels
from pipelines.engine.planning.metric_names import chosen_metrics, with_choices_first, with_number_warning
from pipelines.engine.planning.options import complete, with_defaults, with_values
from pipelines.engine.planning.prompt_form import forms_of, prompt_for_rows, prompt_of, uses_chat_words, with_conclusion
from pipelines.engine.planning.reader import (
    NO_READER,
    check_whole_documents,
    check_window,
    length_of,
    longest_output,
    missing_model_error,
    reader_of,
)
from pipelines.engine.planning.recipe_names import with_recipe_forms
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.engine.planning.selection_plan import Selection, chosen_selection, seeded, selects_nothing
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.engine.planning.shard import Shard
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.prompts.template import Template
from pipelines.records import Example

BOUNDLESS = 1_000_000_000  # tokens, more than any document has
DEFAULT_WORDS = 512  # per chunk where neither chunker nor reader sets a size
DEFAULT_K = 10  # chunks where nothing says how many, and no limit of tokens does

JOINT_TOKENS = 2  # tokens that may arise where the prompt's own words and a chunk are joined


@dataclass(frozen=True, slots=True)
class Plan:
    """A run with every component created and every default filled in."""

    task: tasks.Task
    data: sources.Dataset
    open_split: Callable[[str], sources.Dataset]  # opens another split of the same data, by its name
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
    shard: Shard | None = None  # the part of the documents that is run
    data_location: Mapping[str, Any] = field(default_factory=dict)  # the path of the data, and their layout
    resolved: Mapping[str, Any] | None = None  # the reader's details (`details_of`) where an engine runs it elsewhere
    engine_prices: Mapping[str, float] | None = None  # of the reader's tokens, where its engine has other ones
    given: Mapping[str, Any] = field(default_factory=dict)  # the arguments as they were given (`given_arguments`)
    labels: tuple[str, ...] = ()  # between which the strategy decides, where they are known before any prediction

    @property
    def prices(self) -> Mapping[str, float]:
        """The prices of a million of the reader's tokens, on the engine that runs it; empty where not known."""
        return self.reader.prices if self.engine_prices is None else self.engine_prices

    @property
    def prompt_limit(self) -> int | None:
        """The reader's limit on a prompt in tokens, less the room for the output where both share one window."""
        return self.reader.prompt_limit(self.strategy.longest_output(self.max_new_tokens))

    @property
    def max_input_tokens(self) -> int | None:
        """The limit on a prompt in tokens: the least of the reader's, a truncating chunker's and the budget."""
        return min((bound for bound in (self.prompt_limit, self.document_limit) if bound is not None), default=None)

    @property
    def ranked(self) -> int | None:
        """The number of chunks that are ranked for an example, None for all."""
        # where as many as fit are shown, each has a token at least
        bounds = (self.selection.k, self.max_input_tokens if self.selection.fit else None)
        return min((bound for bound in bounds if bound is not None), default=None)

    @property
    def words_per_search(self) -> int | None:
        """The words of text that one search selects: each search of the strategy has an equal share of the budget."""
        words = self.selection.words
        return None if words is None else words // self.strategy.selections

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the data, the selection and the retriever."""
        return (*dict.fromkeys(self.data.warnings), *self.advice)

    @property
    def advice(self) -> tuple[str, ...]:
        """Warnings about the selection and the retriever, each with a better choice."""
        return tuple(filter(None, [self.selection_advice, self.retriever.advice]))

    @property
    def selection_advice(self) -> str | None:
        """A warning where the given retriever has one chunk to rank, with the advice to split documents."""
        ranks = self.retriever.takes_k and self.retriever.most != 0
        if not (self.chunker.single_chunk and ranks and self.given.get("retriever")) or self.given.get("chunker"):
            return None
        return (
            f"{self.task.name} reads the whole document as one chunk, so retriever {name_of(self.retriever)} has "
            f"nothing to rank: give a chunker too, as in chunker=sentences"
        )

    @property
    def document_limit(self) -> int | None:
        """The limit on a prompt that the reader reads in windows, so that its own limit does not count."""
        bounds = (self._chunker_limit, self.selection.tokens)
        return min((bound for bound in bounds if bound is not None), default=None)

    @property
    def _chunker_limit(self) -> int | None:
        """The chunker's limit in the reader's tokens; a chunker that cuts in the middle counts special tokens too."""
        limit, edges = self.chunker.max_input_tokens, self.reader.edges
        if limit is None or edges is None or self.chunker.cut_side == "tail":
            return limit
        return limit - limit % 2 * self.task.equal_halves - sum(edges.special_around)


@dataclass(frozen=True, slots=True)
class _TokenCount:
    """Counts the tokens of a text as a reader does; unlike a function, it can be sent to other processes."""

    reader: models.Reader

    def __call__(self, text: str) -> int:
        return self.reader.count([text])[0]


def make_plan(task: TaskSpec, *, template: Template | None = None, **arguments: Any) -> Plan:
    """The plan for `pipelines.run`'s arguments; None everywhere means the task's own recipe. Raises `UserError`.

    `template` takes the place of `prompt`.
    """
    chosen_task = tasks.get(task)
    arguments = with_served_reader(arguments)
    options = _options_of(chosen_task, arguments)
    strategy = strategies.get(options["strategy"] or chosen_task.strategy)
    chunker, retriever, selection = chosen_selection(chosen_task, options, strategy)
    metrics_by_name = chosen_metrics(options, chosen_task)
    forms = forms_of(strategy, retriever)
    labels = declared_labels(chosen_task, strategy)
    reader, strategy = reader_of(options, options["model"] or chosen_task.model, strategy, labels)
    reader = seeded(reader, options["seed"])
    if reader.needs_whole_document and selects_nothing(options):
        options = with_values(with_defaults(options, retriever="all"), chunker="whole")
        chunker, retriever, selection = chosen_selection(chosen_task, options, strategy)
    in_chat_words = uses_chat_words(options, chosen_task, reader)
    strategy = with_conclusion(strategy, chosen_task, options["prompts_from"], in_chat_words)
    wording = template or prompt_of(options, chosen_task, forms, strategy, in_chat_words)
    check_whole_documents(reader, chunker, selection.tokens)
    length = length_of(options["max_new_tokens"], chosen_task, reader, strategy, labels)
    check_window(reader, longest_output(strategy, length, reader))
    split, data_revision = options["split"] or chosen_task.split, options["data_revision"]

    def open_split(split: str) -> sources.Dataset:
        is_sharded = options["shard"] is not None and options["sample"] is None
        return sources.load(chosen_task.name, chosen_task.dataset, options["data"], split, data_revision, is_sharded)

    data = with_number_warning(open_split(split), metrics_by_name)
    if not labels and (labels := training_labels(chosen_task, strategy, reader, data, split, open_split)):
        reader = with_labels(reader, labels)
    if choices := labels or row_options(strategy, data):
        length = length_of(options["max_new_tokens"], chosen_task, reader, strategy, choices)
    wording, example = prompt_for_rows(wording, chosen_task, data, options["prompt"], forms)
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
        metrics=with_choices_first(metrics_by_name, options, data),
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
    """Where the data can be read again, for `run.json`: a path, "sample", or null for the published files.

    Empty for objects, which cannot be read again.
    """
    if data is None or (isinstance(data, str) and data == "sample"):
        return {"given": data} | ({"revision": revision} if revision else {})
    return {"given": str(expanded(data).resolve())} if isinstance(data, (str, Path)) else {}


def _options_of(task: tasks.Task, arguments: Mapping[str, Any]) -> PlanOptions:
    """All options, with the task's own where its recipe has some. Raises `UserError` without data or a model."""
    options = with_recipe_forms(task, _with_own_model(task, complete(arguments)))
    options = _without_reader(_with_floor(task, options))
    if options["data"] is None and not task.dataset.files:
        raise UserError(f"{task.name} has no published files: give your own, data=FILE or FOLDER")
    if options["model"] is None and not task.dataset.files and task.model == tasks.USUAL_MODEL:
        raise missing_model_error(task)
    return options


def _with_own_model(task: tasks.Task, options: PlanOptions) -> PlanOptions:
    """The options with the task's own model where only fields of it are given: model="device=cuda"."""
    fields = models.fields_alone(options["model"])
    return options if fields is None else with_values(options, model=models.with_fields(task.model, fields))


def _with_floor(task: tasks.Task, options: PlanOptions) -> PlanOptions:
    """The options with model="floor" replaced by the task's baseline and its recipe; its answers have any length."""
    if options["model"] != "floor":
        return options
    if not task.floor:
        others = ", ".join(sorted(name for name, task in tasks.all_tasks().items() if task.floor))
        raise UserError(f"{task.name} has no floor (tasks that have one: {others}); model='naive' works for any task")
    recipe = {"chunker": task.floor_chunker, "strategy": task.floor_strategy, "max_new_tokens": BOUNDLESS}
    return with_values(with_defaults(options, **recipe), model=task.floor)


def _without_reader(options: PlanOptions) -> PlanOptions:
    """The options, with the strategy that asks no model where `model` is "none"."""
    if options["model"] != NO_READER:
        return options
    if options["strategy"] is not None:
        raise UserError(f"model='none' asks no model, so strategy={options['strategy']!r} has no effect: leave it out")
    return with_values(options, strategy="select_only")


def _with_width(plan: Plan) -> Plan:
    """The plan with a number of chunks where neither argument nor task sets one: as many as fit the prompt, else ten.

    Behind an API, where tokens cost, at most ten: a large window is not filled unasked.
    """
    selection = plan.selection
    if not plan.retriever.takes_k or selection.bounded:
        return plan
    fit = plan.strategy.one_prompt and plan.max_input_tokens is not None
    is_free = fit and not isinstance(plan.reader, models.StreamingReader)
    return replace(plan, selection=replace(selection, fit=fit, k=None if is_free else DEFAULT_K))


def _sized_plan(plan: Plan, example: Example) -> Plan:
    """The plan, whose chunker gets a size where it has none: the reader's limit less the prompt's own words, in tokens.

    The size is less where the output has no room for that much (`_room_to_write`). Without either limit it is 512
    words, or has no bound if the chunker says so (`unbounded`). `example` is one whose prompt has these words. Raises
    `UserError` where there is no room.
    """
    chunker: Any = plan.chunker
    if chunker.size is not None or not dataclasses.is_dataclass(plan.chunker):
        return plan
    bounds = [bound for bound in (_reading_budget(plan, example), _room_to_write(plan)) if bound is not None]
    if not bounds:
        size, record = (BOUNDLESS, {}) if chunker.unbounded else (DEFAULT_WORDS, {"size": DEFAULT_WORDS})
        return replace(plan, chunker=replace(chunker, size=size), chunker_record={**plan.chunker_record, **record})
    size = min(bounds)
    record = {**plan.chunker_record, "size": size, "unit": "reader"}
    return replace(plan, chunker=replace(chunker, size=size, unit=_TokenCount(plan.reader)), chunker_record=record)


def _reading_budget(plan: Plan, example: Example) -> int | None:
    """The tokens of the reader's limit that the prompt's own words leave to a chunk; None without a limit."""
    if (limit := plan.prompt_limit) is None:
        return None
    document = Part("document", "", 0, 0)  # an empty one, as its label is among the prompt's own words
    rendered = plan.template.render(example, (document,))
    words = [part for part in rendered.parts if part.role not in ("query", "options")]
    fixed_tokens = plan.reader.count([Prompt(tuple(words)).text + plan.strategy.ending(plan.labels)])[0]
    if (budget := limit - fixed_tokens - JOINT_TOKENS) < 1:
        raise UserError(f"the prompt's own words leave no room in {limit} tokens: raise the limit")
    return budget


def _room_to_write(plan: Plan) -> int | None:
    """The most tokens of a chunk that a chat model can answer with an output in proportion, such as a translation.

    None where outputs do not grow with chunks, and for models made for translation and T5: their windows are about as
    long as their outputs.
    """
    ratio = plan.strategy.output_ratio
    return max(int(plan.max_new_tokens / ratio), 1) if ratio is not None and plan.reader.is_chat else None
