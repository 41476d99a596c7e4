"""The author of each paragraph, written by a generating model as lines "number: author".

Paragraphs are numbered in windows that overlap. Those of the overlap stand with the author that they were given, and
one quotation of each author so far links a window with all before it.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from chunkers import Chunk
from longdoc.errors import UserError
from models.prompts import Part, Prompt
from models.requests import Generate
from models.truncation import Count
from pipelines.prompts.strategy_words import AUTHORS, KNOWN_AUTHORS
from pipelines.records import NO_AUTHOR
from pipelines.strategies import Job, Outcome, Step, Strategy, ended_prompt
from pipelines.strategies.shared.numbered_authors import Reading, read

PER_LINE, EXTRA_TOKENS = 10, 32  # tokens of a line "[12]: author 3", and of any words around the lines
QUOTED = 240  # characters of a quotation


@dataclass(frozen=True)
class Authors(Strategy):
    """Has a model write the author of each selected paragraph; the prediction is `1,1,2`.

    - `max_authors`: how many there are at most.
    - `paragraphs`: how many are asked for in one request, fewer where the reader's limit or `max_new_tokens` holds
      fewer (ten tokens each are allowed for).
    - `overlap`: how many paragraphs before them are shown again, with the authors that they were given.

    Authors are numbered anew in the order of their first paragraph. A paragraph that a reply leaves out, or gives two
    authors or one over `max_authors`, has the author of the one before. Notes: "changes" (`0,1`: for each paragraph but
    the first, whether its author is another one than that of the paragraph before), "multi_author" (`1` if there are
    several, else `0`), and `remark` for such paragraphs. Raises `UserError` for fields out of range.
    """

    max_authors: int = 4
    paragraphs: int = 50
    overlap: int = 3

    needs = frozenset({Generate})
    has_format = True

    def __post_init__(self) -> None:
        for name, value, minimum in (
            ("max_authors", self.max_authors, 1),
            ("paragraphs", self.paragraphs, 1),
            ("overlap", self.overlap, 0),
        ):
            if value < minimum:
                raise UserError(f"{name} must be at least {minimum}, got {value}")

    def output_length(self, length: int, labels: Sequence[str], count: Count) -> int:
        """The output length, in tokens, for the lines of a whole window."""
        return PER_LINE * self.paragraphs + EXTRA_TOKENS

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request per window, each with the authors found before; none for a single paragraph."""
        chunks, authors, total = job.selected, list[int](), Reading()
        if len(chunks) < 2:
            yield []
            return Outcome("1" if chunks else "", {"changes": "", "multi_author": "0"})
        tokens = job.count([chunk.text for chunk in chunks]) if job.limit is not None and chunks else []
        incomplete = 0
        while len(authors) < len(chunks):
            window = self._window(job, chunks, authors, tokens)
            (reply,) = yield [Generate(window.prompt, job.length)]
            reading = read(str(reply), window.first, window.last, self.max_authors)
            incomplete += bool(reading.missing and str(reply).strip())  # empty outputs are counted as such
            total = total.plus(reading)
            for author in reading.authors:
                authors.append(author or (authors[-1] if authors else 1))
            authors = _renumbered(authors)
        changes = [int(number != other) for number, other in pairwise(authors)]
        notes = {"changes": _joined(changes), "multi_author": str(int(any(changes)))}
        if total.missing:
            notes["remark"] = total.description(len(chunks))
        return Outcome(_joined(authors), notes, outputs={NO_AUTHOR: incomplete} if incomplete else {})

    def training_examples(self, job: Job) -> Any:
        """Raises `UserError`: each request contains authors from earlier answers, so there are no training examples."""
        raise UserError(
            "authors cannot be used for training, as each request depends on earlier answers; train with "
            "strategy='pairs' instead"
        )

    def _window(self, job: Job, chunks: Sequence[Chunk], authors: Sequence[int], tokens: Sequence[int]) -> "_Window":
        """The next window: as many paragraphs as are allowed and fit, after those of the overlap."""
        first, max_count = len(authors), min(self.paragraphs, max((job.length - EXTRA_TOKENS) // PER_LINE, 1))
        start, stop = max(first - self.overlap, 0), min(first + max_count, len(chunks))
        window = _Window(job, self.max_authors, chunks, authors, start, stop)
        if job.limit is None:
            return window
        budget = job.limit - job.count([replace(window, start=first, stop=first + 1).prompt_without_paragraphs])[0]
        while start < first and sum(tokens[start:first]) > budget // 3:
            start += 1
        while stop > first + 1 and sum(tokens[start:stop]) + LABEL * (stop - start) > budget:
            stop -= 1
        window = replace(window, start=start, stop=stop)
        while not window.fits and (stop > first + 1 or start < first):
            start, stop = (start, stop - 1) if stop > first + 1 else (start + 1, stop)
            window = replace(window, start=start, stop=stop)
        return window


LABEL = 6  # tokens of "[12] (author 3) "


@dataclass(frozen=True, slots=True)
class _Window:
    """The paragraphs `start` to `stop` of a document; those before `len(authors)` have their author already."""

    job: Job
    max_authors: int
    chunks: Sequence[Chunk]
    authors: Sequence[int]
    start: int
    stop: int

    @property
    def first(self) -> int:
        """The number of the first paragraph that is asked for; paragraphs are numbered from 1."""
        return len(self.authors) + 1

    @property
    def last(self) -> int:
        """The number of the last paragraph that is asked for."""
        return self.stop

    @property
    def prompt(self) -> Prompt:
        """The task's prompt with numbered paragraphs, after quotations of the authors and before the instruction."""
        prompt = self.job.prompt(self.chunks[self.start : self.stop])
        labelled = [
            replace(part, label=self._label(position), label_end=" ") for position, part in enumerate(prompt.passages)
        ]
        passages = tuple(replace(part, rank=position) for position, part in enumerate(labelled))
        quotations, instruction = self._quotations(), self._instruction()
        prompt = prompt.with_passages(passages)
        prompt = ended_prompt(prompt, instruction)
        if not quotations:
            return prompt
        if prompt.parts[0].role == "instruction":
            first_part, *parts = prompt.parts
            return replace(prompt, parts=(first_part, Part("text", f"\n\n{quotations.rstrip()}"), *parts))
        return replace(prompt, parts=(Part("text", quotations), *prompt.parts))

    @property
    def prompt_without_paragraphs(self) -> str:
        """The prompt's text without paragraphs."""
        empty = replace(self.job, selected=())
        return self._quotations() + empty.prompt(()).text + self._instruction()

    @property
    def fits(self) -> bool:
        """Whether the prompt is within the reader's limit."""
        return self.job.limit is None or self.job.count([self.prompt.text])[0] <= self.job.limit

    def _label(self, position: int) -> str:
        number = self.start + position + 1
        return f"[{number}] (author {self.authors[number - 1]})" if number <= len(self.authors) else f"[{number}]"

    def _instruction(self) -> str:
        known_authors = KNOWN_AUTHORS if self.authors else ""
        return AUTHORS.format(most=self.max_authors, known=known_authors, first=self.first, last=self.last)

    def _quotations(self) -> str:
        """One line per known author that quotes the beginning of their longest paragraph."""
        longest: dict[int, str] = {}
        for author, chunk in zip(self.authors, self.chunks, strict=False):
            if len(chunk.text) > len(longest.get(author, "")):
                longest[author] = chunk.text
        lines = [f'Author {author}: "{_opening(longest[author])}"\n' for author in sorted(longest)]
        return "".join(lines) + "\n" if lines else ""


def _opening(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTED else text[:QUOTED].rpartition(" ")[0] or text[:QUOTED]


def _renumbered(authors: Sequence[int]) -> list[int]:
    """The authors numbered from 1 in the order of their first paragraph."""
    numbers: Mapping[int, int] = {author: number for number, author in enumerate(dict.fromkeys(authors), 1)}
    return [numbers[author] for author in authors]


def _joined(values: Sequence[int]) -> str:
    return ",".join(map(str, values))
