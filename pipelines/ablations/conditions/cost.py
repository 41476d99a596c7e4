"""What questions about one's own documents would cost: whole documents in each request, or retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from chunkers.shared.words import word_spans
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.registry import name_of
from longdoc.whole_numbers import check_whole
from models.api_models import known_window
from models.apis._endpoint import Endpoint
from models.reader import Reader
from pipelines import tasks
from pipelines.ablations.conditions.condition_cells import SELECT, requested_conditions
from pipelines.ablations.conditions.finished_conditions import WHOLE_TEXT
from pipelines.answers.indexing.document_reading import Source, read_documents, source_of
from pipelines.engine import engines
from pipelines.engine.engines.batch import provider_share
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.planning.argument_types import ChunkerSpec, ReaderSpec, RetrieverSpec, Select
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.records import Document, Example
from pipelines.results.dry_runs.costs import ConditionCost, CostTable
from pipelines.results.dry_runs.dry_run import DryRun

TASK = "qa"
UNSCORED = "answer_recall"  # nothing is scored, and the metrics of `qa` take a second to import
QUESTION_WORDS = 10  # about as long as NarrativeQA's questions are


@checks_names
def cost(
    document: Source | Sequence[Source] | None = None,
    *,
    model: ReaderSpec,
    questions: int = 40,
    select: Select | Sequence[Select] = SELECT,
    text: str | None = None,
    chunker: ChunkerSpec | None = None,
    retriever: RetrieverSpec | None = None,
    prompt: str | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    prices_from: str | Path | None = None,
    cache: bool = True,
) -> CostTable:
    """What so many questions about each document would cost: the whole document in each request, or retrieval.

    Every prompt of the task `qa` is made and counted with the model's own words; nothing is sent.

    - `document`, `text`, `cache`: as for `ask`.
    - `questions`: how many there are about each document. Ten words of the document itself stand in for each, taken at
      even distances, so that retrieval selects other passages for each.
    - `select`: how much retrieval selects, words or "300 tokens"; one or several. `chunker` and `retriever` are its
      own, by default the task's and "bm25".
    - `model`: with `prices=`, or `prices_from` a file of them, else tokens are counted alone.
    - `prompt`, `max_new_tokens`, `max_input_tokens`: as for `run`.

    Raises `UserError`.
    """
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 1:
        raise UserError(f"questions must be a whole number of at least 1, got {questions!r}")
    check_whole("questions", questions)
    reader_values = {"prompt": prompt, "max_new_tokens": max_new_tokens, "max_input_tokens": max_input_tokens}
    arguments = {"metrics": UNSCORED, "chunker": chunker, **reader_values}
    conditions = requested_conditions(tasks.get(TASK), retriever, {"select": select}, "cut", arguments)
    values = {
        condition.name: condition.arguments for condition in conditions if condition.kind in ("whole", "retrieval")
    }
    reading = read_documents(source_of(document, text), cache)
    data = [
        example for number, read in enumerate(reading.documents) for example in _asking_rows(read, number, questions)
    ]
    reader = make_plan(
        TASK, data=data[:1], model=model, prices_from=prices_from, **_given_arguments(reader_values)
    ).reader
    if not reader.reads:
        raise UserError(f"the reader {name_of(reader)} is asked nothing, so it costs nothing: give another model")
    counts, not_run = _counted_rows(values, data, reader)
    costs = {name: _cost(name, dry_run, reader) for name, dry_run in counts.items()}
    left_out_values = _dominated(list(costs.values()))
    return CostTable(
        model=_named_text(reader),
        documents=len(reading.documents),
        questions=questions,
        ways=[cost for name, cost in costs.items() if name not in left_out_values],
        left_out=left_out_values,
        not_run=not_run,
        notes=[
            *_over_window(counts, reader),
            *_price_notes(reader),
            *(f"warning: {warning}" for warning in reading.warnings),
        ],
        unread=reading.unread,
    )


def _asking_rows(document: Document, number: int, questions: int) -> list[Example]:
    """The questions about a document: words of its own, at even distances. Raises `UserError` where it has none."""
    words = word_spans(document.text)
    if not len(words):
        raise UserError(f"{document.id} holds no words: leave it out")
    last = max(len(words) - QUESTION_WORDS, 0)
    alone_document = replace(document, id=f"{number + 1} {document.id}")  # files of two folders may have one name
    examples = []
    for question in range(questions):
        first = last * question // max(questions - 1, 1)
        span = words[first : first + QUESTION_WORDS]
        query = " ".join(document.text[int(span[0, 0]) : int(span[-1, 1])].split())
        examples.append(Example(f"{alone_document.id} {question + 1}", alone_document, query))
    return examples


def _given_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _counted_rows(
    ways_arguments: Mapping[str, Mapping[str, Any]], data: Sequence[Example], reader: Reader
) -> tuple[dict[str, DryRun], dict[str, str]]:
    """The counts of each way, and why others cannot be asked. Raises `UserError` where none can be."""
    engine = engines.get("local")
    counts: dict[str, DryRun] = {}
    not_run: dict[str, str] = {}
    for name, arguments in ways_arguments.items():
        try:
            plan: Plan = make_plan(TASK, data=data, model=reader, **_given_arguments(arguments))
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
    """What a way costs; the price from warm caches is known where the reader has one for cached tokens."""
    price, share = counts.price, provider_share(reader)
    cold = warm_value = None if price is None else price.most
    if price is not None and price.warm_least is not None:
        warm_value = price.warm_most
    return ConditionCost(
        way=name,
        requests=counts.requests,
        request_tokens=round(counts.prompt_tokens / counts.requests),
        prompt_tokens=counts.prompt_tokens,
        output_tokens=counts.output_tokens,
        cut=counts.truncated["examples"],
        cold=cold,
        warm=warm_value if "cached" in reader.prices else None,
        batch=None if cold is None or share is None else share * cold,
    )


def _dominated(condition_costs: Sequence[ConditionCost]) -> dict[str, str]:
    """The ways that another beats, each with that one: it shows at least as much text, and no price of it is higher.

    The beginning of a document that does not fit beats none: retrieval shows its best parts in as many tokens. Prices
    are those of a run, which asks a document's questions one after the other, and of batch files; without prices the
    prompts' tokens.
    """
    beaten_values: dict[str, str] = {}
    for position, cost in enumerate(condition_costs):
        for other_position, other in enumerate(condition_costs):
            if (
                other_position == position
                or other.way in beaten_values
                or _shown_value(other) < _shown_value(cost)
                or _is_beginning(other)
            ):
                continue
            pairs = list(zip(_prices(other), _prices(cost), strict=True))
            is_alike = _shown_value(other) == _shown_value(cost) and all(
                cost_value == other_value for cost_value, other_value in pairs
            )
            if all(cost_value <= other_value for cost_value, other_value in pairs) and (
                not is_alike or other_position < position
            ):
                beaten_values[cost.way] = other.way
                break
    return beaten_values


def _is_beginning(cost: ConditionCost) -> bool:
    """Whether a way shows the beginning of documents that are longer than the window."""
    return cost.way == WHOLE_TEXT and cost.cut > 0


def _shown_value(cost: ConditionCost) -> float:
    """How much text a way shows: all of it, or as much as its prompts hold."""
    return inf if cost.way == WHOLE_TEXT and not cost.cut else cost.prompt_tokens


def _prices(cost: ConditionCost) -> tuple[float, ...]:
    live = cost.cold if cost.warm is None else cost.warm
    return tuple(price for price in (live, cost.batch) if price is not None) or (cost.prompt_tokens,)


def _over_window(counts: Mapping[str, DryRun], reader: Reader) -> list[str]:
    """A line for each way whose prompts do not fit the model's window, with what to type."""
    notes = []
    for name, dry_run in counts.items():
        if over := dry_run.truncated["examples"]:
            notes.append(
                f"{name}: {over:,} of {dry_run.requests:,} prompts are over the {dry_run.limit:,} tokens that "
                "the model takes, "
                f"{dry_run.truncated['largest']:,} are cut off the longest: take a way that fits (a smaller "
                "--select), or "
                f"another model with its window="
            )
    if isinstance(reader, Endpoint) and reader.window is None and reader.max_input_tokens is None:
        notes += _by_known_window(counts, reader)
    return notes


def _by_known_window(counts: Mapping[str, DryRun], reader: Endpoint) -> list[str]:
    """What does not fit a window that was not given, where it is known; else that it is not."""
    window = known_window(reader.model)
    if window is None:
        typed_text = f"--model '{_named_text(reader)},window=TOKENS'"
        return [f"the window of {reader.model} is not known, so nothing is cut: type {typed_text}"]
    return [
        f"{name}: a prompt of {dry_run.longest_prompt:,} tokens does not fit the window of {reader.model}, "
        f"{window:,} with the output: take a way that fits (a smaller --select), or count what is cut: "
        f"--model '{_named_text(reader)},window={window}'"
        for name, dry_run in counts.items()
        if dry_run.longest_prompt + (dry_run.output_tokens or 0) // dry_run.requests > window
    ]


def _price_notes(reader: Reader) -> list[str]:
    """What the prices are, or what to type where there are none."""
    if not reader.prices:
        if not isinstance(reader, Endpoint):
            return ["the model is not behind an API: its tokens have no prices"]
        example = '{"input": 0.5, "output": 1.5, "cached": 0.05}'
        return [
            f"for prices of a million tokens type --prices FILE, or --model '{_named_text(reader)},prices={example}'"
        ]
    notes = ["prices are at most, with outputs as long as they may be; cold: with nothing in a cache"]
    if "cached" in reader.prices:
        notes.append("warm: what prompts of a document begin with, from 1,024 tokens on, is read from a cache again")
    else:
        notes.append('warm: not known; give the price of cached tokens too: prices={…, "cached": 0.05}')
    if provider_share(reader) is None:
        notes.append("batch: not known; half price is a rule of OpenAI's and of Anthropic's own batch files")
    return notes


def _named_text(reader: Reader) -> str:
    """A model as it is typed, without its settings."""
    return f"{name_of(reader)}:{reader.model}" if isinstance(reader, Endpoint) else name_of(reader)
