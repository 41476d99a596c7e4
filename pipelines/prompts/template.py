"""Prompt templates with named parts: `"{query} {document}"`. Other text is literal; `{{` is a brace."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter

from longdoc.errors import UserError, unknown
from models.prompts import CutAt, Part, Prompt
from pipelines.prompts.closed_answers import option_of
from pipelines.prompts.row_prompt import instruction_of
from pipelines.records import Example

OPTIONS = ("option_a", "option_b", "option_c", "option_d")
FIELDS = ("instruction", "query", "options", "document", *OPTIONS)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's wording. `text` must contain `{document}`; `{instruction}`, `{query}` and `{options}` are optional.

    Options are one per line, or as in the data where the example's meta has `options_text`; `{option_a}` to
    `{option_d}` are single ones. Options of people's own rows follow the question where `text` has no place for them,
    and an output that names one, by letter or text, is that option. An example's own instruction takes the place of the
    template's. Readers made for one task (translation models) drop it. A truncated document ends after a word, or after
    a token (`cut_at`), as in the code of some benchmarks.
    """

    text: str
    instruction: str = ""
    separator: str = "\n"
    cut_at: CutAt = "word"

    def __post_init__(self) -> None:
        """Raises `UserError` for unknown parts, and unless `{document}` occurs exactly once."""
        names = [name for _, name in self._pieces() if name is not None]
        for name in names:
            if name not in FIELDS:
                raise unknown("part of a prompt template", name, FIELDS)
        if names.count("document") != 1:
            raise UserError(
                f"a prompt template must contain {{document}} exactly once, as in '{{query}} {{document}}'; "
                f"got {self.text!r}"
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
        """The answer in an output: the option that it names if options have letters, else the whole output."""
        option = option_of(output, example.options) if example.meta.get("lettered") else None
        return output if option is None else option

    def choices(self, example: Example) -> tuple[str, ...]:
        """Empty: a template may ask for anything."""
        return ()

    def remark(self, example: Example, answer: str) -> str | None:
        """None: any answer is allowed."""
        return None

    def _unnamed_options(self, example: Example) -> list[Part]:
        """The lettered options of the data, for a template without a place for them.

        Empty where the question lists them all.
        """
        has_place = any(name in ("options", *OPTIONS) for _, name in self._pieces())
        if has_place or not example.meta.get("lettered") or all(option in example.query for option in example.options):
            return []
        return [Part("options", f"\n{example.meta['options_text']}\n")]

    def _pieces(self) -> list[tuple[str, str | None]]:
        """The literal text before each part, and the part's name. Raises `UserError` for wrong braces."""
        try:
            pieces = list(Formatter().parse(self.text))
            if any(format_spec or conversion for _, _, format_spec, conversion in pieces):
                raise ValueError("a part has a format specification, which is not supported")
            return [(literal, name) for literal, name, _, _ in pieces]
        except ValueError as error:
            raise UserError(
                f"cannot read the prompt template {self.text!r}: {error}; "
                "write {{ for a literal brace, and only names in braces"
            ) from None


def _option(example: Example, number: int) -> str:
    """The option of this number, from 0. Raises `UserError` where the example has fewer."""
    if number >= len(example.options):
        problem = f"example {example.id!r} has {len(example.options)} options, and the prompt asks for"
        raise UserError(f"{problem} {{{OPTIONS[number]}}}; use {{options}}, or data with more options")
    return example.options[number]
