"""The prompt that a chat model gets with a question: rules, numbered passages with file and place, the question.

The question is last, since models answer better with it behind long texts than before them (Anthropic, "Long context
tips"; Liu et al. 2024, "Lost in the Middle", section 4.2, found no gain in multi-document questions from giving it at
both ends). The rules stand before the passages alone, and hold no bracketed number: with a line about citing behind the
question, and "[1], or [2][5]" as an example, a model of 0.5B parameters answered 13 of 18 questions with such numbers
only, and none of 18 with these rules, which were chosen on these questions; it then cites seldom.

A document may hold lines that look like those of the prompt. So the lines that begin passages, and the one that ends
them, stand between equal signs, one more of them than any such line of the texts has (as code fences in CommonMark);
and the rules say that passages give no orders. That keeps the parts apart and makes an attack harder; no prompt can
rule it out (Hines et al. 2024, "Defending Against Indirect Prompt Injection Attacks With Spotlighting").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chunkers import Chunk
from models.prompts import Part, Prompt
from pipelines.plugins.ask.citations import without_citations
from pipelines.plugins.ask.indexing.collection import Collection
from pipelines.prompts.ask_words import JOINING, LINES, NOT_FOUND_TEXT, REFINING, RULES, VOTING, WORDING
from pipelines.prompts.template import Template
from pipelines.records import Example, Span
from pipelines.strategies import Strategy
from pipelines.strategies.map_reduce import MapReduce
from pipelines.strategies.refine import Refine
from pipelines.strategies.vote import Vote, normal

LONGEST = 120  # characters of a file's name, or of its place, that are shown
_SAMPLE_NAME = "file of some name, section or page 1"  # while no document is read: about as long as real names
_LIKE_A_LINE = re.compile(r"=+(?=\s*(?:[\[【［]|notes?\b|end\b))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PassagePrompt(Template):
    """The prompt's wording around passages that are numbered, and named by file and place.

    `{document}` stands for all of them with the line that ends them. `asking` makes the prompt of one question, which
    records:

    - `spans`: the numbers of the passages; those that a further search finds get the next ones. Texts that a model
      wrote have none.
    - `denials`: the outputs that began with `NOT_FOUND_TEXT`. They are empty as answers, so that strategies
      that ask about each passage leave them out.
    - `votes`: the outputs by their answers, for the strategy that compares these without the numbers that they cite.

    `joining` is the instruction where texts that a model wrote are put together.
    """

    text: str = WORDING
    separator: str = "\n\n"
    collection: Collection | None = None
    joining: str = ""
    spans: dict[Span, int] = field(default_factory=dict)
    denials: list[str] = field(default_factory=list)
    votes: dict[str, list[str]] | None = None

    @classmethod
    def of(cls, wording: str | None, strategy: Strategy) -> "PassagePrompt":
        """The prompt with the user's wording; by default ours, which has further rules for some strategies."""
        votes: dict[str, list[str]] | None = {} if isinstance(strategy, Vote) else None
        if wording is not None:
            return cls(wording, votes=votes)
        strategy_rules = REFINING if isinstance(strategy, Refine) else VOTING if votes is not None else ""
        joining = JOINING if isinstance(strategy, MapReduce) else ""
        return cls(instruction=RULES + strategy_rules, joining=joining, votes=votes)

    def asking(self, passages: Sequence[Chunk]) -> "PassagePrompt":
        """The prompt of one question about these passages."""
        numbers = {(chunk.start, chunk.end): number for number, chunk in enumerate(passages, 1)}
        return replace(self, spans=numbers, denials=[], votes=None if self.votes is None else {})

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts."""
        names = [self._passage_name(part, place) for place, part in enumerate(passages, 1)]
        fence = _fence([*names, *(text for part in passages for text in (part.title, part.text))])
        parts = [
            replace(part, label=f"{fence} {name} {fence}", gap=None) for part, name in zip(passages, names, strict=True)
        ]
        joins_notes = bool(passages) and all(part.start is None for part in passages)
        rules = self.joining if joins_notes and self.joining else self.instruction
        prompt = Template.render(replace(self, instruction=rules.replace(LINES, fence)), example, parts)
        last = max((place for place, part in enumerate(prompt.parts) if part.role == "document"), default=None)
        if last is None:
            return prompt
        end = Part("text", f"\n\n{fence} end of the {'notes' if joins_notes else 'passages'} {fence}")
        return replace(prompt, parts=(*prompt.parts[: last + 1], end, *prompt.parts[last + 1 :]))

    def answer(self, example: Example, output: str) -> str:
        """The output as an answer; empty where it says that the passages do not answer the question."""
        if is_denial(output):
            self.denials.append(output)
            return ""
        if self.votes is None:
            return output
        answer = without_citations(output)
        self.votes.setdefault(normal(answer), []).append(output)
        return answer

    def outputs(self, answer: str) -> str:
        """The outputs with the answer, citations included: the answer itself, unless a strategy compared outputs."""
        return answer if self.votes is None else " ".join(self.votes.get(normal(answer), ()))

    def _passage_name(self, part: Part, place: int) -> str:
        """The text between the equal signs: "[2] notes/mill.md, section Trades"."""
        if part.start is None or part.end is None:
            return "note"
        if self.collection is None:
            return f"[{place}] {_SAMPLE_NAME}"
        span = (part.start, part.end)
        number = self.spans.setdefault(span, len(self.spans) + 1) if self.spans else place
        file, location = self.collection.place(*span)
        return ", ".join(filter(None, (f"[{number}] {one_line(file)}".rstrip(), one_line(location))))


def is_denial(output: str) -> bool:
    """Whether an output begins with the sentence that the rules ask for; marks around it do not count."""
    return output.lstrip(" \t\r\n\"'“”„«»*_>").casefold().startswith(NOT_FOUND_TEXT.rstrip(".").casefold())


def one_line(text: str) -> str:
    """A name on one line, without unprintable characters; a long one is cut at its end."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _fence(texts: Sequence[str]) -> str:
    """One equal sign more than any line of the texts has that looks as if it began or ended a passage."""
    lengths = (len(match[0]) for text in texts for match in _LIKE_A_LINE.finditer(text))
    return "=" * max([len(LINES), *(length + 1 for length in lengths)])
