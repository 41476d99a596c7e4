"""How outputs are decoded, by the names that `transformers` has for it; greedy search by default.

A sample takes the token argmax (x_i - log e_i), where x are the logits after temperature, top-k and top-p and e_i are
drawn from Exp(1): it is distributed as softmax(x) (the Gumbel-max trick; Maddison, Tarlow and Minka 2014, section 2).
The e_i of a row come from a generator of its own, seeded by the reader's `seed` and the request, so a sample depends
neither on the order of requests nor on what is read together with it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from longdoc.errors import UserError

SAMPLING_NAMES = ("temperature", "top_p", "top_k")
PASSED_ON = ("repetition_penalty", "no_repeat_ngram_size", "length_penalty", "min_new_tokens")


IsComplete = Callable[[list[int]], bool]  # whether an output so far is complete


@dataclass(frozen=True, eq=False)
class DecodingFields:
    """The decoding parameters that a reader has as fields."""

    num_beams: int = 1
    do_sample: bool = False
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    repetition_penalty: float | None = None
    no_repeat_ngram_size: int | None = None
    length_penalty: float | None = None
    min_new_tokens: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Decoding(DecodingFields):
    """Checked decoding parameters, and generation with them."""

    @classmethod
    def of(cls, reader: DecodingFields) -> "Decoding":
        """The decoding of a reader. Raises `UserError` for values out of range or without effect."""
        decoding = cls(**{field.name: getattr(reader, field.name) for field in fields(DecodingFields)})
        decoding._check()
        return decoding

    def check(self, length: int, n: int) -> None:
        """Raise `UserError` for a length or number of outputs that these parameters do not allow."""
        if length < 1 or n < 1:
            raise UserError(f"max_new_tokens ({length}) and n ({n}) must be at least 1")
        if self.min_new_tokens is not None and self.min_new_tokens > length:
            raise UserError(f"min_new_tokens={self.min_new_tokens} is more than max_new_tokens={length}: lower it")

    def write(
        self,
        model: Any,
        inputs: Mapping[str, Any],
        length: int,
        n: int,
        keys: Sequence[str],
        prefix_length: int,
        is_complete: IsComplete | None,
    ) -> list[list[int]]:
        """n outputs of each input in one list: at most `length` token ids each, end token and padding included.

        `prefix_length`: the number of tokens that the decoder starts from; `keys` tell the inputs apart for sampling;
        `is_complete` (not with beams) says whether an output so far needs no more tokens.
        """
        import torch
        import transformers

        library: Any = transformers
        beams = 1 if self.do_sample else max(self.num_beams, n)
        settings = {name: value for name in PASSED_ON if (value := asdict(self)[name]) is not None}
        if beams == 1:  # the model's own are for beams
            settings |= {"early_stopping": False, "length_penalty": 1.0}
        processors = library.LogitsProcessorList()
        if self.do_sample:
            inputs = {name: _repeated(value, n) for name, value in inputs.items()}
            processors.extend(self._samplers([f"{key}\n{row}" for key in keys for row in range(n)]))
        criteria = library.StoppingCriteriaList()
        if is_complete is not None and beams == 1:
            criteria.append(_criterion(is_complete, prefix_length))
        config = library.GenerationConfig(
            max_new_tokens=length,
            num_beams=beams,
            num_return_sequences=1 if self.do_sample else n,
            do_sample=False,
            **settings,
        )
        with torch.inference_mode():
            rows = model.generate(
                **inputs, generation_config=config, stopping_criteria=criteria, logits_processor=processors
            )
        return [row[prefix_length:] for row in rows.tolist()]

    def _samplers(self, keys: Sequence[str]) -> list[Any]:
        from transformers.generation import logits_process as steps

        warpers: Any = steps
        limits = [("TemperatureLogitsWarper", self.temperature), ("TopKLogitsWarper", self.top_k)]
        limits.append(("TopPLogitsWarper", self.top_p))
        return [
            *(getattr(warpers, name)(value) for name, value in limits if value is not None),
            _sampler([_seed(self.seed, key) for key in keys]),
        ]

    def _check(self) -> None:
        if self.num_beams < 1:
            raise UserError(f"num_beams must be at least 1, got {self.num_beams}")
        if self.do_sample and self.num_beams > 1:
            raise UserError(f"do_sample=True cannot be combined with num_beams={self.num_beams}: drop one of them")
        for name in SAMPLING_NAMES:
            if getattr(self, name) is not None and not self.do_sample:
                raise UserError(f"{name} is for sampling: set do_sample=True, or drop it")
        if self.length_penalty is not None and self.num_beams == 1:
            raise UserError("length_penalty ranks beams: set num_beams=2 or more, or drop it")
        for name, minimum in (("temperature", 0), ("repetition_penalty", 0), ("top_p", 0)):
            value = getattr(self, name)
            if value is not None and value <= minimum:
                raise UserError(f"{name} must be over {minimum}, got {value}")
        if self.top_p is not None and self.top_p > 1:
            raise UserError(f"top_p must be at most 1, got {self.top_p}")
        for name in ("top_k", "no_repeat_ngram_size", "min_new_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UserError(f"{name} must be at least 1, got {value}")


def trimmed(row: list[int], ends: frozenset[int], pad: int) -> list[int]:
    """The output up to and including its first end token; without an end token, the output without padding."""
    for position, token in enumerate(row):
        if token in ends:
            return row[: position + 1]
    last = len(row)
    while last and row[last - 1] == pad:
        last -= 1
    return row[:last]


def before_stop(text: str, stop: Sequence[str]) -> str | None:
    """The text before the first stop string in it; None if there is none."""
    positions = [position for stop_string in stop if (position := text.find(stop_string)) >= 0]
    return text[: min(positions)] if positions else None


def _seed(seed: int, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}\n{key}".encode("utf-8", "surrogatepass")).digest()[:7], "big")


def _criterion(is_complete: IsComplete, prefix_length: int) -> Any:
    import torch
    from transformers import StoppingCriteria

    class StopWhenComplete(StoppingCriteria):
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            return torch.tensor(
                [is_complete(row[prefix_length:]) for row in input_ids.tolist()], device=input_ids.device
            )

    return StopWhenComplete()


def _sampler(seeds: Sequence[int]) -> Any:
    """A logits processor that samples (Gumbel-max); it draws on the CPU, so that all devices get the same numbers."""
    import torch
    from transformers import LogitsProcessor

    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    class Sampler(LogitsProcessor):
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            draws = [torch.empty(scores.shape[-1]).exponential_(generator=generator) for generator in generators]
            return scores.float() - torch.stack(draws).log().to(scores.device)

    return Sampler()


def _repeated(tensor: Any, n: int) -> Any:
    """A tensor (or encoder states) with each row repeated n times, side by side."""
    if hasattr(tensor, "last_hidden_state"):
        return type(tensor)(last_hidden_state=tensor.last_hidden_state.repeat_interleave(n, 0))
    return tensor.repeat_interleave(n, 0)
