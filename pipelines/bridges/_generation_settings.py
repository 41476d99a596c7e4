"""The generation arguments of another harness, in the words of `transformers`, as a reader takes them."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longdoc.errors import UserError
from longdoc.registry import name_of
from models.reader import Reader

LENGTHS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")  # the first that is given
LENGTH = 256  # lm-evaluation-harness' own where a task gives none
SAMPLING_NAMES = ("temperature", "top_p", "top_k")
NO_CHANGE: Mapping[str, Any] = {"num_beams": 1, "repetition_penalty": 1.0, "length_penalty": 1.0}


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """The output's length, the texts before which it ends, and fields of the reader; `samples` where it is drawn."""

    length: int = LENGTH
    stop: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    samples: bool = False

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], reader: Reader) -> "GenerationSettings":
        """The settings for a reader. Raises `UserError` for an argument that it cannot take.

        As in lm-evaluation-harness `do_sample` follows from the temperature where it is not given, and without it the
        arguments of sampling say nothing.
        """
        remaining = {name: value for name, value in arguments.items() if value is not None}
        until = remaining.pop("until", ())
        lengths = [remaining.pop(name) for name in LENGTHS if name in remaining]
        samples = bool(remaining.pop("do_sample", float(remaining.get("temperature", 0)) > 0))
        if not samples:
            remaining = {name: value for name, value in remaining.items() if name not in SAMPLING_NAMES}
        remaining = {name: value for name, value in remaining.items() if NO_CHANGE.get(name) != value}
        stop = tuple(filter(None, [until] if isinstance(until, str) else until))
        return cls(_length(lengths, reader), stop, _fields(remaining, samples, reader), samples)


def _length(lengths: list[Any], reader: Reader) -> int:
    length = int(lengths[0]) if lengths else LENGTH
    if length < 1:
        raise UserError(f"the output's length must be at least 1 token, got {length} (max_gen_toks)")
    budget = reader.prompt_limit(length)
    if budget is not None and budget < 1:
        raise UserError(f"{reader.no_room_message(length)} (max_gen_toks of the task, or --gen_kwargs)")
    longest = reader.max_output_tokens
    return length if longest is None else min(length, longest)


def _fields(arguments: dict[str, Any], samples: bool, reader: Reader) -> dict[str, Any]:
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
    if unknown_names := [name for name in arguments if name not in field_names]:
        raise UserError(
            f"the reader {name_of(reader)} does not take {', '.join(unknown_names)} (generation_kwargs of the task, or "
            "--gen_kwargs): leave it out"
        )
    return arguments
