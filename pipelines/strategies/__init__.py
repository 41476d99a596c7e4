"""Strategies: how a model answers from chunks. A strategy is a generator over a job.

    def __call__(self, job):
        (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
        return answer

It yields lists of requests and is sent their values in order; `yield Retrieve(query, k)` searches the same document
again and is sent chunks, best first. The engine answers the requests of all jobs together. A strategy is deterministic:
equal values give equal requests, so a run is resumed by replay.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from chunkers import Chunk
from chunkers.shared.words import count_words
from longdoc.registry import Registry
from models.prompts import CutSide, Part, Prompt
from models.reader import Reader
from models.requests import Generate, Request
from models.truncation import Count
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.prompts.template import Template
from pipelines.records import Example
from pipelines.strategies.shared.openings import with_headings

Content = Chunk | str | Sequence[Chunk | str]
Search = Callable[[str, int | None, Sequence[Chunk]], list[Chunk]]
BEGINNINGS = ("cue", "prefill")  # the roles of the parts with which an answer begins


@dataclass(frozen=True, slots=True)
class Retrieve:
    """A request to search the job's document again; the strategy is sent the k best chunks, best first.

    Where passages fill a budget (`Job.fills_budget`) they are sent without the text of those selected `before`.
    """

    query: str
    k: int | None = None
    before: tuple[Chunk, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction with notes: further outputs by name (`changes`), and remarks on problems.

    A strategy returns this or the bare prediction. A metric whose `target` is a note's name scores the note; the note
    `spans` replaces the selected spans where a strategy selected passages itself. `shown` are spans that count as shown
    to a model though no request shows them. `outputs` counts outputs that are not as the prompt asked, by kind
    (`pipelines.results.output_counts`).
    """

    prediction: str
    notes: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[tuple[int, int], ...] = ()
    outputs: Mapping[str, int] = field(default_factory=dict)


Step = Sequence[Request] | Retrieve


@dataclass(frozen=True, slots=True)
class PairBounds:
    """Bounds (minimum, maximum) on the numbers of requests and of compared pairs of texts."""

    requests: tuple[int, int] = (0, 0)
    pairs: tuple[int, int] = (0, 0)

    def plus(self, other: "PairBounds") -> "PairBounds":
        """The sum of these bounds and `other`."""
        return PairBounds(_sum_bounds(self.requests, other.requests), _sum_bounds(self.pairs, other.pairs))


def _sum_bounds(span: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return span[0] + other[0], span[1] + other[1]


def _no_counts() -> Mapping[str, Mapping[str, Any]]:
    return {}


@dataclass(frozen=True, slots=True)
class Job:
    """One example, ready for a strategy: its chunks, the selected ones in prompt order, and how prompts are made.

    `ranks` gives the retrieval rank of a selected chunk by its start (0 is the best); `length` is the output length;
    `order` is how selected chunks are ordered in the prompt. `labels` are the classes to decide between, `ending` what
    the strategy has every prompt end with (`Strategy.ending`). `limit` bounds a prompt in tokens, counted by `count`;
    `cut_side` is what is cut of a document that is over it. `fills_budget` says whether the selected chunks are
    passages that fill a budget of words: a prompt then marks where text was left out between two. Headings of chunks
    that have them outside (`Chunk.heading`) are shown in any case, each once a prompt.

    The engine alone uses: `evidence`, what preparing found of it (as `Prediction.evidence`); `scores`, the
    retriever's, of the selected chunks; `remark`, the chunker's on the document; `failure`, why no strategy can run on
    it; `encoder_counts`, what is longer than the retriever's encoder reads (as `Prediction.passages`).
    """

    example: Example
    chunks: Sequence[Chunk]
    selected: Sequence[Chunk]
    ranks: dict[int, int]
    length: int
    template: Template | RowPrompt | ChatPrompt
    search: Search
    order: Literal["score", "document"] = "score"
    limit: int | None = None
    count: Count = count_words
    fills_budget: bool = False
    cut_side: CutSide = "tail"
    labels: tuple[str, ...] = ()
    ending: str = ""
    evidence: Mapping[str, int] = field(default_factory=dict)
    scores: Sequence[float] = ()
    remark: str | None = None
    failure: str | None = None
    encoder_counts: Callable[[], Mapping[str, Mapping[str, Any]]] = _no_counts

    @property
    def selected_spans(self) -> tuple[tuple[int, int, float], ...]:
        """(start, end, score) of each selected chunk, in prompt order; empty without scores."""
        return tuple((chunk.start, chunk.end, score) for chunk, score in zip(self.selected, self.scores, strict=False))

    def fits(self, content: Content) -> bool:
        """Whether the prompt with these chunks or texts is within the limit, so that it is not truncated."""
        return self.limit is None or self.count([self.prompt(content).text])[0] <= self.limit

    def prompt(self, content: Content = ()) -> Prompt:
        """The task's prompt with these chunks, or with texts written by a model, which have no span."""
        items = [content] if isinstance(content, (Chunk, str)) else content
        parts = [self._part(item, position) for position, item in enumerate(items)]
        if self.fills_budget or any(isinstance(item, Chunk) and item.heading for item in items):
            parts = with_headings(self.example.document.text, items, parts, self.fills_budget)
        prompt = ended_prompt(self.template.render(self.example, parts), self.ending)
        return prompt if self.cut_side == "tail" else replace(prompt, cut_side=self.cut_side)

    def request(self, content: Content) -> Generate:
        """The request for an answer from these chunks or texts, with the choices that the prompt offers."""
        return Generate(self.prompt(content), self.length, choices=self.template.choices(self.example))

    def answer(self, output: Any) -> str:
        """The part of a reader's output that is the answer, in the form that the prompt requests."""
        return self.template.answer(self.example, str(output))

    def sharing(self, parts: int) -> "Job":
        """The job for one of `parts` parts, among which the prompt divides the number of words of the answer.

        Only the prompt changes: `length` stays.
        """
        if not isinstance(self.template, ChatPrompt):
            return self
        return replace(self, template=replace(self.template, parts=max(parts, 1)))

    def declines(self, answer: str) -> bool:
        """Whether an answer from one part of the document says that the part has no answer."""
        return isinstance(self.template, ChatPrompt) and self.template.declines(answer)

    def _part(self, item: Chunk | str, position: int) -> Part:
        if isinstance(item, str):
            return Part("document", item, rank=position)
        return Part("document", item.text, item.start, item.end, self.ranks.get(item.start, position))


def ended_prompt(prompt: Prompt, ending: str) -> Prompt:
    """The prompt with an ending, put before the words with which the answer begins."""
    if not ending:
        return prompt
    end = len(prompt.parts)
    while end and prompt.parts[end - 1].role in BEGINNINGS:
        end -= 1
    return replace(prompt, parts=(*prompt.parts[:end], Part("options", ending), *prompt.parts[end:]))


class Strategy(ABC):
    """Base class of strategies, which turn a job into a prediction.

    - `needs`: the kinds of request that it makes. A reader that does not support one is refused before data are read.
    - `by_part`: whether it asks about one part of the document at a time, which a prompt for chat models says.
    - `one_prompt`: whether the selected chunks are in one prompt, so that the reader's limit bounds how many are read.
    - `has_format`: whether its requests end with how to write the answer, in place of the task's own words.
    - `searches`: whether it yields `Retrieve`. A retriever that takes no query is refused.
    - `selections`: how many searches share a budget of words.
    - `labels`: the classes between which its requests decide, where the task has none of its own.
    - `output_ratio`: the tokens of an output for each token of the chunk that it is made from, where it grows with it,
      as a translation does. For chat models chunks without a size are bounded so that outputs have room.
    """

    needs: frozenset[type]
    by_part: bool = False
    one_prompt: bool = False
    searches: bool = False
    has_format: bool = False
    labels: tuple[str, ...] = ()
    output_ratio: float | None = None

    @property
    def selections(self) -> int:
        """The number of searches that share the budget of a selection: 1, more for strategies that search again."""
        return 1

    def longest_output(self, length: int) -> int:
        """The longest output that it asks for, in tokens, in a run with outputs of `length`: by default the same."""
        return length

    def output_length(self, length: int, labels: Sequence[str], count: Count) -> int:
        """The output length in tokens (by `count`) where no argument sets one: by default the task's `length`."""
        return length

    def ending(self, labels: Sequence[str]) -> str:
        """The text at the end of every prompt, after the task's own words: by default empty."""
        return ""

    def suited(self, reader: Reader) -> "Strategy":
        """The strategy to use with this reader in place of this one: by default itself."""
        return self

    @abstractmethod
    def __call__(self, job: Job) -> Generator[Step, list[Any], str | Outcome]:
        """Yield rounds of requests, return the prediction."""

    def training_examples(self, job: Job) -> Sequence[tuple[Request, tuple[str, ...]]] | None:
        """Training requests, each with its target outputs; None: the first requests, with the job's references.

        Raises `UserError` where requests are about parts of a document, and references about the whole.
        """
        return None


class PairwiseStrategy(Strategy):
    """A strategy that compares pairs of texts; their number, which grows as the square, is bounded beforehand."""

    @property
    @abstractmethod
    def hint(self) -> str:
        """Options to set for fewer pairs; empty if there are none."""

    @abstractmethod
    def comparisons(self, texts: int) -> PairBounds:
        """The bounds on requests and pairs for a document with `texts` selected chunks."""


registry: Registry[Strategy] = Registry(
    __name__,
    "strategy",
    contract=Strategy,
    plural="strategies",
    presets={"map:count": "map_count"},
    hidden=("select_only", "map_count"),
    example="strategy='stuff'",
)


def get(spec: Any, /, **fields: Any) -> Strategy:
    """The strategy for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all strategies."""
    return registry.names()
