"""Word's fields: check boxes, choices and old formulas as text; instructions are hidden (ECMA-376, part 1, 17.16)."""

import re
from dataclasses import dataclass
from typing import Any

from pipelines.documents.markup.formulas import fraction
from pipelines.documents.word.styles import is_on, value

_TICK = {True: "☒", False: "☐"}
_FRACTION = re.compile(r"\\f\s*\(([^(),;\\]*)[,;]([^(),;\\]*)\)", re.IGNORECASE)


@dataclass(slots=True)
class Field:
    """An open field; `is_result`: the text that follows is its visible result."""

    choice: str = ""  # what a box or a list of a form shows
    instruction: str = ""
    is_result: bool = False
    has_words: bool = False

    @classmethod
    def of(cls, element: Any) -> "Field":
        """The field that an element begins."""
        if (box := element.find("./{*}ffData/{*}checkBox")) is not None:
            ticks = [is_on(box.find(f"./{{*}}{name}")) for name in ("checked", "default")]
            return cls(_TICK[next((tick for tick in ticks if tick is not None), False)])
        if (choices := element.find("./{*}ffData/{*}ddList")) is not None:
            entries = [value(entry) for entry in choices.iterfind("./{*}listEntry")]
            choice_index = value(choices.find("./{*}result")) or value(choices.find("./{*}default")) or "0"
            return cls(
                entries[int(choice_index)] if choice_index.isdecimal() and int(choice_index) < len(entries) else ""
            )
        return cls()

    @property
    def shown(self) -> str:
        """The text of a field without result text: a choice, or fractions of an old formula (EQ)."""
        if self.has_words:
            return ""
        formula = self.instruction if self.instruction.lstrip().upper().startswith("EQ ") else ""
        fractions = [fraction(over.strip(), under.strip()) for over, under in _FRACTION.findall(formula)]
        return self.choice or " ".join(fractions)
