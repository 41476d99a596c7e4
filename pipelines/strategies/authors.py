"""The author of each paragraph, as a model writes it down that can only write: "number: author", a line each.

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
from pipelines.records import NO_AUTHOR
from pipelines.strategies import Job, Outcome, Step, Strategy, ended_prompt
from pipelines.strategies.shared.numbered_authors import Reading, read

PER_LINE, MORE_LIMIT = 10, 32  # tokens of "[12]: author 3" and the line end, and of words around the lines
QUOTED = 240  # characters of a quotation

ASKED_TEXT = (
    "\n\nThe numbered paragraphs above are from one document that one to {most} authors wrote. Authors are numbered in "
    "the order in which they first occur; whoever writes in the same style is the same author.{known} "
    "For each paragraph from {first} to {last} write one line: the number of the paragraph, a colon, and the number of "
    "its author. Write nothing else."
)
KNOWN_TEXT = " The authors of some paragraphs are given, and of each author so far a quotation."


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
        """Room for the lines of a whole window."""
        return PER_LINE * self.paragraphs + MORE_LIMIT

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request a window, each with the authors of those before; none for a single paragraph."""
        chunks, authors, found_reading = job.selected, list[int](), Reading()
        if len(chunks) < 2:
            yield []
            return Outcome("1" if chunks else "", {"changes": "", "multi_author": "0"})
        tokens = job.count([chunk.text for chunk in chunks]) if job.limit is not None and chunks else []
        spoiled = 0
        while len(authors) < len(chunks):
            window = self._window(job, chunks, authors, tokens)
            (reply,) = yield [Generate(window.prompt, job.length)]
            reading = read(str(reply), window.first, window.last, self.max_authors)
            spoiled += bool(reading.missing and str(reply).strip())  # empty outputs are counted as such
            found_reading = found_reading.plus(reading)
            for author in reading.authors:
                authors.append(author or (authors[-1] if authors else 1))
            authors = _ordered_authors(authors)
        changes = [int(number != other) for number, other in pairwise(authors)]
        notes = {"changes": _joined(changes), "multi_author": str(int(any(changes)))}
        if found_reading.missing:
            notes["remark"] = found_reading.described(len(chunks))
        return Outcome(_joined(authors), notes, outputs={NO_AUTHOR: spoiled} if spoiled else {})

    def training_examples(self, job: Job) -> Any:
        """Refused: requests are about windows, with authors that a model gave before. Raises `UserError`."""
        raise UserError(
            "authors asks about windows of a document, each with the authors of those before: train a reader that "
            "compares paragraphs, strategy='pairs'"
        )

    def _window(self, job: Job, chunks: Sequence[Chunk], authors: Sequence[int], tokens: Sequence[int]) -> "_Window":
        """The next paragraphs, as many as may be asked for and fit, with those of the overlap before them."""
        done, maximum = len(authors), min(self.paragraphs, max((job.length - MORE_LIMIT) // PER_LINE, 1))
        start, stop = max(done - self.overlap, 0), min(done + maximum, len(chunks))
        window = _Window(job, self.max_authors, chunks, authors, start, stop)
        if job.limit is None:
            return window
        budget = job.limit - job.count([replace(window, start=done, stop=done + 1).around])[0]
        while start < done and sum(tokens[start:done]) > budget // 3:
            start += 1
        while stop > done + 1 and sum(tokens[start:stop]) + LABEL * (stop - start) > budget:
            stop -= 1
        window = replace(window, start=start, stop=stop)
        while not window.fits and (stop > done + 1 or start < done):
            start, stop = (start, stop - 1) if stop > done + 1 else (start + 1, stop)
            window = replace(window, start=start, stop=stop)
        return window


LABEL = 6  # tokens of "[12] (author 3) "


@dataclass(frozen=True, slots=True)
class _Window:
    """The paragraphs `start` to `stop` of a document; those before `len(authors)` have their author already."""

    job: Job
    most: int
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
        """That of the last one."""
        return self.stop

    @property
    def prompt(self) -> Prompt:
        """The task's prompt around the numbered paragraphs, with quotations before and what to write behind it."""
        prompt = self.job.prompt(self.chunks[self.start : self.stop])
        numbered = [
            replace(part, label=self._label(position), label_end=" ") for position, part in enumerate(prompt.passages)
        ]
        passages = tuple(replace(part, rank=position) for position, part in enumerate(numbered))
        before, behind = self._quotations(), self._asked_text()
        prompt = prompt.with_passages(passages)
        prompt = ended_prompt(prompt, behind)
        if not before:
            return prompt
        if prompt.parts[0].role == "instruction":
            instruction, *parts = prompt.parts
            return replace(prompt, parts=(instruction, Part("text", f"\n\n{before.rstrip()}"), *parts))
        return replace(prompt, parts=(Part("text", before), *prompt.parts))

    @property
    def around(self) -> str:
        """The prompt's text without paragraphs."""
        empty = replace(self.job, selected=())
        return self._quotations() + empty.prompt(()).text + self._asked_text()

    @property
    def fits(self) -> bool:
        """Whether the prompt is within the reader's limit."""
        return self.job.limit is None or self.job.count([self.prompt.text])[0] <= self.job.limit

    def _label(self, position: int) -> str:
        number = self.start + position + 1
        return f"[{number}] (author {self.authors[number - 1]})" if number <= len(self.authors) else f"[{number}]"

    def _asked_text(self) -> str:
        known_text = KNOWN_TEXT if self.authors else ""
        return ASKED_TEXT.format(most=self.most, known=known_text, first=self.first, last=self.last)

    def _quotations(self) -> str:
        """The first words of the longest paragraph of each author so far."""
        longest: dict[int, str] = {}
        for author, chunk in zip(self.authors, self.chunks, strict=False):
            if len(chunk.text) > len(longest.get(author, "")):
                longest[author] = chunk.text
        lines = [f'Author {author}: "{_opening(longest[author])}"\n' for author in sorted(longest)]
        return "".join(lines) + "\n" if lines else ""


def _opening(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTED else text[:QUOTED].rpartition(" ")[0] or text[:QUOTED]


def _ordered_authors(authors: Sequence[int]) -> list[int]:
    """The authors numbered from 1 in the order of their first paragraph."""
    numbers: Mapping[int, int] = {author: number for number, author in enumerate(dict.fromkeys(authors), 1)}
    return [numbers[author] for author in authors]


def _joined(values: Sequence[int]) -> str:
    return ",".join(map(str, values))
