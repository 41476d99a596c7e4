"""A decoder-only network of `transformers` on its device: token ids in, token ids or log-probabilities out."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from models.neural.shared.decoding import Decoding, IsComplete, trimmed
from models.neural.shared.encoder_decoder import LENGTHS, SAMPLING, pretrained


@dataclass(frozen=True, slots=True)
class Decoder:
    """A loaded network. `pad` fills what the mask hides; `start` stands for a prompt without any token."""

    model: Any
    start: int
    pad: int
    ends: frozenset[int]
    seq2seq: ClassVar[bool] = False

    @classmethod
    def load(cls, path: Path, dtype: str, device: str, options: Mapping[str, Any]) -> "Decoder":
        """Load a folder's safetensors weights; nothing is printed and no code from the folder is run.

        With the option `device_map` they stay where it puts them. Raises `UserError` for weights that do not make up
        the model, and for unknown options.
        """
        from transformers import AutoModelForCausalLM

        model = pretrained(AutoModelForCausalLM, path, dtype, options)
        settings = model.generation_config
        for name in (*LENGTHS, *SAMPLING):
            setattr(settings, name, None)
        own_fields = {name: _either(settings, model.config, f"{name}_token_id") for name in ("bos", "eos", "pad")}
        ends = [own_fields["eos"]] if isinstance(own_fields["eos"], int) else list(own_fields["eos"] or ())
        start = own_fields["bos"] if own_fields["bos"] is not None else next(iter(ends), 0)
        pad = own_fields["pad"] if own_fields["pad"] is not None else next(iter(ends), 0)
        settings.pad_token_id, settings.eos_token_id = pad, ends or None
        placed_value = model if "device_map" in options else model.to(device)
        return cls(placed_value.eval(), start, pad, frozenset(ends))

    def generate(
        self,
        prompts: Sequence[list[int]],
        length: int,
        decoding: Decoding,
        n: int,
        keys: Sequence[str],
        ended_value: IsComplete | None,
    ) -> list[list[list[int]]]:
        """For each prompt n continuations of at most `length` tokens, without padding.

        Prompts are padded on the left. A row that ends by an end token has it as its last; `keys` and `ended_value`
        are as in `Decoding.write`.
        """
        rows = [prompt or [self.start] for prompt in prompts]
        width = max(map(len, rows))
        inputs = {
            "input_ids": self._tensor([[self.pad] * (width - len(row)) + row for row in rows]),
            "attention_mask": self._tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows]),
        }
        written_rows = decoding.write(self.model, inputs, length, n, keys, width, ended_value)
        flat = [trimmed(row, self.ends, self.pad) for row in written_rows]
        return [flat[position : position + n] for position in range(0, len(flat), n)]

    def score(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[tuple[float, bool]]:
        """For each pair (prompt, continuation) the sum of the natural log-probabilities of the continuation's tokens,
        and whether each of them is the likeliest.

        What is read for several pairs alike is read once, so all words of one token after one prompt take one reading.
        The softmax is taken in fp32 whatever the network's dtype.
        """
        import torch

        full = [((prompt or [self.start]), target) for prompt, target in pairs]
        read = {tuple(prompt + target[:-1]): None for prompt, target in full}
        rows = {row: number for number, row in enumerate(read)}
        first = min(len(prompt) for prompt, _ in full) - 1  # logits of what comes before are not needed
        width = max(map(len, rows))
        inputs = {
            "input_ids": self._tensor([[*row, *[self.pad] * (width - len(row))] for row in rows]),
            "attention_mask": self._tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]),
        }
        needed_values = {"logits_to_keep": torch.arange(first, width, device=self.model.device)} if self._keeps else {}
        with torch.inference_mode():
            logits = self.model(**inputs, **needed_values, use_cache=False, return_dict=True).logits
            known_value = torch.log_softmax(logits.float(), dim=-1)
            skipped = first if self._keeps else 0
            sums = []
            for prompt, target in full:
                row, start = rows[tuple(prompt + target[:-1])], len(prompt) - 1 - skipped
                positions = torch.arange(start, start + len(target), device=known_value.device)
                tokens = torch.tensor(target, dtype=torch.long, device=known_value.device)
                likeliest = bool((known_value[row, positions].argmax(dim=-1) == tokens).all())
                sums.append((float(known_value[row, positions, tokens].double().sum()), likeliest))
        return sums

    @property
    def _keeps(self) -> bool:
        """Whether the network can leave logits out."""
        return "logits_to_keep" in inspect.signature(self.model.forward).parameters

    def _tensor(self, rows: list[list[int]]) -> Any:
        import torch

        return torch.tensor(rows, dtype=torch.long, device=self.model.device)


def _either(settings: Any, config: Any, name: str) -> Any:
    value = getattr(settings, name, None)
    return getattr(config, name, None) if value is None else value
