"""Makes prompts whose document is too long fit a reader: the best passages take the place of the document."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from longdoc.messages import counted
from longdoc.registry import name_of
from models.prompts import Part, Prompt
from models.reader import Reader
from models.truncation import TooLong, fits, truncate
from pipelines import tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.preparation.index_cache import IndexCache
from pipelines.engine.preparation.prepare import prepare
from pipelines.plugins.bridges._flat_prompts import AroundDocument, FlatPrompt
from pipelines.plugins.bridges._text_cut import Cut, cut_text
from pipelines.records import Document, Example

TASK = "qa"
CHUNKER = "sentences:size=200"
RETRIEVER = "bm25"
UNSCORED = "answer_recall"  # nothing is scored here, and the metrics of `qa` take a second to import


@dataclass(slots=True)
class Counts:
    """The number of prompts, and of those that were changed."""

    prompts: int = 0
    selected: int = 0  # passages took the place of the document
    cut: int = 0  # cut as a text: no document was found, or the text around it alone is over the limit
    without_document: int = 0  # shown whole, though the bound asks for a selection
    truncated: int = 0  # of the selected ones: the passages are over the reader's limit
    tokens: int = 0  # cut off by cutting and truncating


@dataclass(frozen=True, slots=True)
class PromptSelection:
    """Makes prompts from flat ones, by the arguments of a run.

    With a budget of words, passages are selected from documents over that size; with `k`, from all; else from those of
    prompts over the reader's limit, as many as fill it. All other prompts stay as they are.
    """

    plan: Plan
    takes_k: bool  # whether k chunks are selected from every document
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
        """Whether nothing is ever selected: there is no bound, and the reader has no limit."""
        return self.plan.selection.words is None and not self.takes_k and self.plan.max_input_tokens is None

    def prompts(self, reader: Reader, flat_prompts: Iterable[tuple[FlatPrompt, int]]) -> list[Prompt]:
        """The prompts for a reader; each flat prompt comes with its output's length. Documents are indexed once."""
        documents = _Documents(self, reader)
        return [documents.prompt(flat, length) for flat, length in flat_prompts]

    def report_lines(self) -> list[str]:
        """What was done with the prompts since the last call, one line each."""
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
        if counts.without_document:
            reason = "no field of the row is a document that the prompt holds"
            prompts = counted(counts.without_document, "prompt")
            lines.append(f"warning: {prompts} without selection, shown whole: {reason}; {hint}")
        return lines

    def _limit(self) -> str:
        selection = self.plan.selection
        if selection.words is not None:
            return f"{selection.words:,} words of document"
        return "the reader's limit" if selection.tokens is None else f"a prompt of {selection.tokens:,} tokens"

    def _amount(self) -> str:
        selection = self.plan.selection
        if selection.words is not None:
            return f"{selection.words:,} words of each document"
        return f"{selection.k} chunks of each document" if self.takes_k else "as many chunks as fit"


@dataclass(slots=True)
class _Documents:
    """Makes the prompts of one call; keeps the last document's chunks and index for the next prompt."""

    selection: PromptSelection
    reader: Reader
    text: str | None = None
    cache: IndexCache = field(default_factory=IndexCache)

    def prompt(self, flat: FlatPrompt, length: int) -> Prompt:
        """The prompt with all of its document, with passages of it, or cut as a text."""
        counts = self.selection.counts
        counts.prompts += 1
        plan = replace(self.selection.plan, reader=self.reader, max_new_tokens=length)
        limit, prompt = plan.max_input_tokens, flat.full_prompt()
        does_fit = fits(prompt.text, limit, self.reader.count)
        if flat.document is None:
            return self._without_document(flat, does_fit, limit)
        if does_fit and not self._is_over(plan, flat.text[slice(*flat.document)]):
            return prompt
        selected_prompt = self._selected_prompt(plan, flat)
        try:
            prompt = truncate(selected_prompt, limit, self.reader.count, self.reader.token_ends)
        except TooLong:
            assert limit is not None
            return self._cut_prompt(flat, limit)
        counts.selected += 1
        if prompt is not selected_prompt and not plan.selection.fit:
            counts.truncated += 1
            counts.tokens += prompt.truncated_tokens
        return prompt

    def _is_over(self, plan: Plan, document: str) -> bool:
        """Whether a selection would leave out some of the document; a bound in tokens is on the prompt."""
        if plan.selection.words is not None:
            return count_words([document])[0] > plan.selection.words
        return self.selection.takes_k

    def _selected_prompt(self, plan: Plan, flat: FlatPrompt) -> Prompt:
        """The prompt with the best passages in place of its document. Raises `UserError`."""
        assert flat.document is not None
        text = flat.text[slice(*flat.document)]
        if text != self.text:
            self.text, self.cache = text, IndexCache()
        meta = {"before": flat.before(), "after": flat.after()}
        example = Example("prompt", Document("prompt", text), flat.query, meta=meta)
        (job,) = prepare(plan, example.document, [example], self.cache)
        if job.failure is not None:
            raise UserError(job.failure)
        return job.prompt(job.selected)

    def _without_document(self, flat: FlatPrompt, does_fit: bool, limit: int | None) -> Prompt:
        """The prompt in which no document was found: whole, or cut as a text."""
        if does_fit or limit is None:
            self.selection.counts.without_document += self._is_over(self.selection.plan, flat.text)
            return flat.full_prompt()
        return self._cut_prompt(flat, limit)

    def _cut_prompt(self, flat: FlatPrompt, limit: int) -> Prompt:
        """The prompt cut as a text; the beginning of the answer stays."""
        budget = max(limit - self.reader.count([flat.prefill])[0], 0) if flat.prefill else limit
        text, tokens = cut_text(flat.text, budget, self.reader, self.selection.cut)
        self.selection.counts.cut += 1
        self.selection.counts.tokens += tokens
        after: Sequence[Part] = [Part("prefill", flat.prefill)] if flat.prefill else []
        return Prompt((Part("text", text), *after), truncated_tokens=tokens)
