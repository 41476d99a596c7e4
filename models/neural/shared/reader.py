"""What all readers with a network share: their fields, what of these is refused, and what a run records."""

import threading
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

from longdoc.allowed_code import Guarded, OnlyTyped, file_of
from longdoc.errors import UserError
from longdoc.optional import check
from longdoc.registry import name_of
from models import hub
from models.neural.shared import limits
from models.neural.shared.batching import BATCH_TOKENS
from models.reader import Reader
from models.tokenizer import Subwords
from models.truncation import Edges

FIELD_OF = {"dtype": "dtype", "torch_dtype": "dtype", "device_map": "device", "revision": "revision"}
FIXED = frozenset({"trust_remote_code", "use_safetensors", "local_files_only", "output_loading_info", "config"})
ATTENTION = frozenset({"attn_implementation", "experts_implementation"})  # ORGANIZATION/NAME is a kernel of the hub
KERNELS = frozenset({"use_kernels", "kernel_config"})


@dataclass(frozen=True, eq=False)
class NeuralReader(Guarded, Reader):
    """A reader with a network of `transformers`, by hub id or folder.

    Construction reads configuration and tokenizer and refuses what cannot work; the weights are loaded at the first
    request. The fields stay what was given: the limit that follows from them is `max_prompt_tokens`, the batch size
    `tokens_per_call`, and `resolve` has both.
    """

    model: str
    revision: str | None = None
    max_input_tokens: int | None = None
    device: str | None = None
    dtype: Literal["auto", "bf16", "fp32", "fp16", "int8"] = "auto"
    deterministic: bool = False
    batch_tokens: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    batch_requests = 1
    task: ClassVar[str]  # the class AutoModelFor… of `transformers`
    limit_field: ClassVar[str] = "max_input_tokens"  # that sets `limit`
    batch_unit: ClassVar[str] = "request"  # what is read one at a time where nothing is batched
    several_devices: ClassVar[bool] = False  # takes a list of devices, or `device_map`
    least_tokens: ClassVar[int] = 1  # of text, without which nothing can be read

    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        self._check_fields()
        if self.limit < self.added_tokens + self.least_tokens:
            raise UserError(
                f"{self.limit_field}={self.limit} leaves no room beside {self.added_tokens} {self._added_tokens_name}: "
                "raise it"
            )
        self.facts  # noqa: B018  (raises for a device or dtype that cannot be)

    @classmethod
    def check_in_file(cls, label: str, given_fields: Mapping[Any, Any]) -> None:
        """Refuse options by which a file would have code fetched: kernels of the hub."""
        options = given_fields.get("options")
        for name, value in options.items() if isinstance(options, Mapping) else ():
            fetched = name in KERNELS or (name in ATTENTION and "/" in str(value))
            if fetched and (file := file_of(name)):
                raise OnlyTyped(f"{file} sets {name} of the {label}, which fetches code: type its options= yourself")

    @property
    @abstractmethod
    def limit(self) -> int:
        """The longest input in tokens, special ones included: as given, else the model's own."""

    @property
    @abstractmethod
    def added_tokens(self) -> int:
        """Number of tokens of the limit that are not the text's: special tokens and those of a chat template."""

    @property
    def _added_tokens_name(self) -> str:
        return "special tokens"

    @property
    def max_prompt_tokens(self) -> int | None:
        """The limit on the text alone, as `count` counts."""
        return self.limit - self.added_tokens

    @property
    def tokens_per_call(self) -> int | None:
        """Padded prompt tokens for one call of `reply`: those of a batch, times the number of devices."""
        tokens: int | None = self.facts["batch_tokens"]
        return tokens and tokens * len(self.devices)

    @cached_property
    def fetched(self) -> hub.Fetched:
        """The model's folder and commit; without weights. Raises `UserError` where a library is missing."""
        check(("torch", "transformers", "tokenizers"), "neural", f"the reader {name_of(self)}")
        return hub.folder(self.model, self.revision, weights=False)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The model's configuration."""
        return hub.config(self.fetched.path)

    @cached_property
    def subwords(self) -> Subwords:
        """The tokenizer of prompts."""
        return Subwords.load(self.fetched.path)

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The devices that hold the network."""
        if self.several_devices:
            return limits.devices(self.device, "device_map" in self.options)
        return (limits.device(self.device),)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The resolved settings: revision, limits, device, dtype, batch size."""
        spread = f"device_map={self.options['device_map']}" if "device_map" in self.options else None
        return {
            "revision": self.fetched.revision,
            **self.recorded_limits(),
            "device": spread or ",".join(self.devices),
            "dtype": self.computed_dtype,
            "deterministic": self.deterministic,
            "batch_tokens": self.batch_tokens or self.default_batch_tokens,
        }

    @property
    def computed_dtype(self) -> str:
        """The dtype of the computation. Raises `UserError` for one that is not possible."""
        return limits.dtype(self.dtype, self.deterministic, self.settings, self.devices[0])

    def recorded_limits(self) -> dict[str, Any]:
        """The limits that a run records."""
        return {self.limit_field: self.limit}

    @property
    def default_batch_tokens(self) -> int | None:
        """The padded tokens of a batch where none are given; None: nothing is batched."""
        return None if self.deterministic or self.devices[0] == "cpu" else BATCH_TOKENS

    def resolve(self) -> dict[str, Any]:
        """What a run records: commit (a local folder: fingerprint of its weights), dtype, device, limit, versions.

        Raises `UserError` where there are no weights.
        """
        import tokenizers
        import torch
        import transformers

        path = hub.weights(self.model, self.fetched.revision, self.task)
        local = {} if self.fetched.revision else {"weights": hub.fingerprint(path)}
        versions = {library.__name__: library.__version__ for library in (torch, transformers, tokenizers)}
        return {**self.facts, **local, "versions": versions}

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out."""
        return self.subwords.count(texts)

    def token_ends(self, text: str) -> list[int]:
        """Where the tokenizer's tokens end."""
        return self.subwords.ends(text)

    @property
    def edges(self) -> Edges:
        """The tokenizer of prompts."""
        return self.subwords

    def _check_fields(self) -> None:
        """Raise `UserError` for impossible batches, and for options of `from_pretrained` that are fields or fixed."""
        if self.batch_tokens is not None and self.batch_tokens < 1:
            raise UserError(f"batch_tokens must be at least 1, got {self.batch_tokens}")
        if self.deterministic and self.batch_tokens is not None:
            raise UserError(f"deterministic=True reads one {self.batch_unit} at a time; drop batch_tokens")
        for option in self.options:
            if option == "device_map" and self.several_devices:
                continue
            if option in FIELD_OF:
                raise UserError(f"options: {option} is a parameter of its own, {FIELD_OF[option]}=…")
            if option in FIXED:
                raise UserError(f"options: {option} cannot be set (safetensors only, no code from the model); drop it")
        if "device_map" in self.options and self.device is not None:
            raise UserError(
                f"options: device_map places the network, so device={self.device!r} has no effect: drop one of them"
            )
