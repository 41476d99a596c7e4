"""The generation arguments of another harness, named as in `transformers`, as settings of a reader."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longdoc.errors import UserError
from longdoc.registry import name_of
from models.reader import Reader

LENGTH_ARGUMENTS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")  # the first one counts
DEFAULT_LENGTH = 256  # tokens, as in lm-evaluation-harness
SAMPLING_ARGUMENTS = ("temperature", "top_p", "top_k")
NEUTRAL: Mapping[str, Any] = {"num_beams": 1, "repetition_penalty": 1.0, "length_penalty": 1.0}


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """The output's longest length, its stop strings, fields of the reader, and whether outputs are sampled."""

    length: int = DEFAULT_LENGTH
    stop: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    samples: bool = False

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], reader: Reader) -> "GenerationSettings":
        """The settings for a reader. Raises `UserError` for an argument that it cannot take.

        As in lm-evaluation-harness, `do_sample` follows from the temperature where it is not given; without sampling,
        its arguments are ignored.
        """
        remaining = {name: value for name, value in arguments.items() if value is not None}
        until = remaining.pop("until", ())
        lengths = [remaining.pop(name) for name in LENGTH_ARGUMENTS if name in remaining]
        samples = bool(remaining.pop("do_sample", float(remaining.get("temperature", 0)) > 0))
        if not samples:
            remaining = {name: value for name, value in remaining.items() if name not in SAMPLING_ARGUMENTS}
        remaining = {name: value for name, value in remaining.items() if NEUTRAL.get(name) != value}
        stop = tuple(filter(None, [until] if isinstance(until, str) else until))
        return cls(_length(lengths, reader), stop, _fields(remaining, samples, reader), samples)


def _length(lengths: list[Any], reader: Reader) -> int:
    """The output's longest length. Raises `UserError` where the reader has no room for it."""
    length = int(lengths[0]) if lengths else DEFAULT_LENGTH
    if length < 1:
        raise UserError(f"the output's length must be at least 1 token, got {length} (max_gen_toks)")
    budget = reader.prompt_limit(length)
    if budget is not None and budget < 1:
        raise UserError(f"{reader.no_room_message(length)} (max_gen_toks of the task, or --gen_kwargs)")
    longest = reader.max_output_tokens
    return length if longest is None else min(length, longest)


def _fields(arguments: dict[str, Any], samples: bool, reader: Reader) -> dict[str, Any]:
    """The arguments as fields of the reader. Raises `UserError` for one that it does not have."""
    field_names: set[str] = set()
    if dataclasses.is_dataclass(reader):
        field_names = {field.name for field in dataclasses.fields(reader) if field.init}
    if samples and "do_sample" in field_names:
        arguments = {**arguments, "do_sample": True}
    elif samples and "temperature" not in field_names:
        raise UserError(
            f"the task samples (do_sample, temperature), and the reader {name_of(reader)} does not: "
            "--gen_kwargs do_sample=False"
        )
    if unsupported := [name for name in arguments if name not in field_names]:
        raise UserError(
            f"the reader {name_of(reader)} does not take {', '.join(unsupported)} (generation_kwargs of the task, or "
            "--gen_kwargs): leave it out"
        )
    return arguments
