"""The field `thinking` of readers that write: how many tokens a model may think for, on top of its answer's length."""

from typing import Literal

from longdoc.errors import UserError

Thinking = int | Literal["off"] | None
OFF_VALUE: Literal["off"] = "off"
MEANT_TEXT = "give the number of tokens that the model may think for, thinking=2048, or thinking=off"


def checked(thinking: Thinking) -> Thinking:
    """The field as a reader keeps it: YAML reads `off` as false.

    Raises `UserError` for true, and for numbers below 1.
    """
    if thinking is False:
        return OFF_VALUE
    if thinking is True:
        raise UserError(f"thinking=true does not say how much: {MEANT_TEXT}")
    if isinstance(thinking, int) and thinking < 1:
        raise UserError(f"thinking={thinking} is no room: {MEANT_TEXT}")
    return thinking


def tokens_of(thinking: Thinking) -> int:
    """The tokens that come on top of an answer's length: 0 unless a number is given."""
    return thinking if isinstance(thinking, int) else 0
