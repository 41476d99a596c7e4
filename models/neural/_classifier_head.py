"""What readers with a classification head share: fields checked, limits, batches of like length, the network itself.

Longformer's first token attends to all others (Beltagy et al. 2020, section 6: global attention for classification).
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from longdoc.errors import UserError
from models import hub
from models.neural import _fields, _limits
from models.neural._batching import BATCH_TOKENS
from models.neural._encoder_decoder import pretrained
from models.tokenizer import Subwords

AFTER_PADDING = frozenset(  # positions are counted from behind the padding token's number
    {"roberta", "xlm-roberta", "xlm-roberta-xl", "roberta-prelayernorm", "camembert", "longformer", "mpnet"}
)
TASK = "SequenceClassification"
UNTRAINED = {
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

        model = pretrained(getattr(transformers, f"AutoModelFor{task}"), path, dtype, options, UNTRAINED[task])
        return cls(model.to(device).eval(), model.config.pad_token_id or 0)

    @classmethod
    def untrained(
        cls, path: Path, device: str, options: Mapping[str, Any], names: Sequence[str], task: str = TASK
    ) -> "Network":
        """The folder's encoder in fp32 with a head for these outputs that is still random (by torch's seed)."""
        import transformers

        head = {"num_labels": len(names), "id2label": dict(enumerate(names))}
        head |= {"label2id": {name: number for number, name in enumerate(names)}}
        kind = getattr(transformers, f"AutoModelFor{task}")
        model = pretrained(kind, path, "fp32", {**options, **head}, new_head=True)
        return cls(model.to(device), model.config.pad_token_id or 0)

    def logits(self, rows: Sequence[list[int]], types: Sequence[list[int]] | None = None) -> Any:
        """For rows of token ids (and their types, as `inputs` takes them) the logits [rows, outputs], in fp32."""
        import torch

        with torch.inference_mode():
            return self.model(**self.inputs(rows, types)).logits.float()

    def inputs(self, rows: Sequence[list[int]], types: Sequence[list[int]] | None = None) -> dict[str, Any]:
        """What the network is called with for rows of token ids, padded.

        `types` tell the first text's tokens from the second's; models that know no such types are given none.
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


@dataclass(frozen=True, slots=True)
class Classifier:
    """A model with a classification head by hub id or folder: its description now, its weights when they are needed.

    `facts` are what a run records; `limit` is the longest input in tokens, special ones left out.
    """

    model: str
    settings: Mapping[str, Any]
    subwords: Subwords
    limit: int
    facts: Mapping[str, Any]
    options: Mapping[str, Any]
    task: str = TASK
    lock: Any = field(default_factory=threading.RLock, repr=False)
    _network: list[Network] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(cls, reader: Any, texts: int, task: str = TASK, field: str = "max_input_tokens") -> "Classifier":
        """For a reader's fields, `texts` (1 or 2) being read at once. Raises `UserError` for what cannot work.

        `field` is the reader's parameter for the longest input.
        """
        _fields.check(reader, "input")
        fetched = hub.folder(reader.model, reader.revision, weights=False)
        settings = hub.config(fetched.path)
        limit = _limits.input_limit(_with_positions(settings), getattr(reader, field), 1, field)
        subwords = Subwords.load(fetched.path)
        added = int(subwords.tokenizer.num_special_tokens_to_add(texts == 2))
        if limit < added + texts:
            raise UserError(f"{field}={limit} leaves no room beside {added} special tokens: raise it")
        device = _limits.device(reader.device)
        on_gpu = device != "cpu" and not reader.deterministic
        facts = {
            "revision": fetched.revision,
            field: limit,
            "device": device,
            "dtype": _limits.dtype(reader.dtype, reader.deterministic, settings, device),
            "deterministic": reader.deterministic,
            "batch_tokens": reader.batch_tokens or (BATCH_TOKENS if on_gpu else None),
        }
        return cls(reader.model, settings, subwords, limit - added, facts, reader.options, task)

    def resolve(self) -> dict[str, Any]:
        """Commit (a local folder: fingerprint of its weights), dtype, device, limit, versions. Raises `UserError`."""
        return _fields.identity(self.model, self.facts, self.task)

    def untrained(self, names: Sequence[str], seed: int) -> Network:
        """The network with a new head for these outputs, for training. Raises `UserError`: no weights."""
        import torch

        torch.manual_seed(seed)
        path = hub.weights(self.model, self.facts["revision"], self.task)
        return Network.untrained(path, self.facts["device"], self.options, names, self.task)

    def network(self) -> Network:
        """The network, loaded at the first call. Raises `UserError` where there are no weights, or no trained head."""
        with self.lock:
            if not self._network:
                path = hub.weights(self.model, self.facts["revision"], self.task)
                dtype, device = self.facts["dtype"], self.facts["device"]
                self._network.append(Network.load(path, dtype, device, self.options, self.task))
            return self._network[0]


def _padded(rows: Sequence[list[int]], width: int, value: int) -> Any:
    import torch

    return torch.tensor([row + [value] * (width - len(row)) for row in rows])


class Described:
    """What every reader over a `Classifier` tells of itself."""

    _classifier: Classifier

    def resolve(self) -> dict[str, Any]:
        """What a run records: commit (a local folder: fingerprint of its weights), dtype, device, limit, versions.

        Raises `UserError` where there are no weights.
        """
        return self._classifier.resolve()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out."""
        return self._classifier.subwords.count(texts)

    def token_ends(self, text: str) -> list[int]:
        """See `fitting.Tokenizing`."""
        return self._classifier.subwords.ends(text)


class Bounded(Described):
    """One whose `max_input_tokens` is given with the special tokens, and then is the limit on the text alone."""

    @property
    def recorded(self) -> dict[str, Any]:
        """The limit as it is given, special tokens included, so that a record makes the same reader again."""
        return {"max_input_tokens": self._classifier.facts["max_input_tokens"]}


def _with_positions(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with the number of positions that text can take."""
    if settings.get("model_type") not in AFTER_PADDING or settings.get("max_position_embeddings") is None:
        return dict(settings)
    taken = int(settings.get("pad_token_id") or 0) + 1
    return {**settings, "max_position_embeddings": int(settings["max_position_embeddings"]) - taken}
