"""What a reading agent has done so far: its steps, its notes, the passages that it was shown, and the next prompt."""

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chunkers import Chunk
from models.prompts import Part, Prompt
from pipelines.records import Span
from pipelines.strategies import Job
from pipelines.strategies.shared.chat_prompt import ChatPrompt
from pipelines.strategies.shared.row_prompt import RowPrompt
from pipelines.strategies.shared.template import Template

ARGUMENT = 80  # characters of an argument that the path shows
LISTED = 12  # numbers of passages that the path lists for a step
LOOKS = ("search", "read", "grep")  # tools that show something of the document


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step: the tool, its argument, the spans that it showed, and what the model is told of it."""

    tool: str
    argument: str
    spans: tuple[Span, ...]
    result: str

    @property
    def line(self) -> str:
        """The step as a model is shown it."""
        shown_text = self.argument[:ARGUMENT] + "…" * (len(self.argument) > ARGUMENT)
        return f"{self.tool.upper()}: {' '.join(shown_text.split())} -> {self.result}"


@dataclass(slots=True)
class AgentPath:
    """The path through a job's document. Passages of the newest step are ranked best, so that they are cut last."""

    job: Job
    steps: list[PathStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    passages: dict[Span, tuple[int, int, Chunk]] = field(default_factory=dict)  # by (minus step, place in it)
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._starts = [chunk.start for chunk in self.job.chunks]

    def add(self, tool: str, argument: str, chunks: Sequence[Chunk], result: str = "") -> None:
        """Record a step that showed these chunks, best first."""
        spans = tuple((chunk.start, chunk.end) for chunk in chunks)
        self.steps.append(PathStep(tool, argument, spans, result or self.numbers_text(chunks)))
        for place, chunk in enumerate(chunks):
            self._show(-len(self.steps), place, chunk)

    def remark(self, text: str) -> None:
        """Say more of the last step."""
        self.steps[-1] = replace(self.steps[-1], result=f"{self.steps[-1].result}; {text}")

    def earlier_step(self, tool: str, argument: str) -> PathStep | None:
        """The step with the same call, where there is one."""
        key = " ".join(argument.casefold().split())
        return next((s for s in self.steps if s.tool == tool and " ".join(s.argument.casefold().split()) == key), None)

    def chunks_in(self, spans: Sequence[Span]) -> list[Chunk]:
        """The passages that hold these spans."""
        rows = [chunk for start, end in spans for chunk in self.chunks if chunk.start <= start and end <= chunk.end]
        return list(dict.fromkeys(rows))

    @property
    def chunks(self) -> list[Chunk]:
        """All passages, best first."""
        return [chunk for _, _, chunk in sorted(self.passages.values(), key=lambda row: row[:2])]

    def number(self, chunk: Chunk) -> int:
        """The number of the chunk of the document in which a passage begins, from 1."""
        return max(bisect_right(self._starts, chunk.start), 1)

    def numbers_text(self, chunks: Sequence[Chunk]) -> str:
        """The numbers of the passages in which these begin, as the model is told."""
        numbers = list(dict.fromkeys(map(self.number, chunks)))
        listed = ", ".join(map(str, numbers[:LISTED])) + ", …" * (len(numbers) > LISTED)
        return f"passage{'s' * (len(numbers) > 1)} {listed}" if numbers else "nothing"

    def holds(self, chunk: Chunk) -> bool:
        """Whether the text of a chunk was shown."""
        return any(start <= chunk.start and chunk.end <= end for start, end in self.passages)

    @property
    def has_looked(self) -> bool:
        """Whether a step after the first search looked into the document."""
        return any(step.tool in LOOKS for step in self.steps[1:])

    def prompt(
        self,
        ending: str,
        steps_left: int | None = None,
        limit: int | None = None,
        template: Template | RowPrompt | ChatPrompt | None = None,
    ) -> Prompt:
        """The task's prompt around the passages, with path and notes as far as `limit` has room, and `ending`.

        The limit and the template are the job's where none is given.
        """
        chunks = self.chunks
        ranks = {chunk.start: rank for rank, chunk in reversed(list(enumerate(chunks)))}
        if self.job.order == "document":
            chunks.sort(key=lambda chunk: (chunk.start, chunk.end))
        told_text = self._told_text(steps_left) + ending
        template, limit = template or self.job.template, limit or self.job.limit
        job = replace(self.job, ranks=ranks, limit=limit, ending=told_text, template=template)
        lines = len(self.steps) + len(self.notes)
        while lines and not _fits_limit(job):
            lines -= 1
            job = replace(job, ending=self._told_text(steps_left, lines) + ending)
        prompt = job.prompt(chunks)
        return replace(prompt, parts=tuple(map(self._labelled, prompt.parts)))

    def notes_record(self) -> dict[str, str]:
        """The notes of a prediction: the path, the spans, and what the agent noted."""
        path = [{"tool": s.tool, "argument": s.argument, "spans": s.spans, "result": s.result} for s in self.steps]
        spans = sorted((chunk.start, chunk.end) for chunk in self.chunks)
        noted_texts = {"noted": "\n".join(self.notes)} if self.notes else {}
        return {"spans": json.dumps(spans), "path": json.dumps(path, ensure_ascii=False), **noted_texts}

    def _show(self, step: int, place: int, chunk: Chunk) -> None:
        """Rank a passage with the newest; one inside another is not shown twice."""
        outer = next((c for _, _, c in self.passages.values() if c.start <= chunk.start and chunk.end <= c.end), chunk)
        inner = [span for span in self.passages if outer.start <= span[0] and span[1] <= outer.end]
        for span in inner:
            row = self.passages.pop(span)
            step, place = min((step, place), row[:2])
        self.passages[(outer.start, outer.end)] = (step, place, outer)

    def _told_text(self, steps_left: int | None, lines: int | None = None) -> str:
        """The last `lines` steps and notes; steps go first, as a note says what its writer wanted to keep."""
        note_count = len(self.notes) if lines is None else min(lines, len(self.notes))
        step_count = len(self.steps) if lines is None else lines - note_count
        steps = [f"{i}. {step.line}" for i, step in enumerate(self.steps, 1)][len(self.steps) - step_count :]
        notes = [f"- {note}" for note in self.notes[len(self.notes) - note_count :]]
        blocks = [("Steps so far:", steps), ("Notes:", notes)]
        told_text = "".join("\n\n" + "\n".join([head, *rows]) for head, rows in blocks if rows)
        return told_text + (f"\n\nSteps left: {steps_left}" if steps_left is not None else "")

    def _labelled(self, part: Part) -> Part:
        """A passage with its number and its place, by which it can be named."""
        if part.role != "document" or part.start is None or part.end is None:
            return part
        number = self.number(Chunk(part.text, part.start, part.end))
        label = f"[{number} of {len(self._starts)}, characters {part.start}-{part.end}]"
        return replace(part, label=label)


def _fits_limit(job: Job) -> bool:
    """Whether what is around the passages is within the limit, with a notice that passages were cut."""
    if job.limit is None:
        return True
    prompt = replace(job.prompt(Chunk("", 0, 0)), truncated_tokens=1)
    return job.count([prompt.text])[0] <= job.limit
