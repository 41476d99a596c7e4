"""The kinds of conditions that a table compares."""

from typing import Literal, get_args

Kind = Literal["whole", "retrieval", "oracle", "closed book", "other"]  # "other": who made it says what
KINDS: tuple[Kind, ...] = get_args(Kind)
