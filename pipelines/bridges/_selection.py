"""What a reader is shown of prompts whose document is too long: the best passages, in place of a cut text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from longdoc.plurals import counted
from longdoc.registry import name_of
from models.prompts import Part, Prompt
from models.reader import Reader
from models.truncation import TooLong, fits, truncate
from pipelines import tasks
from pipelines.bridges._flat_prompts import AroundDocument, FlatPrompt
from pipelines.bridges._text_cut import Cut, cut_text
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.preparation.index_cache import IndexCache
from pipelines.engine.preparation.prepare import prepare
from pipelines.records import Document, Example

TASK = "qa"
CHUNKER = "sentences:size=200"
RETRIEVER = "bm25"
UNSCORED = "answer_recall"  # nothing is scored here, and the metrics of `qa` take a second to import


@dataclass(slots=True)
class Counts:
    """How many prompts there were, and what was done with them."""

    prompts: int = 0
    selected: int = 0  # passages took the place of the document
    cut: int = 0  # cut as a text: no document was found, or the rest alone is over the limit
    left: int = 0  # no document was found, and the prompt fits
    truncated: int = 0  # of those selected: what was selected is over the reader's limit
    tokens: int = 0  # that cutting and truncating took away


@dataclass(frozen=True, slots=True)
class PromptSelection:
    """Makes prompts from flat ones, by the arguments of a run.

    With `select` documents over that size are selected from, with `k` all; else prompts over the reader's limit, which
    get as many of the best chunks as fill it. All others stay as they are.
    """

    plan: Plan
    takes_k: bool  # k was given: chunks are selected of every document
    cut: Cut = "middle"
    counts: Counts = field(default_factory=Counts)

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], cut: Cut) -> "PromptSelection":
        """The selection for arguments of a run, `model` among them. Raises `UserError`."""
        example = Example("prompt", Document("prompt", "prompt"), "prompt")
        task = replace(tasks.get(TASK), chunker=CHUNKER, retriever=RETRIEVER)
        plan_arguments = {"data": [example], "metrics": UNSCORED, "max_new_tokens": 1, **arguments}
        plan = make_plan(task, template=AroundDocument(), **plan_arguments)
        return cls(plan, arguments.get("k") is not None, cut)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is ever selected: no bound is given, and the reader has no limit."""
        return self.plan.selection.select is None and not self.takes_k and self.plan.max_input_tokens is None

    def prompts(self, reader: Reader, flat_prompts: Iterable[tuple[FlatPrompt, int]]) -> list[Prompt]:
        """The prompts for a reader, each with the length of its output. Documents are split and indexed once."""
        documents = _Documents(self, reader)
        return [documents.prompt(flat, length) for flat, length in flat_prompts]

    def report_lines(self) -> list[str]:
        """What was done since the last time, in lines."""
        counts, plan = replace(self.counts), self.plan
        self.counts.__init__()  # type: ignore[misc]
        lines = []
        if counts.prompts:
            over = "selected from" if self.takes_k else f"over {self._limit()}"
            description = f"; {name_of(plan.retriever)} selected {self._amount()}" if counts.selected else ""
            lines.append(f"{counts.selected:,} of {counted(counts.prompts, 'prompt')} {over}{description}")
        if counts.truncated:
            lines.append(f"warning: {counts.truncated:,} of these did not fit the reader all the same, and were cut")
        hint = "document_field=NAME says which field of a row is the document"
        if counts.cut:
            reason = "no field of the row is a document that the prompt holds, or the rest alone is too long"
            lines.append(
                f"warning: {counted(counts.cut, 'prompt')} over the reader's limit cut as a text, the {self.cut} "
                f"taken away: {reason}; {hint}"
            )
        if counts.left:
            reason = "no field of the row is a document that the prompt holds"
            lines.append(f"warning: {counted(counts.left, 'prompt')} without selection, shown whole: {reason}; {hint}")
        return lines

    def _limit(self) -> str:
        select, plan = self.plan.selection.select, self.plan
        if select is not None:
            return f"{select} of document"
        return f"a prompt of {plan.selection.budget:,} tokens" if plan.selection.budget else "the reader's limit"

    def _amount(self) -> str:
        select, plan = self.plan.selection.select, self.plan
        if select is not None:
            return f"{select} of each document"
        return f"{plan.selection.k} chunks of each document" if self.takes_k else "as many chunks as fit"


@dataclass(slots=True)
class _Documents:
    """The documents of one call: the chunks and the index of the one before are kept, as rows of one often follow."""

    selection: PromptSelection
    reader: Reader
    text: str | None = None
    cache: IndexCache = field(default_factory=IndexCache)

    def prompt(self, flat: FlatPrompt, length: int) -> Prompt:
        """The prompt with as much of its document as may be shown."""
        counts = self.selection.counts
        counts.prompts += 1
        plan = replace(self.selection.plan, reader=self.reader, max_new_tokens=length)
        limit, prompt = plan.max_input_tokens, flat.full_prompt()
        is_fitting = fits(prompt.text, limit, self.reader.count)
        if flat.document is None:
            return self._without_document(flat, is_fitting, limit)
        if is_fitting and not self._is_over(plan, flat.text[slice(*flat.document)]):
            return prompt
        selected_prompt = self._selected(plan, flat)
        try:
            fitting = truncate(selected_prompt, limit, self.reader.count, self.reader.token_ends)
        except TooLong:
            assert limit is not None
            return self._cut_prompt(flat, limit)
        counts.selected += 1
        if fitting is not selected_prompt and not plan.selection.fit:
            counts.truncated += 1
            counts.tokens += fitting.truncated_tokens
        return fitting

    def _is_over(self, plan: Plan, document: str) -> bool:
        """Whether the bound of the selection leaves out some of a document; `budget` bounds the prompt."""
        if plan.selection.select is not None:
            if plan.selection.select.beyond is not None:
                return True
            count = self.reader.count if plan.selection.select.unit == "tokens" else count_words
            return count([document])[0] > plan.selection.select.amount
        return self.selection.takes_k

    def _selected(self, plan: Plan, flat: FlatPrompt) -> Prompt:
        assert flat.document is not None
        text = flat.text[slice(*flat.document)]
        if text != self.text:
            self.text, self.cache = text, IndexCache()
        around = {"before": flat.before(), "after": flat.after()}
        example = Example("prompt", Document("prompt", text), flat.query, meta=around)
        (job,) = prepare(plan, example.document, [example], self.cache)
        if job.failure is not None:
            raise UserError(job.failure)
        return job.prompt(job.selected)

    def _without_document(self, flat: FlatPrompt, is_fitting: bool, limit: int | None) -> Prompt:
        if is_fitting or limit is None:
            self.selection.counts.left += self._is_over(self.selection.plan, flat.text)
            return flat.full_prompt()
        return self._cut_prompt(flat, limit)

    def _cut_prompt(self, flat: FlatPrompt, limit: int) -> Prompt:
        """The prompt cut as a text; how the answer begins stays."""
        budget = max(limit - self.reader.count([flat.prefill])[0], 0) if flat.prefill else limit
        text, tokens = cut_text(flat.text, budget, self.reader, self.selection.cut)
        self.selection.counts.cut += 1
        self.selection.counts.tokens += tokens
        after: Sequence[Part] = [Part("prefill", flat.prefill)] if flat.prefill else []
        return Prompt((Part("text", text), *after), truncated_tokens=tokens)
