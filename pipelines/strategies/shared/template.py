"""Prompt templates with named parts: `"{query} {document}"`. Other text is literal; `{{` is a brace."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter

from longdoc.errors import UserError, unknown
from models.prompts import CutAt, Part, Prompt
from pipelines.records import Example
from pipelines.strategies.shared.closed_answers import option_of
from pipelines.strategies.shared.row_prompt import instruction_of

OPTIONS = ("option_a", "option_b", "option_c", "option_d")
FIELDS = ("instruction", "query", "options", "document", *OPTIONS)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's wording. `text` must contain `{document}`; `{instruction}`, `{query}` and `{options}` are optional.

    Options are one per line, or as the data write them where the example's meta has `options_text`; `{option_a}` to
    `{option_d}` are single ones. Options of own rows follow the question where `text` has no place for them, and an
    output that names one, by letter or text, is that option. An example's own instruction comes before the template's.
    Readers made for one task (translation models) drop it. A truncated document ends after a word, or after a token
    (`cut_at`), as in the code of some benchmarks.
    """

    text: str
    instruction: str = ""
    separator: str = "\n"
    cut_at: CutAt = "word"

    def __post_init__(self) -> None:
        """Refuse unknown parts and a template without a document."""
        names = [name for _, name in self._pieces() if name is not None]
        for name in names:
            if name not in FIELDS:
                raise unknown("part of a prompt template", name, FIELDS)
        if names.count("document") != 1:
            raise UserError(
                f"a prompt template holds {{document}} exactly once, this one does not: "
                f"{self.text!r}; write it as in '{{query}} {{document}}'"
            )

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts."""
        parts: list[Part] = []
        for literal, name in self._pieces():
            if literal:
                parts.append(Part("text", literal))
            if name == "document":
                parts.extend(passages)
            elif name == "instruction" and (instruction := instruction_of(example) or self.instruction):
                parts.append(Part("instruction", instruction))
            elif name == "query" and example.query:
                parts.append(Part("query", example.query))
                parts.extend(self._unnamed_options(example))
            elif name == "options" and example.options:
                parts.append(Part("options", example.meta.get("options_text") or "\n".join(example.options)))
            elif name in OPTIONS:
                parts.append(Part("options", _option(example, OPTIONS.index(name))))
        return Prompt(tuple(parts), self.separator, cut_at=self.cut_at)

    def answer(self, example: Example, output: str) -> str:
        """The answer in an output: all of it, or the option that it names where the prompt gave them letters."""
        named_text = option_of(output, example.options) if example.meta.get("lettered") else None
        return output if named_text is None else named_text

    def choices(self, example: Example) -> tuple[str, ...]:
        """None: its words may ask for anything."""
        return ()

    def remark(self, example: Example, answer: str) -> str | None:
        """Nothing: any answer will do."""
        return None

    def _unnamed_options(self, example: Example) -> list[Part]:
        """The options after the question where the data list them with letters and the template has no place for them.

        None where the question holds them all.
        """
        has_place = any(name in ("options", *OPTIONS) for _, name in self._pieces())
        if has_place or not example.meta.get("lettered") or all(option in example.query for option in example.options):
            return []
        return [Part("options", f"\n{example.meta['options_text']}\n")]

    def _pieces(self) -> list[tuple[str, str | None]]:
        try:
            pieces = list(Formatter().parse(self.text))
            if any(form or conversion for _, _, form, conversion in pieces):
                raise ValueError("a part has a format, which is not applied")
            return [(literal, name) for literal, name, _, _ in pieces]
        except ValueError as error:
            raise UserError(
                f"cannot read the prompt template {self.text!r}: {error}; "
                "write {{ for a brace, and names alone in braces"
            ) from None


def _option(example: Example, number: int) -> str:
    if number >= len(example.options):
        problem = f"example {example.id!r} has {len(example.options)} options, and the prompt asks for"
        raise UserError(f"{problem} {{{OPTIONS[number]}}}: use {{options}}, or data with more")
    return example.options[number]
