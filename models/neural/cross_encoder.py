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
from models.neural.shared.batching import BATCH_TOKENS, batches, halved
from models.neural.shared.classifier_head import EncoderReader
from models.neural.shared.text_pairs import Ids
from models.prompts import Part, Prompt
from models.requests import Compare, Reply, Request

CPU_TOKENS = 4_096  # read together on a CPU: it bounds the memory that a request of many pairs takes
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
    texts = 2
    least_tokens = 2

    _known_values: dict[tuple[str, ...], list[Ids]] = field(default_factory=dict, init=False, repr=False)

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
            pairs = [self._pairs(request) for request in requests]
            flat, failed = self._read([pair for pairs in pairs for pair in pairs])
        replies, start = [], 0
        for pair in pairs:
            end = start + len(pair)
            reason = next((reason for position, reason in failed.items() if start <= position < end), None)
            replies.append(self._reply(pair, flat[start:end]) if reason is None else Reply.failed(reason))
            start = end
        return replies

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The logit of "same" for each pair of texts, the bias not yet taken off. Raises `UserError`: no memory."""
        with self._lock:
            limit = self.text_limit
            read = [_Pair.of(self._encoded(text), self._encoded(other), limit) for text, other in pairs]
            logits, failed = self._read(read)
        for reason in failed.values():
            raise UserError(reason)
        return logits

    def training_inputs(self, first: str, second: str) -> tuple[Ids, Ids]:
        """A pair's token ids as the network reads them, and the type of each: what training works on."""
        pair = _Pair.of(self._encoded(first), self._encoded(second), self.text_limit)
        return self.joining.joined(*pair.read)

    def pair(self, first: str, second: str) -> Prompt:
        """What is read of two texts, with the special tokens' names; document parts have spans in their own text."""
        texts, joining = (first, second), self.joining
        with self._lock:
            encoded = [self.subwords.encode(text) for text in texts]
        read = _Pair.of(encoded[0].own_ids, encoded[1].own_ids, self.text_limit)
        shown_parts = []
        for text, spans, length in zip(texts, [encoded.own_spans for encoded in encoded], read.lengths, strict=True):
            end = len(text) if length == len(spans) else spans[length - 1][1] if length else 0
            shown_parts.append(Part("document", text[:end], 0, end))
        before, between, behind = map(self._named_text, (joining.before, joining.between, joining.behind))
        parts = (Part("text", before), shown_parts[0], Part("text", between), shown_parts[1], Part("text", behind))
        return Prompt(parts, truncated_tokens=read.truncated_tokens)

    def _named_text(self, special: Ids) -> str:
        return "".join(map(self.subwords.tokenizer.id_to_token, special))

    def _reply(self, pairs: Sequence["_Pair"], logits: Floats) -> Reply:
        probability = Logistic(np.ones(1), -self.bias)
        tokens, truncated = sum(pair.tokens for pair in pairs), sum(pair.truncated_tokens for pair in pairs)
        return Reply(probability(logits[:, None]), tokens_in=tokens, truncated_tokens=truncated)

    def _read(self, pairs: Sequence["_Pair"]) -> tuple[Floats, dict[int, str]]:
        """The logits of pairs, those of similar length together; why there is none, by the number of the pair."""
        logits, failed = np.zeros(len(pairs)), {}

        def nothing(position: int, reason: str) -> float:
            failed[position] = reason
            return 0.0

        budget = self.tokens_per_call or (CPU_TOKENS if self.devices[0] == "cpu" else BATCH_TOKENS)
        added = self.joining.added
        for batch in batches(
            range(len(pairs)), lambda position: pairs[position].tokens + added, budget, self.deterministic
        ):
            logits[batch] = halved(
                batch, lambda some_numbers: list(self._logits([pairs[position] for position in some_numbers])), nothing
            )
        return logits, failed

    def _pairs(self, request: Request) -> list["_Pair"]:
        if not isinstance(request, Compare):
            raise self.unsupported(request)
        tokens = self._tokens(request.texts)
        budget = self.text_limit
        return [_Pair.of(tokens[i], tokens[j], budget) for i, j in request.pairs]

    def _logits(self, pairs: Sequence["_Pair"]) -> Floats:
        rows, types = zip(*(self.joining.joined(*pair.read) for pair in pairs), strict=True)
        outputs: Floats = self.network().logits(rows, types).double().cpu().numpy()
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]

    def _tokens(self, texts: tuple[str, ...]) -> list[Ids]:
        """The tokens of each text; a document's are kept for its next rounds."""
        known_values = self._known_values
        if texts not in known_values:
            while known_values and sum(map(len, known_values)) + len(texts) > CACHE_SIZE:
                del known_values[next(iter(known_values))]
            known_values[texts] = [self._encoded(text) for text in texts]
        return known_values[texts]

    def _encoded(self, text: str) -> Ids:
        return self.subwords.encode(text).own_ids


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts' tokens and how many of each are read."""

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
        """How many are read."""
        return sum(self.lengths)

    @property
    def truncated_tokens(self) -> int:
        """How many are not."""
        return len(self.first) + len(self.second) - self.tokens


def _check_head(model: str, settings: Mapping[str, Any]) -> None:
    """Raise `UserError` for a head that gives no logit of "same". A model without a head may yet get one."""
    names = hub.outputs(settings) or ("logit",)
    if len(names) > 2:
        raise UserError(
            f"{model} has {len(names)} outputs ({', '.join(names)}); to compare pairs it needs one, the logit of "
            f'"same", or two, "different" and "same" in this order: fine-tune it for that'
        )
    if len(names) == 2 and (kind := settings.get("problem_type")) not in (None, "single_label_classification"):
        raise UserError(f"{model} was trained for {kind}; with two outputs one label per pair is needed")
