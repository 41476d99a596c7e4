"""One request per chunk, in document order, and the outputs joined (MuLD, section 4: translation, VLSP)."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chunkers import Chunk
from longdoc.errors import UserError
from models.prompts import Prompt
from models.reader import Reader
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Step, Strategy
from pipelines.strategies.map_reduce import MapReduce
from pipelines.strategies.numbered_lines import NumberedLines
from pipelines.strategies.shared.lines import RATIO, joined_like_source, lines_of, listed, split_lines


@dataclass(frozen=True)
class Map(Strategy):
    """One request per selected chunk; the outputs stand one below the other.

    Those that say that a part does not hold the answer are left out where others hold one. In prompts for chat models
    summaries of parts share the length of the answer, in words that they are told.

    - `keep_lines` (translation): the outputs are joined by the white space between the chunks in the document instead,
      so that blank lines stay where they are and the parts of a line become one line again. Where all outputs have as
      many lines as their chunks, line n of the prediction is that of line n of the document; other chunks are listed in
      the note `lines` ("chunk 3: 12 lines in, 10 out"). Readers whose tokenizers drop line breaks (T5, Marian and all
      of SentencePiece) give one line per chunk.
    - `by_line`: one request per line, which keeps lines aligned with any reader, but without context. Equal lines are
      one request. Line breaks inside an output become spaces.

    The note `long_lines` lists the lines that were split, being longer than a chunk.
    """

    needs = frozenset({Generate})
    by_part = True

    keep_lines: bool = False
    by_line: bool = False

    @property
    def output_ratio(self) -> float | None:  # type: ignore[override]
        """Output tokens per input token of translated chunks; None where outputs are not translations of chunks."""
        return RATIO if self.keep_lines and not self.by_line else None

    def suited(self, reader: Reader) -> Strategy:
        """For chat models: numbered lines, or `map_reduce`; otherwise itself."""
        if not reader.is_chat or self.by_line:
            return self
        return NumberedLines() if self.keep_lines else MapReduce()

    def __call__(self, job: Job) -> Generator[Step, list[Any], str | Outcome]:
        """Make all requests in one round."""
        text = job.example.document.text
        chunks = sorted(job.selected, key=lambda chunk: chunk.start)
        if self.by_line:
            chunks = [line for chunk in chunks for line in lines_of(chunk)]
        job = job.sharing(len(chunks))
        requests = [Generate(_prompt(job, chunk), job.length) for chunk in chunks]
        outputs = [job.answer(value) for value in (yield requests)]
        if not (self.keep_lines or self.by_line):
            return "\n".join([output for output in outputs if not job.declines(output)] or outputs[:1])
        if self.by_line:
            outputs = [" ".join(output.split("\n")) for output in outputs]
        outputs = [output.strip() for output in outputs]
        return Outcome(joined_like_source(text, chunks, outputs), _notes(text, chunks, outputs))

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """Training requests, each with the lines of the references that correspond to its lines of the document.

        Empty where the document and its references have different numbers of lines. Raises `UserError` where lines are
        not kept: the reference for a part cannot be derived from the one for the whole.
        """
        if not (self.keep_lines or self.by_line):
            raise UserError(
                "map cannot be used for training, as references are about whole documents; train with "
                "strategy='stuff' and chunker='truncate' on documents that are short enough"
            )
        lines = job.example.document.text.split("\n")
        targets = [reference.split("\n") for reference in job.example.references]
        targets = [target for target in targets if len(target) == len(lines)]
        chunks = sorted(job.selected, key=lambda chunk: chunk.start)
        if self.by_line:
            chunks = [line for chunk in chunks for line in lines_of(chunk)]
        examples = []
        for chunk in chunks:
            first, last = (job.example.document.text.count("\n", 0, position) for position in (chunk.start, chunk.end))
            if targets and chunk.text == "\n".join(lines[first : last + 1]).strip():
                outputs = tuple("\n".join(target[first : last + 1]).strip() for target in targets)
                examples.append((Generate(_prompt(job, chunk), job.length), outputs))
        return examples


def _prompt(job: Job, chunk: Chunk) -> Prompt:
    """The prompt for a chunk, the same whatever its position among the chunks, so that equal lines are one request."""
    prompt = job.prompt([chunk])
    return prompt.with_passages(tuple(replace(part, rank=0) for part in prompt.passages))


def _line_count(text: str) -> int:
    return text.count("\n") + 1


def _notes(text: str, chunks: Sequence[Chunk], outputs: Sequence[str]) -> dict[str, str]:
    counts = [(_line_count(chunk.text), _line_count(output)) for chunk, output in zip(chunks, outputs, strict=True)]
    uneven_chunks = [f"chunk {i}: {n} lines in, {m} out" for i, (n, m) in enumerate(counts, 1) if n != m]
    notes = (("lines", uneven_chunks), ("long_lines", split_lines(text, chunks)))
    return {name: listed(entries) for name, entries in notes if entries}
