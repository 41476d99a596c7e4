"""Documents that are read, split and indexed once, and asked many questions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from longdoc.errors import UserError, unknown
from pipelines.answers.answer import Answer
from pipelines.answers.collection import Collection, EachAlone, Source, collected
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
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import resolved
from pipelines.engine.prepare import prepare
from pipelines.records import Document, Example, Prediction
from pipelines.results import output_counts, over_limit
from pipelines.results.headings import besides_selected

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
        if not question.strip():
            raise UserError("the question is empty")
        plan, example = self._alone(self._planned(changes)), Example("question", self._collection.document, question)
        session = Session(
            plan.strategy, plan.reader, plan.max_input_tokens, resolved(plan.reader), whole=plan.document_limit
        )
        jobs = prepare(plan, self._collection.document, [example], self._cache)
        (finished,) = Inference(plan.reader, [session]).run(jobs)
        if finished.prediction is None:
            raise UserError(str(finished.failure))
        return self._answer(plan, question, finished.prediction)

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

    def _answer(self, plan: Plan, question: str, output: Prediction) -> Answer:
        headings = besides_selected(output).headings
        passages = [
            self._collection.passage(*span, output.prediction, headings.get(number))
            for number, span in enumerate(output.selected)
        ]
        warnings = [*self.warnings, *([output.notes["chunks"]] if "chunks" in output.notes else [])]
        warnings += over_limit.messages(output.passages)
        warnings += _output_warnings(output, plan.max_new_tokens)
        cut = output.truncated_tokens
        return Answer(output.prediction, passages, cut, question, tuple(warnings), output.outputs, plan.reader.reads)


def _plan(arguments: Mapping[str, Any]) -> Plan:
    """The plan of a question by the recipe of the task `qa`."""
    for name in arguments:
        if name not in AskArguments.__annotations__:
            raise unknown("argument", name, [*AskArguments.__annotations__, "cache"])
    placeholder = Example("question", Document("question", "question"), "question")
    return make_plan("qa", data=[placeholder], **{"model": READER, **arguments})


def _output_warnings(prediction: Prediction, length: int) -> list[str]:
    """Warnings that an output was cut at its length, or refused: the answer's text alone does not show it."""
    what = "the answer" if prediction.requests == 1 else "an output that the answer is made of"
    messages = {
        output_counts.ENDED: f"{what} was cut at its length of {length} tokens: give more with max_new_tokens=",
        output_counts.REFUSED: f"{what} was refused by the model",
    }
    return [line for kind, line in messages.items() if prediction.outputs.get(kind)]
