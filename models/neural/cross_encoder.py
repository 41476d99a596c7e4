"""Whether two paragraphs have one author, by an encoder that reads both at once (BERT, RoBERTa, Longformer …).

Probability = 1 / (1 + exp(-(logit - bias))). With one output the logit is that output, as in the cross-encoders of
sentence-transformers; with two it is the second less the first, which makes the softmax's probability of class 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longdoc.errors import UserError
from models import hub
from models.author_pairs import Floats, Logistic
from models.neural.shared.batching import BATCH_TOKENS, batches, halving_on_out_of_memory
from models.neural.shared.classifier_head import EncoderReader
from models.neural.shared.text_pairs import Ids
from models.prompts import Part, Prompt
from models.requests import Compare, Reply, Request

CPU_BATCH_TOKENS = 4_096  # read together on a CPU: it bounds the memory that a request of many pairs takes
CACHE_SIZE = 20_000  # paragraphs whose tokens are kept for the next rounds of their documents


@dataclass(frozen=True, eq=False)
class CrossEncoder(EncoderReader):
    """Answers Compare with a fine-tuned encoder that classifies pairs of texts.

    A head of two outputs has "same" as its class 1, whatever `id2label` calls it. The pair (i, j) is read as it is
    asked, i first: it is not symmetric, and the strategies ask with i before j in the document.

    - `bias`: taken from the logit of "same", so that 0.5 becomes the threshold that was tuned.
    - `max_input_tokens`: a pair's tokens with the special ones; of longer pairs the longer text is cut first, at its
      end. None: the model's positions.
    - `device`: None is the GPU if there is one. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `deterministic`: fp32, one pair at a time.
    - `batch_tokens`: padded tokens of pairs that are read together. None: 32,768 on a GPU, elsewhere 4,096 of one
      request a call.
    - `options`: further arguments of `from_pretrained`.

    Construction reads configuration and tokenizer, the first request or `resolve` looks for the weights. Safe to use
    from several threads. Raises `UserError`; a model without a trained classification head is refused when it is to
    answer, not before.
    """

    bias: float = 0.0

    supports = frozenset({Compare})
    texts_per_input = 2
    least_tokens = 2

    _token_cache: dict[tuple[str, ...], list[Ids]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot work: fields, and a head that does not tell whether two texts are alike."""
        super().__post_init__()
        _check_head(self.model, self.settings)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order; pairs of similar length are read together, padded, across requests.

        `tokens_in` counts what was read and `truncated_tokens` what was not, over all pairs of the request, special
        tokens left out.
        """
        with self._lock:
            pairs_of_requests = [self._pairs(request) for request in requests]
            logits, reasons = self._read([pair for pairs in pairs_of_requests for pair in pairs])
        replies, start = [], 0
        for pairs in pairs_of_requests:
            end = start + len(pairs)
            reason = next((reason for position, reason in reasons.items() if start <= position < end), None)
            replies.append(self._reply(pairs, logits[start:end]) if reason is None else Reply.failed(reason))
            start = end
        return replies

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The logit of "same" for each pair of texts, before the bias is subtracted. Raises `UserError`: no memory."""
        with self._lock:
            limit = self.text_limit
            cut_pairs = [_Pair.of(self._encoded(text), self._encoded(other), limit) for text, other in pairs]
            logits, reasons = self._read(cut_pairs)
        for reason in reasons.values():
            raise UserError(reason)
        return logits

    def training_inputs(self, first: str, second: str) -> tuple[Ids, Ids]:
        """The token ids and token type ids of a pair, as training needs them."""
        pair = _Pair.of(self._encoded(first), self._encoded(second), self.text_limit)
        return self.joining.joined(*pair.read)

    def pair(self, first: str, second: str) -> Prompt:
        """The prompt that shows how a pair is read: both texts, cut to fit, and the special tokens by name."""
        texts, joining = (first, second), self.joining
        with self._lock:
            encoded = [self.subwords.encode(text) for text in texts]
        cut_pair = _Pair.of(encoded[0].text_ids, encoded[1].text_ids, self.text_limit)
        text_parts = []
        for text, spans, length in zip(
            texts, [encoded.text_spans for encoded in encoded], cut_pair.lengths, strict=True
        ):
            end = len(text) if length == len(spans) else spans[length - 1][1] if length else 0
            text_parts.append(Part("document", text[:end], 0, end))
        before, between, behind = map(self._special_text, (joining.before, joining.between, joining.behind))
        parts = (Part("text", before), text_parts[0], Part("text", between), text_parts[1], Part("text", behind))
        return Prompt(parts, truncated_tokens=cut_pair.truncated_tokens)

    def _special_text(self, ids: Ids) -> str:
        return "".join(map(self.subwords.tokenizer.id_to_token, ids))

    def _reply(self, pairs: Sequence["_Pair"], logits: Floats) -> Reply:
        probability = Logistic(np.ones(1), -self.bias)
        tokens, truncated = sum(pair.tokens for pair in pairs), sum(pair.truncated_tokens for pair in pairs)
        return Reply(probability(logits[:, None]), tokens_in=tokens, truncated_tokens=truncated)

    def _read(self, pairs: Sequence["_Pair"]) -> tuple[Floats, dict[int, str]]:
        """The logits of pairs, and for each pair without one the reason, by its position."""
        logits, reasons = np.zeros(len(pairs)), {}

        def fail(position: int, reason: str) -> float:
            reasons[position] = reason
            return 0.0

        budget = self.tokens_per_call or (CPU_BATCH_TOKENS if self.devices[0] == "cpu" else BATCH_TOKENS)
        added = self.joining.added_tokens
        for batch in batches(
            range(len(pairs)), lambda position: pairs[position].tokens + added, budget, self.deterministic
        ):
            logits[batch] = halving_on_out_of_memory(
                batch, lambda positions: list(self._logits([pairs[position] for position in positions])), fail
            )
        return logits, reasons

    def _pairs(self, request: Request) -> list["_Pair"]:
        if not isinstance(request, Compare):
            raise self.unsupported(request)
        tokens = self._tokens(request.texts)
        budget = self.text_limit
        return [_Pair.of(tokens[i], tokens[j], budget) for i, j in request.pairs]

    def _logits(self, pairs: Sequence["_Pair"]) -> Floats:
        ids, types = zip(*(self.joining.joined(*pair.read) for pair in pairs), strict=True)
        outputs: Floats = self.network().logits(ids, types).double().cpu().numpy()
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]

    def _tokens(self, texts: tuple[str, ...]) -> list[Ids]:
        """The token ids of each text, cached for the next requests about the same document."""
        cache = self._token_cache
        if texts not in cache:
            while cache and sum(map(len, cache)) + len(texts) > CACHE_SIZE:
                del cache[next(iter(cache))]
            cache[texts] = [self._encoded(text) for text in texts]
        return cache[texts]

    def _encoded(self, text: str) -> Ids:
        return self.subwords.encode(text).text_ids


@dataclass(frozen=True, slots=True)
class _Pair:
    """The token ids of two texts, and how many of each are read."""

    first: Ids
    second: Ids
    lengths: tuple[int, int]

    @classmethod
    def of(cls, first: Ids, second: Ids, budget: int) -> "_Pair":
        """Cut to `budget` tokens, the longer text first; where both have to go, the longer one keeps an odd token."""
        short = min(len(first), len(second), budget // 2)
        long = min(max(len(first), len(second)), budget - short)
        return cls(first, second, (short, long) if len(first) <= len(second) else (long, short))

    @property
    def read(self) -> tuple[Ids, Ids]:
        """The tokens that are read."""
        return self.first[: self.lengths[0]], self.second[: self.lengths[1]]

    @property
    def tokens(self) -> int:
        """Number of tokens that are read."""
        return sum(self.lengths)

    @property
    def truncated_tokens(self) -> int:
        """Number of tokens that are cut."""
        return len(self.first) + len(self.second) - self.tokens


def _check_head(model: str, settings: Mapping[str, Any]) -> None:
    """Raise `UserError` unless the head has one or two outputs. A model without a head may get one by training."""
    names = hub.outputs(settings) or ("logit",)
    if len(names) > 2:
        raise UserError(
            f"{model} has {len(names)} outputs ({', '.join(names)}); to compare pairs it needs one, the logit of "
            f'"same", or two, "different" and "same" in this order: fine-tune it for that'
        )
    if len(names) == 2 and (kind := settings.get("problem_type")) not in (None, "single_label_classification"):
        raise UserError(f"{model} was trained for {kind}; to compare pairs it needs one label per pair")
