"""A solver of inspect_ai that shows a model a selection of the sample's document in place of all of it.

    Task(dataset, solver=[longdoc_select(retriever="bm25", k=10), generate()], scorer=…)

The document is in a field of the sample's metadata. Where the prompt contains its text, the selection replaces it;
else it comes before the prompt.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio.to_thread
from inspect_ai.solver import Generate, Solver, TaskState, solver

import models
from longdoc.arguments import check_whole
from longdoc.errors import UserError
from models.prompts import Prompt
from pipelines import tasks
from pipelines.engine.planning.argument_types import Order
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.preparation.index_cache import IndexCache
from pipelines.engine.preparation.prepare import prepare
from pipelines.plugins.bridges.for_inspect.names import registered
from pipelines.plugins.bridges.for_inspect.selection import WORDS, counting_reader, prompt_of_job, show
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job

SEPARATOR = "\n\n"  # between a document and a prompt that does not contain it
MAX_DOCUMENTS = 8  # documents whose chunks and indexes stay in memory
UNSCORED = "answer_recall"  # of a plan that scores nothing


@solver(name=registered("longdoc_select"))
def longdoc_select(
    retriever: str = "bm25",
    chunker: str = "tokens:size=200",
    k: int | None = None,
    budget: str | None = None,
    order: Order | None = None,
    document: str = "document",
    query: str | None = None,
    template: str | None = None,
    only_over: int | None = None,
) -> Solver:
    """The solver that shows a selection of a document in place of the document.

    - `retriever`, `chunker`, `k`, `budget`, `order`: as for `pipelines.run`. With neither `k` nor `budget`, as many
      chunks as fill the reader's limit; ten where it has none.
    - `document`: the field of a sample's metadata that holds the document's text.
    - `query`: the field that holds the question; by default the input, without the document's text where that is in it.
    - `template`: the prompt around the selection, with `{document}` and `{query}`. By default the sample's prompt: the
      selection takes the place of the document's text where it holds that, else it comes before, then a blank line.
    - `only_over`: a prompt with the whole document of at most so many tokens is left as it is.

    Tokens are the reader's where the model is one of longdoc (`longdoc/NAME`), else words. The record of what was shown
    goes into the sample's store as "longdoc". A document is split and indexed once for neighbouring samples. Raises
    `UserError`.
    """
    selection = _Selection(
        {"retriever": retriever, "chunker": chunker, "k": k, "budget": budget, "order": order}, template, only_over
    )
    selection.plan(WORDS)  # what was typed is checked before the first sample

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        example, sample_template = _example_and_template(state, document, query, template)
        plan, job, prompt = await anyio.to_thread.run_sync(
            selection.prompt_for, example, sample_template, counting_reader()
        )
        show(state, plan, job, prompt)
        return state

    return solve


class _Selection:
    """Makes prompts with selections of documents, one at a time, since components need not be thread-safe."""

    def __init__(self, arguments: Mapping[str, Any], template: str | None, token_limit: int | None) -> None:
        self._arguments, self._token_limit = arguments, token_limit
        self._template = Template(template or "{document}")
        # by the reader's identity; keeping the reader makes that unique
        self._plans: dict[tuple[int, bool], tuple[models.Reader, Plan]] = {}
        self._indexes: OrderedDict[str, IndexCache] = OrderedDict()
        self._busy = threading.Lock()
        check_whole("only_over", token_limit)

    def plan(self, reader: models.Reader, is_whole: bool = False) -> Plan:
        """The plan of a selection, or of the whole document, with tokens as a reader counts them."""
        key = (id(reader), is_whole)
        if key not in self._plans:
            arguments: Mapping[str, Any] = {"chunker": "whole", "retriever": "all"} if is_whole else self._arguments
            present = {name: value for name, value in arguments.items() if value is not None}
            data = [Example("sample", Document("sample", "sample"), "sample")]
            self._plans[key] = (
                reader,
                make_plan(
                    tasks.get("qa"),
                    template=self._template,
                    data=data,
                    metrics=UNSCORED,
                    model=reader,
                    **present,
                ),
            )
        return self._plans[key][1]

    def prompt_for(self, example: Example, template: Template, reader: models.Reader) -> tuple[Plan, Job, Prompt]:
        """The prompt for an example, with its plan and its job. Raises `UserError`."""
        with self._busy:
            if self._token_limit is not None:
                plan = replace(self.plan(reader, is_whole=True), template=template)
                (job,) = prepare(plan, example.document, [example])
                if reader.count([job.prompt(job.selected).text])[0] <= self._token_limit:
                    return plan, job, prompt_of_job(plan, job)
            plan = replace(self.plan(reader), template=template)
            (job,) = prepare(plan, example.document, [example], self._index_cache(example.document.id))
            return plan, job, prompt_of_job(plan, job)

    def _index_cache(self, document: str) -> IndexCache:
        """The chunks and indexes of a document, kept while it is one of the last few."""
        cache = self._indexes.pop(document, None) or IndexCache()
        self._indexes[document] = cache
        if len(self._indexes) > MAX_DOCUMENTS:
            self._indexes.popitem(last=False)
        return cache


def _example_and_template(
    state: TaskState, document: str, query: str | None, template: str | None
) -> tuple[Example, Template]:
    """A sample as an example with its document, and the template of its prompt."""
    content = state.user_prompt.content
    if other_types := sorted(
        {part.type for part in content if part.type != "text"} if isinstance(content, list) else ()
    ):
        problem = f"the prompt of sample {state.sample_id} holds more than text ({', '.join(other_types)})"
        raise UserError(f"{problem}: a document's text is taken from a field of the metadata (longdoc_select)")
    text, prompt = _field(state, document), state.user_prompt.text
    question = state.input_text.replace(text, "").strip() if query is None else _field(state, query)
    before, match, after = prompt.partition(text)
    if not match or text in after:
        before, after = "", SEPARATOR + prompt
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    example = Example(str(state.sample_id), Document(digest, text), question)
    return example, Template(_around(before, after, question) if template is None else template)


def _around(before: str, after: str, question: str) -> str:
    """The template with the text around a document; the question is a placeholder where it is there once."""
    is_single = bool(question) and before.count(question) + after.count(question) == 1
    sides = (side.replace("{", "{{").replace("}", "}}") for side in (before, after))
    if is_single:
        escaped = question.replace("{", "{{").replace("}", "}}")
        sides = (side.replace(escaped, "{query}") for side in sides)
    return "{document}".join(sides)


def _field(state: TaskState, name: str) -> str:
    """The text in a field of the sample's metadata. Raises `UserError` where there is none."""
    text = state.metadata.get(name)
    if not isinstance(text, str) or not text:
        fields = ", ".join(sorted(state.metadata)) or "none"
        problem = f"sample {state.sample_id} has no text in its metadata's field {name!r} (fields: {fields})"
        raise UserError(f"{problem}: longdoc_select(document=FIELD, query=FIELD) names them")
    return text
