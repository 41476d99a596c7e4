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
        generation_config = model.generation_config
        for name in (*LENGTHS, *SAMPLING):
            setattr(generation_config, name, None)
        token_ids = {
            name: _setting(generation_config, model.config, f"{name}_token_id") for name in ("bos", "eos", "pad")
        }
        ends = [token_ids["eos"]] if isinstance(token_ids["eos"], int) else list(token_ids["eos"] or ())
        start = token_ids["bos"] if token_ids["bos"] is not None else next(iter(ends), 0)
        pad = token_ids["pad"] if token_ids["pad"] is not None else next(iter(ends), 0)
        generation_config.pad_token_id, generation_config.eos_token_id = pad, ends or None
        placed = model if "device_map" in options else model.to(device)
        return cls(placed.eval(), start, pad, frozenset(ends))

    def generate(
        self,
        prompts: Sequence[list[int]],
        length: int,
        decoding: Decoding,
        n: int,
        keys: Sequence[str],
        is_complete: IsComplete | None,
    ) -> list[list[list[int]]]:
        """n continuations of each prompt, of at most `length` tokens, without padding.

        Prompts are padded on the left. A row that ends by an end token has it as its last; `keys` and `is_complete`
        are as in `Decoding.write`.
        """
        rows = [prompt or [self.start] for prompt in prompts]
        width = max(map(len, rows))
        inputs = {
            "input_ids": self._tensor([[self.pad] * (width - len(row)) + row for row in rows]),
            "attention_mask": self._tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows]),
        }
        outputs = decoding.write(self.model, inputs, length, n, keys, width, is_complete)
        trimmed_outputs = [trimmed(row, self.ends, self.pad) for row in outputs]
        return [trimmed_outputs[position : position + n] for position in range(0, len(trimmed_outputs), n)]

    def score(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[tuple[float, bool]]:
        """(summed log-probability, whether greedy decoding would write it) of each pair (prompt, continuation).

        Natural logarithms. Equal inputs are computed once, so one-token continuations of a prompt share one pass.
        The softmax is taken in fp32 whatever the network's dtype.
        """
        import torch

        filled_pairs = [((prompt or [self.start]), target) for prompt, target in pairs]
        distinct = {tuple(prompt + target[:-1]): None for prompt, target in filled_pairs}
        row_numbers = {row: number for number, row in enumerate(distinct)}
        first = min(len(prompt) for prompt, _ in filled_pairs) - 1  # logits of earlier positions are not needed
        width = max(map(len, row_numbers))
        inputs = {
            "input_ids": self._tensor([[*row, *[self.pad] * (width - len(row))] for row in row_numbers]),
            "attention_mask": self._tensor([[1] * len(row) + [0] * (width - len(row)) for row in row_numbers]),
        }
        kept = {"logits_to_keep": torch.arange(first, width, device=self.model.device)} if self._can_skip_logits else {}
        with torch.inference_mode():
            logits = self.model(**inputs, **kept, use_cache=False, return_dict=True).logits
            log_probs = torch.log_softmax(logits.float(), dim=-1)
            skipped = first if self._can_skip_logits else 0
            scores = []
            for prompt, target in filled_pairs:
                row, start = row_numbers[tuple(prompt + target[:-1])], len(prompt) - 1 - skipped
                positions = torch.arange(start, start + len(target), device=log_probs.device)
                tokens = torch.tensor(target, dtype=torch.long, device=log_probs.device)
                likeliest = bool((log_probs[row, positions].argmax(dim=-1) == tokens).all())
                scores.append((float(log_probs[row, positions, tokens].double().sum()), likeliest))
        return scores

    @property
    def _can_skip_logits(self) -> bool:
        """Whether the network can compute the logits of some positions only."""
        return "logits_to_keep" in inspect.signature(self.model.forward).parameters

    def _tensor(self, rows: list[list[int]]) -> Any:
        import torch

        return torch.tensor(rows, dtype=torch.long, device=self.model.device)


def _setting(generation_config: Any, config: Any, name: str) -> Any:
    value = getattr(generation_config, name, None)
    return getattr(config, name, None) if value is None else value
