"""Sequence classification with encoders of `transformers` (Longformer, BERT, RoBERTa …) by hub id or folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from longdoc.errors import UserError
from models import hub
from models.neural.shared.batching import BATCH_TOKENS, batches, halving_on_out_of_memory
from models.neural.shared.classifier_head import EncoderReader
from models.prompts import Prompt
from models.requests import Classify, Reply, Request
from models.truncation import TooLong, truncate


@dataclass(frozen=True, eq=False)
class SequenceClassifier(EncoderReader):
    """A reader that classifies with a fine-tuned encoder.

    - `labels`: the classes' names in the order of the model's outputs; None: those of its configuration (`id2label`).
      For a model without a classification head any two or more.
    - `max_input_tokens`: the prompt's tokens with the special ones. None: the model's positions.
    - `device`: None is the GPU if there is one. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `deterministic`: fp32, one request at a time.
    - `batch_tokens`: padded prompt tokens that are read together. None: 32,768 on a GPU, elsewhere one request per
      call.
    - `options`: further arguments of `from_pretrained`.

    Construction reads configuration and tokenizer, the first request or `resolve` looks for the weights. Safe to use
    from several threads. Raises `UserError`; a model without a trained classification head is refused when it is to
    answer, not before.
    """

    labels: tuple[str, ...] | None = None

    supports = frozenset({Classify})

    def __post_init__(self) -> None:
        """Refuse what cannot work: fields, and labels that do not fit the model."""
        super().__post_init__()
        self.output_labels  # noqa: B018

    @cached_property
    def output_labels(self) -> tuple[str, ...]:
        """The classes' names, those of the model where none are given."""
        return _labels(self.model, self.settings, self.labels)

    def recorded_limits(self) -> dict[str, Any]:
        """The limit and the labels."""
        return {**super().recorded_limits(), "labels": list(self.output_labels)}

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order; texts of similar length are read together, padded."""
        for request in requests:
            if not isinstance(request, Classify):
                raise self.unsupported(request)
        with self._lock:
            replies: dict[int, Reply] = {}
            readable: list[_EncodedRequest] = []
            for i, request in enumerate(requests):
                assert isinstance(request, Classify)
                try:
                    prompt = truncate(
                        Prompt.of(request.text), self.max_prompt_tokens, self.count, self.token_ends, self.edges
                    )
                    readable.append(_EncodedRequest(i, prompt, self.subwords.encode(prompt.text).ids))
                except TooLong as error:
                    replies[i] = Reply.failed(str(error), error.fixed)
            readable.sort(key=lambda encoded: (encoded.prompt.text, encoded.index))
            budget = self.tokens_per_call or BATCH_TOKENS
            for batch in batches(readable, lambda encoded: len(encoded.ids), budget, self.deterministic):
                batch_replies = halving_on_out_of_memory(
                    batch, self._batch_replies, lambda encoded, reason: Reply.failed(reason, len(encoded.ids))
                )
                replies |= {encoded.index: reply for encoded, reply in zip(batch, batch_replies, strict=True)}
        return [replies[i] for i in range(len(requests))]

    def training_inputs(self, text: Prompt | str) -> list[int]:
        """A text's token ids, cut to the limit, as training needs them."""
        prompt = truncate(Prompt.of(text), self.max_prompt_tokens, self.count, self.token_ends, self.edges)
        return self.subwords.encode(prompt.text).ids

    def _batch_replies(self, batch: Sequence["_EncodedRequest"]) -> list[Reply]:
        probabilities = self._probabilities([encoded.ids for encoded in batch])
        return [self._reply(encoded, row) for encoded, row in zip(batch, probabilities, strict=True)]

    def _probabilities(self, rows: Sequence[list[int]]) -> list[list[float]]:
        """The probabilities of the classes for each row of token ids, computed in fp32."""
        return [list(map(float, row)) for row in self.network().logits(rows).softmax(dim=-1).tolist()]

    def _reply(self, encoded: "_EncodedRequest", probabilities: list[float]) -> Reply:
        scores = dict(zip(self.output_labels, probabilities, strict=True))
        return Reply(
            scores, len(encoded.ids) - self.subwords.added_tokens, truncated_tokens=encoded.prompt.truncated_tokens
        )


@dataclass(frozen=True, slots=True)
class _EncodedRequest:
    """A request whose prompt fits, and its token ids, special ones included."""

    index: int
    prompt: Prompt
    ids: list[int]


def _labels(model: str, settings: Mapping[str, Any], given: tuple[str, ...] | None) -> tuple[str, ...]:
    """The classes' names. Raises `UserError` unless the model has two or more classes, one right per text."""
    if (kind := settings.get("problem_type")) not in (None, "single_label_classification"):
        raise UserError(f"{model} was trained for {kind}; a classifier must have one label per text")
    model_labels = hub.outputs(settings)
    if model_labels is not None and given is not None and len(given) != len(model_labels):
        raise UserError(
            f"{model} has {len(model_labels)} classes ({', '.join(model_labels)}), but labels has {len(given)} names"
        )
    labels = given or model_labels or ("LABEL_0", "LABEL_1")
    if len(model_labels or labels) < 2 or len(set(labels)) < len(labels):
        raise UserError(f"{model} needs two or more labels that differ, got {', '.join(labels)}")
    return labels
