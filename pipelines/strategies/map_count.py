"""A count over the whole document: one request per part, and the replies are counted by the program.

What retrieval and a single prompt fail at, OOLONG's authors find (Bertsch et al. 2025): how often something is in a
document, how many different ones there are, which comes first. A model reads a part; the sum is arithmetic, so that the
answer does not depend on how many parts there are, if each reply is right.
"""

import json
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from chunkers import Chunk
from models.requests import Generate
from pipelines.prompts.strategy_words import PART_COUNTS
from pipelines.records import NO_COUNT
from pipelines.strategies import Job, Outcome, Step, Strategy

Total = Literal["sum", "distinct", "first"]
NONE = "none"
MAX_DIGITS = 12  # of a count; a longer number is none

_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,])\d+(?![\w,])(?!\.\d)")
_ITEM = re.compile(r"^(?:[-*•]\s*|\d+[.)]\s+)?(.*?)[.\s]*$")


@dataclass(frozen=True)
class MapCount(Strategy):
    """One request per selected chunk, in document order, about that chunk alone; `total` says what becomes of replies.

    - sum: the sum of the numbers in the replies, the first of each. Words of a chunk that the one before it has, too,
      are left out, so that nothing is counted twice.
    - distinct: the number of different items that the replies list, whatever their case: sections, say, that are in
      several chunks.
    - first: the first reply that is not "none".

    Replies without a number count as 0, and are counted as such. The note `parts` lists what each part adds, in JSON.
    Give it all chunks: what retrieval leaves out is not counted.
    """

    needs = frozenset({Generate})
    by_part = True
    has_format = True

    total: Total = "sum"

    def ending(self, labels: Sequence[str]) -> str:
        """The instruction on how to answer for one part."""
        return f"\n\n{PART_COUNTS[self.total]}"

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make all requests in one round."""
        chunks = _disjoint(job.selected, job.example.document.text)
        outputs = [job.answer(value) for value in (yield [Generate(job.prompt(chunk), job.length) for chunk in chunks])]
        if self.total == "first":
            return _first_outcome(outputs)
        return _sum_outcome(outputs) if self.total == "sum" else _distinct_outcome(outputs)


def _disjoint(chunks: Sequence[Chunk], text: str) -> list[Chunk]:
    """The chunks in document order, without text that an earlier chunk contains."""
    parts: list[Chunk] = []
    position = 0
    for chunk in sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)):
        start = max(chunk.start, position)
        if start < chunk.end:
            parts.append(chunk if start == chunk.start else replace(chunk, start=start, text=text[start : chunk.end]))
            position = chunk.end
    return parts


def _sum_outcome(outputs: Sequence[str]) -> Outcome:
    numbers = [_number(output) for output in outputs]
    output_counts = {NO_COUNT: missing_count} if (missing_count := numbers.count(None)) else {}
    total = sum(number or 0 for number in numbers)
    return Outcome(str(total), {"parts": json.dumps(numbers)}, outputs=output_counts)


def _number(output: str) -> int | None:
    match = _NUMBER.search(output)
    digits = match[0].replace(",", "") if match else ""
    return int(digits) if 0 < len(digits) <= MAX_DIGITS else None


def _distinct_outcome(outputs: Sequence[str]) -> Outcome:
    items: dict[str, str] = {}
    counts = []
    for output in outputs:
        part_items = _items(output)
        counts.append(len(part_items))
        for item in part_items:
            items.setdefault(" ".join(item.casefold().split()), item)
    return Outcome(str(len(items)), {"parts": json.dumps(counts), "items": "\n".join(items.values())})


def _items(output: str) -> list[str]:
    """The items that a reply lists, one per line, without list marks; empty for "none"."""
    lines = [match[1] for line in output.splitlines() if (match := _ITEM.match(line.strip())) and match[1]]
    return [] if [line.casefold().strip("\"'") for line in lines] == [NONE] else lines


def _first_outcome(outputs: Sequence[str]) -> Outcome:
    answers = [next(iter(_items(output)), "") for output in outputs]
    return Outcome(next(filter(None, answers), ""), {"parts": json.dumps(answers, ensure_ascii=False)})
