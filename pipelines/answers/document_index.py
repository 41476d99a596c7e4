"""Documents that are read, split and indexed once, and asked many questions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from longdoc.errors import UserError, unknown
from pipelines.answers.answer import Answer
from pipelines.answers.collection import Collection, EachAlone, Source, collected
from pipelines.answers.file_prompt import FilePrompt
from pipelines.answers.made_answer import answer_of
from pipelines.answers.passage_prompt import PassagePrompt
from pipelines.answers.question_plan import question_plan
from pipelines.engine.first_prompt import rendered
from pipelines.engine.index_cache import IndexCache
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.engine.planning.argument_types import (
    ChunkerSpec,
    Fill,
    Order,
    Query,
    ReaderSpec,
    RetrieverSpec,
    Revision,
    Select,
    StrategySpec,
)
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.spec import resolved
from pipelines.engine.prepare import prepare
from pipelines.records import Document, Example
from pipelines.results.records import RenderedPrompt
from pipelines.strategies import Job

READER = "extractive"  # where no model is given


class AskArguments(TypedDict, total=False):
    """The arguments of a run that questions take."""

    chunker: ChunkerSpec | None
    retriever: RetrieverSpec | None
    k: int | None
    budget: int | None
    select: Select | None
    fill: Fill | None
    query: Query | None
    order: Order | None
    strategy: StrategySpec | None
    model: ReaderSpec
    prompt: str | None
    max_new_tokens: int | None
    max_input_tokens: int | None
    device: str | None
    dtype: str | None
    deterministic: bool
    revision: Revision | None
    seed: int
    model_options: Mapping[str, Any] | None


class DocumentIndex:
    """Documents of one's own, ready for questions; `pipelines.index` makes it.

    Everything is kept in memory between questions: texts, chunks, the retriever's index and the model. `documents` are
    those that were read, `warnings` name what was not.
    """

    def __init__(self, document: Source | Sequence[Source], cache: bool = True, **arguments: Unpack[AskArguments]):
        self._arguments = arguments
        self._last = (arguments, _plan(arguments))  # what was given is checked before documents are read
        documents, warnings = collected(document, cache)
        self._collection = Collection(documents)
        self._cache = IndexCache()
        self.warnings: tuple[str, ...] = tuple(warnings)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents in the order given; those of a folder by path."""
        return tuple(self._collection.documents)

    def build(self) -> "DocumentIndex":
        """Split and index the documents now, and not with the first question; the same object."""
        plan = self._alone(self._planned({}))
        if not plan.chunker.per_query:
            self._cache.index(plan, self._collection.document, None)
        return self

    def ask(self, question: str, **changes: Unpack[AskArguments]) -> Answer:
        """Answer a question; `changes` take the place of the arguments of this index. Raises `UserError`."""
        plan, job = self._job(question, changes)
        session = Session(
            plan.strategy, plan.reader, plan.max_input_tokens, resolved(plan.reader), whole=plan.document_limit
        )
        (finished,) = Inference(plan.reader, [session]).run([job])
        if finished.prediction is None:
            raise UserError(str(finished.failure))
        return answer_of(plan, job, self._collection, finished.prediction, self.warnings)

    def prompt(self, question: str, **changes: Unpack[AskArguments]) -> RenderedPrompt:
        """The exact text that the model would get first for a question; it is not asked. Raises `UserError`.

        Of a strategy that makes several requests the first one. Tokens are as the model's tokenizer, or the estimate
        for an API, counts them, without those of the chat template.
        """
        plan, job = self._job(question, changes)
        if not plan.reader.reads:
            raise UserError("model='none' is asked nothing, so there is no prompt: give a model")
        return rendered(plan, job)

    def _job(self, question: str, changes: AskArguments) -> tuple[Plan, Job]:
        """The plan of a question, and what it asks about."""
        if not question.strip():
            raise UserError("the question is empty")
        plan, example = self._alone(self._planned(changes)), Example("question", self._collection.document, question)
        if isinstance(plan.template, (PassagePrompt, FilePrompt)):
            plan = replace(plan, template=replace(plan.template, collection=self._collection))
        (job,) = prepare(plan, self._collection.document, [example], self._cache)
        if isinstance(job.template, PassagePrompt):
            job = replace(job, template=job.template.asking(job.selected))
        return plan, job

    def _planned(self, changes: AskArguments) -> Plan:
        """The plan with these changes; that of the last question where they are the same, so that a model stays."""
        arguments: AskArguments = {**self._arguments, **changes}
        if arguments != self._last[0]:
            self._last = (arguments, _plan(arguments))
        return self._last[1]

    def _alone(self, plan: Plan) -> Plan:
        """The plan with a chunker that splits each document by itself."""
        if len(self._collection.documents) == 1:
            return plan
        return replace(plan, chunker=EachAlone(plan.chunker, self._collection.spans, plan.chunker.per_query))


def _plan(arguments: Mapping[str, Any]) -> Plan:
    """The plan of a question, with a prompt for its reader. Raises `UserError`."""
    for name in arguments:
        if name not in AskArguments.__annotations__:
            raise unknown("argument", name, [*AskArguments.__annotations__, "cache"])
    return question_plan({"model": READER, **arguments})
