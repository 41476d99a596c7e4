"""Documents that are read, split and indexed once, and asked many questions."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Unpack

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from longdoc.registry import name_of
from models.baselines.extractive import Extractive
from models.encoding_progress import Encoding
from models.truncation import ALONE_TEXT, MORE_ROOM_TEXT
from pipelines.engine.estimate.first_prompt import rendered
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.stop_rule import StopRule
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.run_options import AskOptions
from pipelines.engine.planning.spec import resolved
from pipelines.engine.preparation.index_cache import IndexCache, component_key
from pipelines.engine.preparation.prepare import prepare
from pipelines.engine.running.receivers import say_receivers
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.answer_of_prediction import answer_of
from pipelines.plugins.ask.extractive_answer import without_model
from pipelines.plugins.ask.file_prompt import FilePrompt
from pipelines.plugins.ask.indexing.collection import Collection, EachAlone
from pipelines.plugins.ask.indexing.document_reading import Source, read_documents
from pipelines.plugins.ask.indexing.index_progress import IndexProgress
from pipelines.plugins.ask.passage_prompt import PassagePrompt
from pipelines.plugins.ask.question_plan import question_plan
from pipelines.records import Document, Example, Prediction
from pipelines.results.rendered_prompt import RenderedPrompt
from pipelines.strategies import Job

READER = "extractive"  # where no model is given
AMOUNT = frozenset(("k", "budget"))  # arguments that set how much is selected
_ROOM = 2  # times what vectors take: the cache deletes whole files, and other documents have some


class DocumentIndex:
    """Documents of one's own, ready for questions; `pipelines.index` makes it.

    Everything is kept in memory between questions: texts, chunks, the retriever's index and the model. `warnings` name
    what was not read, `unread` among them what was given by name. `kept` are the vectors of passages that encoders keep
    under LONGDOC_CACHE, `encoded` how many of them had to be computed.
    """

    def __init__(self, document: Source | Sequence[Source], cache: bool = True, **arguments: Unpack[AskOptions]):
        self._arguments = arguments
        self._last = (arguments, _plan(arguments))  # arguments are checked before documents are read
        with IndexProgress() as progress:
            reading = read_documents(document, cache, progress.read)
        self._collection = Collection(reading.documents)
        self._cache = IndexCache()
        self._warnings = reading.warnings
        self._vectors: dict[str, Encoding] = {}
        self._receivers: tuple[str, ...] = ()  # the hosts that the last message named as receivers of the texts
        self.unread = tuple(f"not read: {problem}" for problem in reading.unread)
        self.encoded = 0

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents in the order given; those of a folder by path."""
        return tuple(self._collection.documents)

    @property
    def arguments(self) -> AskOptions:
        """The arguments that hold for all questions."""
        return self._arguments

    @property
    def retriever(self) -> str:
        """The name of the retriever."""
        return name_of(self._plan_with({}).retriever)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of files that were not read, and of vectors for which the cache has no room."""
        return (*self.unread, *self._warnings, *filter(None, map(_no_room_warning, self.kept)))

    @property
    def kept(self) -> tuple[Encoding, ...]:
        """The documents' vectors that encoders keep on disk, one record for each folder."""
        return tuple(self._vectors.values())

    def build(self, **changes: Unpack[AskOptions]) -> "DocumentIndex":
        """Split and index the documents now, not with the first question; return this object. Raises `UserError`."""
        plan = self._plan_by_document(self._plan_with(changes))
        if not plan.chunker.per_query:
            with self._progress():
                self._cache.index(plan, self._collection.document, None)
        return self

    def chunks(self, **changes: Unpack[AskOptions]) -> int:
        """The number of chunks of the documents; 0 where each question splits them anew."""
        plan = self._plan_by_document(self._plan_with(changes))
        return 0 if plan.chunker.per_query else len(self._cache.chunks(plan, self._collection.document, None))

    def ask(self, question: str, **changes: Unpack[AskOptions]) -> Answer:
        """Answer a question; `changes` take the place of the arguments of this index. Raises `UserError`."""
        plan = self._plan_with(changes)
        job, prediction, unread = self._prediction(plan, question)
        answer = answer_of(plan, job, self._collection, prediction, (*self.warnings, *unread))
        if plan.reader.reads and not isinstance(plan.reader, Extractive):
            return answer
        arguments = {**self._arguments, **changes}
        return without_model(plan, self._collection, prediction, answer, keeps_all=not AMOUNT.isdisjoint(arguments))

    def prompt(self, question: str, **changes: Unpack[AskOptions]) -> RenderedPrompt:
        """The exact text that the model would get first for a question; it is not asked. Raises `UserError`.

        Of a strategy that makes several requests the first one. Tokens are as the model's tokenizer, or the estimate
        for an API, counts them, without those of the chat template.
        """
        plan = self._plan_with(changes)
        job = self._job(plan, question)
        if not plan.reader.reads:
            raise UserError("model='none' reads no prompt: give a model")
        return rendered(plan, job)

    def _prediction(self, plan: Plan, question: str) -> tuple[Job, Prediction, list[str]]:
        """The job of a question, its prediction, and the warning of a prompt that the server cut unseen, if any.

        Raises `UserError`.
        """
        job = self._job(plan, question)
        plan = self._plan_by_document(plan)
        stop_rule = StopRule(plan.reader, go_on=True, notes=False)
        session = Session(
            plan.strategy,
            plan.reader,
            plan.max_input_tokens,
            resolved(plan.reader),
            whole_limit=plan.document_limit,
            stop_rule=stop_rule,
        )
        if plan.reader.sends_to != self._receivers:
            self._receivers = plan.reader.sends_to
            say_receivers(plan.reader)
        (result,) = Inference(plan.reader, [session]).run([job])
        if result.prediction is None:
            failure = str(result.failure)
            raise UserError(f"{failure}: {MORE_ROOM_TEXT}" if failure.startswith(ALONE_TEXT) else failure)
        return job, result.prediction, [stop_rule.unread_warning] if stop_rule.unread_warning else []

    def _job(self, plan: Plan, question: str) -> Job:
        """The job of a question about the documents."""
        if not question.strip():
            raise UserError("the question is empty: give one")
        plan, example = self._plan_by_document(plan), Example("question", self._collection.document, question)
        if isinstance(plan.template, (PassagePrompt, FilePrompt)):
            plan = replace(plan, template=replace(plan.template, collection=self._collection))
        with self._progress():
            (job,) = prepare(plan, self._collection.document, [example], self._cache)
        if isinstance(job.template, PassagePrompt):
            job = replace(job, template=job.template.asking(job.selected))
        return job

    def _plan_with(self, changes: AskOptions) -> Plan:
        """The plan with these changes; an unchanged reader is that of the last plan, so that it stays loaded."""
        arguments: AskOptions = {**self._arguments, **changes}
        if arguments != self._last[0]:
            plan, reader = _plan(arguments), self._last[1].reader
            if component_key(plan.reader) == component_key(reader):
                plan = replace(plan, reader=reader)
            self._last = (arguments, plan)
        return self._last[1]

    @contextmanager
    def _progress(self) -> Iterator[None]:
        """Show progress within the block, and record the vectors that encoders keep."""
        progress = IndexProgress()
        try:
            with progress:
                yield
        finally:
            self._vectors |= progress.encoded
            self.encoded += progress.computed

    def _plan_by_document(self, plan: Plan) -> Plan:
        """The plan with a chunker that splits each document by itself, without the licence of Project Gutenberg."""
        collection = self._collection
        titles = collection.titles
        if len(collection.documents) == 1:
            if collection.works == collection.spans:
                return plan
            titles = ("",)  # passages of a single document are not labelled with its title
        return replace(
            plan, chunker=EachAlone(plan.chunker, collection.works, titles, collection.layouts, plan.chunker.per_query)
        )


def _plan(arguments: Mapping[str, Any]) -> Plan:
    """The plan for arguments of `ask`, with a prompt for its reader. Raises `UserError`."""
    for name in arguments:
        if name not in AskOptions.__annotations__:
            raise unknown_argument(name, [*AskOptions.__annotations__, "cache"])
    return question_plan({**({} if "server" in arguments else {"model": READER}), **arguments})


def _no_room_warning(encoding: Encoding) -> str | None:
    """The warning that the cache is too small for all vectors of the documents."""
    if not encoding.deleted:
        return None
    return (
        f"the cache of vectors has no room for {encoding.deleted:,} of {encoding.texts:,} passages, which each command "
        f"encodes again: set LONGDOC_CACHE_BYTES to {_ROOM * encoding.texts * encoding.size:,} or more"
    )
