"""Line-by-line translation: lines are numbered in the prompt, and the reply is read by these numbers.

Lines that a reply leaves out are asked for again, in halves and at last one by one, so that line n of the prediction is
line n of the document whatever the model leaves out, joins or adds.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chunkers import Chunk
from models.prompts import Prompt
from models.requests import Generate
from pipelines.prompts.strategy_words import NUMBERED_LINES
from pipelines.records import LOST_TEXT
from pipelines.strategies import Job, Outcome, Step, Strategy
from pipelines.strategies.shared.line_numbers import read
from pipelines.strategies.shared.lines import RATIO, joined_like_source, line_number, lines_of, listed, split_lines

PER_LINE = 4  # tokens of "12: " and the line end


@dataclass(frozen=True)
class NumberedLines(Strategy):
    """One request per selected chunk, whose lines are numbered from 1; the reply is read by these numbers.

    A chunk whose lines would take more than `max_new_tokens` is asked about in several requests. Lines in another
    order, wrapped, in a list or a code fence, with a remark around them, are read all the same; so are lines without
    numbers where they are as many. What a reply leaves out, joins, or has twice in different words is asked for again,
    in halves, until a line was asked for alone; a line that still has none stays empty, is listed in the note
    `lines_lost`, and counted. Blank lines stay where they are. The note `long_lines` lists the lines that were split,
    being longer than a chunk. A chunk of n lines takes at most 2n requests.
    """

    needs = frozenset({Generate})
    by_part = True
    has_format = True
    output_ratio = 1.8  # RATIO, and PER_LINE at 9 tokens a line, as the lines of films have

    def ending(self, labels: Sequence[str]) -> str:
        """The instruction on how to write the lines."""
        return NUMBERED_LINES

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one round of requests for all chunks, then further rounds for missing lines."""
        text = job.example.document.text
        chunks = [lines_of(chunk) for chunk in sorted(job.selected, key=lambda chunk: chunk.start)]
        lines = [line for chunk in chunks for line in chunk]
        outputs: dict[Chunk, str] = {}
        groups = [group for chunk in chunks for group in _groups(job, chunk)]
        while True:
            replies = yield [Generate(_prompt(job, group), job.length) for group in groups]
            next_groups: list[Sequence[Chunk]] = []
            for group, reply in zip(groups, replies, strict=True):
                texts = read(job.answer(reply), len(group))
                outputs |= {group[number - 1]: output for number, output in texts.items()}
                missing = [line for line in group if line not in outputs]
                next_groups += _halves(missing) if len(group) > 1 else []
            if not next_groups:
                break
            groups = next_groups
        return _outcome(text, lines, [outputs.get(line, "") for line in lines])

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """Training requests, each with the numbered lines of the references; empty where line numbers differ.

        Requests with parts of a split line are left out.
        """
        text = job.example.document.text
        targets = [reference.split("\n") for reference in job.example.references]
        targets = [target for target in targets if len(target) == line_number(text, len(text))]
        examples = []
        for chunk in sorted(job.selected, key=lambda chunk: chunk.start):
            for group in _groups(job, lines_of(chunk)):
                numbers = [line_number(text, line.start) - 1 for line in group]
                if targets and [line.text for line in group] == [
                    text.split("\n")[number].strip() for number in numbers
                ]:
                    outputs = tuple(
                        "\n".join(f"{position}: {target[number].strip()}" for position, number in enumerate(numbers, 1))
                        for target in targets
                    )
                    examples.append((Generate(_prompt(job, group), job.length), outputs))
        return examples


def _groups(job: Job, lines: Sequence[Chunk]) -> list[Sequence[Chunk]]:
    """Groups of lines whose translations fit the output length, and whose prompt fits the reader's limit."""
    groups: list[list[Chunk]] = []
    budget = 0.0
    for line, tokens in zip(lines, job.count([line.text for line in lines]) if lines else (), strict=True):
        cost = RATIO * tokens + PER_LINE
        if cost > budget or not groups:
            groups.append([])
            budget = float(job.length)
        groups[-1].append(line)
        budget -= cost
    return [part for group in groups for part in _fitting(job, group)]


def _fitting(job: Job, lines: Sequence[Chunk]) -> list[Sequence[Chunk]]:
    """The lines, halved until the prompt of each part fits the reader's limit."""
    if len(lines) == 1 or job.limit is None or job.count([_prompt(job, lines).text])[0] <= job.limit:
        return [lines]
    return [part for half in _halves(lines) for part in _fitting(job, half)]


def _halves(lines: Sequence[Chunk]) -> list[Sequence[Chunk]]:
    middle = (len(lines) + 1) // 2
    return [half for half in (lines[:middle], lines[middle:]) if half]


def _prompt(job: Job, lines: Sequence[Chunk]) -> Prompt:
    """The task's prompt with numbered lines; if it is too long, the last line is cut first."""
    prompt = job.prompt(lines)
    numbered = enumerate(prompt.passages)
    passages = tuple(
        replace(part, label=f"{position + 1}:", label_end=" ", rank=position) for position, part in numbered
    )
    return replace(prompt.with_passages(passages), separator="\n")


def _outcome(text: str, lines: Sequence[Chunk], outputs: Sequence[str]) -> Outcome:
    chunks = [line for line, output in zip(lines, outputs, strict=True) if not output]
    numbers = dict.fromkeys(str(line_number(text, line.start)) for line in chunks)
    notes = {
        "lines_lost": listed(list(numbers), ", ") if chunks else "",
        "long_lines": listed(split_lines(text, lines)),
    }
    counts = {LOST_TEXT: len(chunks)} if chunks else {}
    return Outcome(
        joined_like_source(text, lines, outputs), {name: note for name, note in notes.items() if note}, outputs=counts
    )
