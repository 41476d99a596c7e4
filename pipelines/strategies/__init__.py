"""How chunks become one output. A strategy is a generator over a job that reads like straight-line code.

    def __call__(self, job):
        (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
        return answer

It yields lists of requests and is sent their values in order; `yield Retrieve(query, k)` searches the same document
again and is sent chunks, best first. The engine answers the requests of all jobs together. A strategy is pure: equal
values give equal requests, so a run is resumed by replay.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from chunkers import Chunk
from longdoc.registry import Registry
from models.prompts import Part, Prompt
from models.requests import Request
from models.truncation import Count
from pipelines.records import Example
from pipelines.strategies._row_prompt import RowPrompt
from pipelines.strategies._template import Template

Content = Chunk | str | Sequence[Chunk | str]


@dataclass(frozen=True, slots=True)
class Retrieve:
    """Search the job's document again; the strategy is sent the k best chunks, best first."""

    query: str
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction with notes beside it: further outputs by name (`changes`), and what did not go as it should.

    A strategy returns this or the bare prediction. A metric whose `of` is a note's name scores the note; the note
    `spans` stands for the selection where a strategy selected anew.
    """

    prediction: str
    notes: Mapping[str, str] = field(default_factory=dict)


Step = Sequence[Request] | Retrieve


@dataclass(frozen=True, slots=True)
class PairBounds:
    """How many requests and pairs of texts a document takes: (at least, at most), equal where it is certain."""

    requests: tuple[int, int] = (0, 0)
    pairs: tuple[int, int] = (0, 0)

    def plus(self, other: "PairBounds") -> "PairBounds":
        """Both together."""
        return PairBounds(_added(self.requests, other.requests), _added(self.pairs, other.pairs))


def _words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@dataclass(frozen=True, slots=True)
class Job:
    """One example on its way: its chunks, the selected ones in the order shown, and how prompts are made.

    `ranks` gives the retrieval rank of a selected chunk by its start (0 the best); `length` is the output length;
    `order` is how selected chunks are shown. `limit` bounds a prompt in tokens, which `count` counts.
    """

    example: Example
    chunks: Sequence[Chunk]
    selected: Sequence[Chunk]
    ranks: dict[int, int]
    length: int
    template: Template | RowPrompt
    search: Callable[[str, int | None], list[Chunk]]
    order: Literal["score", "document"] = "score"
    limit: int | None = None
    count: Count = _words

    def fits(self, content: Content) -> bool:
        """Whether the prompt around chunks or texts is within the limit; what is not is cut when it is asked."""
        return self.limit is None or self.count([self.prompt(content).text])[0] <= self.limit

    def prompt(self, content: Content = ()) -> Prompt:
        """The task's prompt around chunks or texts; texts of the model's own making have no place in the document."""
        items = [content] if isinstance(content, (Chunk, str)) else content
        parts = [self._part(item, position) for position, item in enumerate(items)]
        return self.template.render(self.example, parts)

    def answer(self, output: Any) -> str:
        """What of a reader's output is the answer, as the prompt asked for it."""
        return self.template.answer(self.example, str(output))

    def _part(self, item: Chunk | str, position: int) -> Part:
        if isinstance(item, str):
            return Part("document", item, rank=position)
        return Part("document", item.text, item.start, item.end, self.ranks.get(item.start, position))


@runtime_checkable
class Strategy(Protocol):
    """`needs` are the kinds of request it makes: a reader that lacks one is refused before any data is read.

    One that yields `Retrieve` has `searches`, true: a retriever that is asked with no query is refused as well.
    """

    needs: frozenset[type]

    def __call__(self, job: Job) -> Generator[Step, list[Any], str | Outcome]:
        """Yield rounds of requests, return the prediction."""
        ...


def _added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


@runtime_checkable
class PairwiseStrategy(Protocol):
    """A strategy that compares pairs of texts, and can tell beforehand how many: they go up as the square.

    `fewer` says what to type for fewer pairs; empty where there is nothing.
    """

    @property
    def fewer(self) -> str:
        """See above."""
        ...

    def comparisons(self, texts: int) -> PairBounds:
        """What a document with so many selected chunks takes."""
        ...


registry: Registry[Strategy] = Registry(__name__, "strategy", contract=Strategy)


def get(spec: Any, /, **fields: Any) -> Strategy:
    """The strategy for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all strategies."""
    return registry.names()
