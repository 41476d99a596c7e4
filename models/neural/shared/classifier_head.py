"""What readers over an encoder with a head share: the limits, the network, how two texts are joined.

Longformer's first token attends to all others (Beltagy et al. 2020, section 6: global attention for classification).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from models import hub
from models.neural.shared import limits
from models.neural.shared.encoder_decoder import pretrained
from models.neural.shared.reader import NeuralReader
from models.neural.shared.text_pairs import Joining

POSITIONS_AFTER_PADDING = frozenset(  # positions are counted from behind the padding token's number
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "roberta-prelayernorm", "camembert", "longformer", "mpnet"}
)
TASK = "SequenceClassification"
UNTRAINED_HINTS = {
    TASK: "fine-tune it for classification first",
    "QuestionAnswering": "fine-tune it for question answering first",
    "MultipleChoice": "fine-tune it for multiple choice first",
}


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded network: token ids in, logits out."""

    model: Any
    pad: int

    @classmethod
    def load(cls, path: Path, dtype: str, device: str, options: Mapping[str, Any], task: str = TASK) -> "Network":
        """Load a folder's safetensors weights; no code from the folder is run. Raises `UserError`.

        `task` names the head as in transformers' `AutoModelFor…`.
        """
        import transformers

        model = pretrained(getattr(transformers, f"AutoModelFor{task}"), path, dtype, options, UNTRAINED_HINTS[task])
        return cls(model.to(device).eval(), model.config.pad_token_id or 0)

    @classmethod
    def untrained(
        cls, path: Path, device: str, options: Mapping[str, Any], labels: Sequence[str], task: str = TASK
    ) -> "Network":
        """The folder's encoder in fp32 with a new, randomly initialized head for these labels (by torch's seed)."""
        import transformers

        head = {"num_labels": len(labels), "id2label": dict(enumerate(labels))}
        head |= {"label2id": {name: number for number, name in enumerate(labels)}}
        model_class = getattr(transformers, f"AutoModelFor{task}")
        model = pretrained(model_class, path, "fp32", {**options, **head}, new_head=True)
        return cls(model.to(device), model.config.pad_token_id or 0)

    def logits(self, rows: Sequence[list[int]], types: Sequence[list[int]] | None = None) -> Any:
        """The logits [rows, outputs] in fp32 for rows of token ids (and token type ids, as in `inputs`)."""
        import torch

        with torch.inference_mode():
            return self.model(**self.inputs(rows, types)).logits.float()

    def inputs(self, rows: Sequence[list[int]], types: Sequence[list[int]] | None = None) -> dict[str, Any]:
        """The padded inputs of the network for rows of token ids: input_ids, attention_mask and the like.

        `types` are token type ids (first or second text); models without them are given none.
        """
        import torch

        config = self.model.config
        width = max(map(len, rows))
        if config.model_type == "longformer":  # it would pad to whole windows itself, and say so on stderr
            window = int(np.max(config.attention_window))
            width = -(-width // window) * window
        inputs = {
            "input_ids": _padded(rows, width, self.pad),
            "attention_mask": _padded([[1] * len(row) for row in rows], width, 0),
        }
        if types is not None and getattr(config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = _padded(types, width, 0)
        if config.model_type == "longformer":
            inputs["global_attention_mask"] = torch.zeros_like(inputs["input_ids"])
            inputs["global_attention_mask"][:, 0] = 1
        return {name: value.to(self.model.device) for name, value in inputs.items()}


@dataclass(frozen=True, eq=False)
class EncoderReader(NeuralReader):
    """A reader over an encoder with a head. `texts_per_input`: how many texts (1 or 2) an input joins."""

    batch_unit = "input"
    task = TASK
    texts_per_input: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        super().__post_init__()
        if self.texts_per_input == 2:
            self.joining  # noqa: B018  (raises for a tokenizer that cannot join two texts)

    @cached_property
    def limit(self) -> int:
        """The longest input in tokens, special ones included."""
        return limits.input_limit(_with_positions(self.settings), self._given_limit, 1, self.limit_field)

    @property
    def _given_limit(self) -> int | None:
        return self.max_input_tokens

    @cached_property
    def added_tokens(self) -> int:
        """Number of special tokens in an input."""
        return int(self.subwords.tokenizer.num_special_tokens_to_add(self.texts_per_input == 2))

    @property
    def text_limit(self) -> int:
        """The longest input in tokens, special ones left out."""
        return self.limit - self.added_tokens

    @cached_property
    def joining(self) -> Joining:
        """How the tokenizer joins two texts."""
        return Joining.of(self.model, self.subwords.tokenizer)

    def untrained(self, labels: Sequence[str], seed: int) -> Network:
        """The network with a new head for these labels, for training. Raises `UserError`: no weights."""
        import torch

        torch.manual_seed(seed)
        path = hub.weights(self.model, self.fetched.revision, self.task)
        return Network.untrained(path, self.devices[0], self.options, labels, self.task)

    def network(self) -> Network:
        """The network, loaded at the first call. Raises `UserError` where there are no weights, or no trained head."""
        with self._lock:
            return self._loaded

    @cached_property
    def _loaded(self) -> Network:
        path = hub.weights(self.model, self.fetched.revision, self.task)
        return Network.load(path, self.facts["dtype"], self.devices[0], self.options, self.task)


def _padded(rows: Sequence[list[int]], width: int, fill: int) -> Any:
    import torch

    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])


def _with_positions(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, its `max_position_embeddings` lowered to those that text can take."""
    if settings.get("model_type") not in POSITIONS_AFTER_PADDING or settings.get("max_position_embeddings") is None:
        return dict(settings)
    unused = int(settings.get("pad_token_id") or 0) + 1
    return {**settings, "max_position_embeddings": int(settings["max_position_embeddings"]) - unused}
