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
    """The fields of a reader that decide how it writes."""

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
    """Decoding by these fields, apart from the reader that has them."""

    @classmethod
    def of(cls, decoding_fields: DecodingFields) -> "Decoding":
        """A reader's fields. Raises `UserError` for values out of range, and for those that would do nothing."""
        decoding = cls(**{field.name: getattr(decoding_fields, field.name) for field in fields(DecodingFields)})
        decoding._check()
        return decoding

    def check(self, length: int, n: int) -> None:
        """Raise `UserError` for a request that cannot be decoded so."""
        if length < 1 or n < 1:
            raise UserError(f"max_new_tokens ({length}) and n ({n}) must be at least 1")
        if self.min_new_tokens is not None and self.min_new_tokens > length:
            raise UserError(f"min_new_tokens={self.min_new_tokens} is over the output's length, {length}: lower it")

    def write(
        self,
        model: Any,
        inputs: Mapping[str, Any],
        length: int,
        n: int,
        keys: Sequence[str],
        before: int,
        ended_value: IsComplete | None,
    ) -> list[list[int]]:
        """For each input its n outputs, all in one list: ids of at most `length` tokens, padding and end included.

        `before`: the tokens on the decoder's side that are there already; `keys` tell the inputs apart for sampling;
        `ended_value` (not with beams) says of an output so far that no more is needed.
        """
        import torch
        import transformers

        kinds_value: Any = transformers
        beams = 1 if self.do_sample else max(self.num_beams, n)
        given_fields = {name: value for name in PASSED_ON if (value := asdict(self)[name]) is not None}
        if beams == 1:  # the model's own are for beams
            given_fields |= {"early_stopping": False, "length_penalty": 1.0}
        processors = kinds_value.LogitsProcessorList()
        if self.do_sample:
            inputs = {name: _repeated(value, n) for name, value in inputs.items()}
            processors.extend(self._samplers([f"{key}\n{row}" for key in keys for row in range(n)]))
        criteria = kinds_value.StoppingCriteriaList()
        if ended_value is not None and beams == 1:
            criteria.append(_criterion(ended_value, before))
        config = kinds_value.GenerationConfig(
            max_new_tokens=length,
            num_beams=beams,
            num_return_sequences=1 if self.do_sample else n,
            do_sample=False,
            **given_fields,
        )
        with torch.inference_mode():
            rows = model.generate(
                **inputs, generation_config=config, stopping_criteria=criteria, logits_processor=processors
            )
        return [row[before:] for row in rows.tolist()]

    def _samplers(self, keys: Sequence[str]) -> list[Any]:
        from transformers.generation import logits_process as steps

        kinds_value: Any = steps
        chosen_pairs = [("TemperatureLogitsWarper", self.temperature), ("TopKLogitsWarper", self.top_k)]
        chosen_pairs.append(("TopPLogitsWarper", self.top_p))
        return [
            *(getattr(kinds_value, name)(value) for name, value in chosen_pairs if value is not None),
            _sampler([_seed(self.seed, key) for key in keys]),
        ]

    def _check(self) -> None:
        if self.num_beams < 1:
            raise UserError(f"num_beams must be at least 1, got {self.num_beams}")
        if self.do_sample and self.num_beams > 1:
            raise UserError(f"do_sample=True draws, num_beams={self.num_beams} searches: choose one")
        for name in SAMPLING_NAMES:
            if getattr(self, name) is not None and not self.do_sample:
                raise UserError(f"{name} is for sampling: do_sample=True, or drop it")
        if self.length_penalty is not None and self.num_beams == 1:
            raise UserError("length_penalty ranks beams: num_beams=2 or more, or drop it")
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
    """The output up to its first end token; one that stopped otherwise, without its padding."""
    for position, token in enumerate(row):
        if token in ends:
            return row[: position + 1]
    last = len(row)
    while last and row[last - 1] == pad:
        last -= 1
    return row[:last]


def before_stop(text: str, stop: Sequence[str]) -> str | None:
    """The text before the first of the stop strings, None if it holds none."""
    numbers = [position for single_text in stop if (position := text.find(single_text)) >= 0]
    return text[: min(numbers)] if numbers else None


def _seed(seed: int, key: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}\n{key}".encode("utf-8", "surrogatepass")).digest()[:7], "big")


def _criterion(is_end: IsComplete, before: int) -> Any:
    import torch
    from transformers import StoppingCriteria

    class Ended(StoppingCriteria):
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            return torch.tensor([is_end(row[before:]) for row in input_ids.tolist()], device=input_ids.device)

    return Ended()


def _sampler(seeds: Sequence[int]) -> Any:
    """Draws on the CPU, so that every device gets the same numbers."""
    import torch
    from transformers import LogitsProcessor

    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    class Sampler(LogitsProcessor):
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            drawn_entries = [
                torch.empty(scores.shape[-1]).exponential_(generator=generator) for generator in generators
            ]
            return scores.float() - torch.stack(drawn_entries).log().to(scores.device)

    return Sampler()


def _repeated(value: Any, n: int) -> Any:
    """Each row n times, side by side; of encoder states too."""
    if hasattr(value, "last_hidden_state"):
        return type(value)(last_hidden_state=value.last_hidden_state.repeat_interleave(n, 0))
    return value.repeat_interleave(n, 0)
