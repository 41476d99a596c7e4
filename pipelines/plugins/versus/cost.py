"""Count the cost of questions about one's own documents: whole documents in each request, or retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from chunkers.shared.words import word_spans
from longdoc.arguments import check_whole, checks_names
from longdoc.errors import UserError
from longdoc.registry import name_of
from models.api_models import known_window
from models.apis._endpoint import Endpoint
from models.reader import Reader
from pipelines import tasks
from pipelines.engine import engines
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.planning.argument_types import ChunkerSpec, ReaderSpec, RetrieverSpec
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.plugins.ask.indexing.document_reading import Source, read_documents, source_of
from pipelines.plugins.batch.engines.batch import provider_share
from pipelines.plugins.versus.condition_cells import BUDGETS, requested_conditions, selected_amounts
from pipelines.plugins.versus.cost_table import ConditionCost, CostTable
from pipelines.plugins.versus.finished_conditions import WHOLE
from pipelines.records import Document, Example
from pipelines.results.dry_runs.dry_run import DryRun

TASK = "qa"
UNSCORED = "answer_recall"  # nothing is scored, and the metrics of `qa` take a second to import
QUESTION_WORDS = 10  # about the length of NarrativeQA's questions


@checks_names
def cost(
    document: Source | Sequence[Source] | None = None,
    *,
    model: ReaderSpec,
    questions: int = 40,
    budget: str | Sequence[str] = BUDGETS,
    text: str | Sequence[str] | None = None,
    chunker: ChunkerSpec | None = None,
    retriever: RetrieverSpec | None = None,
    prompt: str | None = None,
    max_new_tokens: int | None = None,
    cache: bool = True,
) -> CostTable:
    """Count what questions about each document would cost: with the whole document in each request, or retrieval.

    Every prompt of the task `qa` is made and counted with the model's own words; nothing is sent.

    - `document`, `text`, `cache`: as for `ask`.
    - `questions`: how many there are about each document. Ten words of the document itself stand in for each, taken at
      even distances, so that retrieval selects other passages for each.
    - `budget`: how much retrieval selects, as for `run`; one or several. `chunker` and `retriever` are its own, by
      default the task's and "bm25".
    - `model`: with `prices=`, its own or a file of those of many models, else tokens are counted alone.
    - `prompt`, `max_new_tokens`: as for `run`.

    Raises `UserError`.
    """
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 1:
        raise UserError(f"questions must be a whole number of at least 1, got {questions!r}")
    check_whole("questions", questions)
    reader_arguments = {"prompt": prompt, "max_new_tokens": max_new_tokens}
    arguments = {"metrics": UNSCORED, "chunker": chunker, **reader_arguments}
    conditions = requested_conditions(tasks.get(TASK), retriever, selected_amounts(budget=budget), "cut", arguments)
    condition_arguments = {
        condition.name: condition.arguments for condition in conditions if condition.kind in ("whole", "retrieval")
    }
    reading = read_documents(source_of(document, text), cache)
    data = [
        example for number, source in enumerate(reading.documents) for example in _examples(source, number, questions)
    ]
    reader = make_plan(TASK, data=data[:1], model=model, **_without_none(reader_arguments)).reader
    if not reader.reads:
        raise UserError(
            f"the reader {name_of(reader)} sends no requests, so there is nothing to count: give another model"
        )
    counts, not_run = _counts(condition_arguments, data, reader)
    costs = {name: _cost(name, dry_run, reader) for name, dry_run in counts.items()}
    left_out = _dominated(list(costs.values()))
    return CostTable(
        model=_typed_name(reader),
        documents=len(reading.documents),
        questions=questions,
        ways=[condition for name, condition in costs.items() if name not in left_out],
        left_out=left_out,
        not_run=not_run,
        notes=[
            *_over_window(counts, reader),
            *_price_notes(reader),
            *(f"warning: {warning}" for warning in reading.warnings),
        ],
        unread=reading.unread,
    )


def _examples(document: Document, number: int, questions: int) -> list[Example]:
    """Stand-ins for questions about a document: its own words, at even distances. Raises `UserError` without words."""
    words = word_spans(document.text)
    if not len(words):
        raise UserError(f"{document.id} contains no words: leave it out")
    last = max(len(words) - QUESTION_WORDS, 0)
    numbered_document = replace(document, id=f"{number + 1} {document.id}")  # files of two folders may have one name
    examples = []
    for question in range(questions):
        first = last * question // max(questions - 1, 1)
        span = words[first : first + QUESTION_WORDS]
        query = " ".join(document.text[int(span[0, 0]) : int(span[-1, 1])].split())
        examples.append(Example(f"{numbered_document.id} {question + 1}", numbered_document, query))
    return examples


def _without_none(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def _counts(
    condition_arguments: Mapping[str, Mapping[str, Any]], data: Sequence[Example], reader: Reader
) -> tuple[dict[str, DryRun], dict[str, str]]:
    """The counts of each way, and why the others cannot be asked. Raises `UserError` where none can be."""
    engine = engines.get("local")
    counts: dict[str, DryRun] = {}
    not_run: dict[str, str] = {}
    for name, arguments in condition_arguments.items():
        try:
            plan: Plan = make_plan(TASK, data=data, model=reader, **_without_none(arguments))
            counts[name] = count_dry_run(plan, engine)
        except UserError as error:
            not_run[name] = str(error)
            continue
        if failures := counts[name].failures:
            not_run[name] = next(iter(failures.values()))
            del counts[name]
    if not counts:
        raise UserError(next(iter(not_run.values())))
    return counts, not_run


def _cost(name: str, counts: DryRun, reader: Reader) -> ConditionCost:
    """The cost of a way; the price from warm caches is known where the reader has one for cached tokens."""
    price, share = counts.price, provider_share(reader)
    cold = warm = None if price is None else price.most
    if price is not None and price.warm_least is not None:
        warm = price.warm_most
    return ConditionCost(
        way=name,
        requests=counts.requests,
        request_tokens=round(counts.prompt_tokens / counts.requests),
        prompt_tokens=counts.prompt_tokens,
        output_tokens=counts.output_tokens,
        cut=counts.truncated["examples"],
        cold=cold,
        warm=warm if "cached" in reader.prices else None,
        batch=None if cold is None or share is None else share * cold,
    )


def _dominated(conditions: Sequence[ConditionCost]) -> dict[str, str]:
    """The conditions to leave out, each with one that shows at least as much text at prices that are no higher.

    A whole document that was cut to its beginning dominates none: retrieval shows its best parts in as many tokens.
    Prices are those of a run, which asks a document's questions one after the other, and of batch files; without prices
    the prompts' tokens.
    """
    dominated: dict[str, str] = {}
    for position, condition in enumerate(conditions):
        for other_position, other in enumerate(conditions):
            if (
                other_position == position
                or other.way in dominated
                or _amount_shown(other) < _amount_shown(condition)
                or _is_beginning(other)
            ):
                continue
            pairs = list(zip(_prices(other), _prices(condition), strict=True))
            is_alike = _amount_shown(other) == _amount_shown(condition) and all(
                other_price == price for other_price, price in pairs
            )
            if all(other_price <= price for other_price, price in pairs) and (
                not is_alike or other_position < position
            ):
                dominated[condition.way] = other.way
                break
    return dominated


def _is_beginning(condition: ConditionCost) -> bool:
    """Whether a condition shows only the beginning of documents that are longer than the window."""
    return condition.way == WHOLE and condition.cut > 0


def _amount_shown(condition: ConditionCost) -> float:
    """How much text a condition shows: the tokens of its prompts, infinitely many for the whole document."""
    return inf if condition.way == WHOLE and not condition.cut else condition.prompt_tokens


def _prices(condition: ConditionCost) -> tuple[float, ...]:
    """The prices of live requests and of batch files that are known; without any the tokens of the prompts."""
    live = condition.cold if condition.warm is None else condition.warm
    return tuple(price for price in (live, condition.batch) if price is not None) or (condition.prompt_tokens,)


def _over_window(counts: Mapping[str, DryRun], reader: Reader) -> list[str]:
    """A note for each way whose prompts do not fit the model's window, with what to type."""
    notes = []
    for name, dry_run in counts.items():
        if over := dry_run.truncated["examples"]:
            notes.append(
                f"{name}: {over:,} of {dry_run.requests:,} prompts are longer than the {dry_run.limit:,} tokens that "
                f"the model takes; the longest loses {dry_run.truncated['largest']:,}: choose a way that fits "
                "(a smaller --budget), or another model with its window="
            )
    if isinstance(reader, Endpoint) and reader.window is None and reader.max_input_tokens is None:
        notes += _by_known_window(counts, reader)
    return notes


def _by_known_window(counts: Mapping[str, DryRun], reader: Endpoint) -> list[str]:
    """Notes of prompts over the known window of a model that was typed without one; or that no window is known."""
    window = known_window(reader.model)
    if window is None:
        option = f"--model '{_typed_name(reader)},window=TOKENS'"
        return [f"the window of {reader.model} is not known, so nothing is cut: type {option}"]
    return [
        f"{name}: a prompt of {dry_run.longest_prompt:,} tokens does not fit into the window of {reader.model} "
        f"({window:,} with the output): choose a way that fits (a smaller --budget), or count the cut prompts: "
        f"--model '{_typed_name(reader)},window={window}'"
        for name, dry_run in counts.items()
        if dry_run.longest_prompt + (dry_run.output_tokens or 0) // dry_run.requests > window
    ]


def _price_notes(reader: Reader) -> list[str]:
    """Notes on what the prices mean, or what to type where there are none."""
    if not reader.prices:
        if not isinstance(reader, Endpoint):
            return ["the model is not behind an API: its tokens have no prices"]
        model = f'{_typed_name(reader)},prices={{"input": 0.5, "output": 1.5, "cached": 0.05}}'
        return [f"to see prices, type --model '{model}' (of a million tokens), or prices=FILE"]
    notes = ["prices are upper bounds, with outputs as long as they may be; cold: nothing is cached"]
    if "cached" in reader.prices:
        notes.append("warm: the common beginning of a document's prompts, from 1,024 tokens on, is read from the cache")
    else:
        notes.append('warm: not known; give the price of cached tokens too: prices={…, "cached": 0.05}')
    if provider_share(reader) is None:
        notes.append("batch: not known; only OpenAI's and Anthropic's own batch files cost half")
    return notes


def _typed_name(reader: Reader) -> str:
    """The model as typed on the command line, without its settings."""
    return f"{name_of(reader)}:{reader.model}" if isinstance(reader, Endpoint) else name_of(reader)
