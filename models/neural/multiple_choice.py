"""Multiple choice with encoders of `transformers` (RoBERTa, Longformer … fine-tuned on RACE, QuALITY, SWAG).

Each option is read with the passages and gets one logit; the highest wins. The first text of a pair is the passages,
the second the question and the option, as on RACE (Liu et al. 2019, RoBERTa, section 5.3: the four candidates, each
with the question and the passage, encoded one by one).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Literal

from models.neural.shared.batching import BATCH_TOKENS, batches, halving_on_out_of_memory, raise_out_of_memory
from models.neural.shared.classifier_head import EncoderReader
from models.neural.shared.text_pairs import Ids
from models.options import Option, options, question, wants_letter
from models.prompts import Prompt
from models.requests import Generate, Reply, Request
from models.truncation import TooLong, truncate
from models.word_reader import before


@dataclass(frozen=True, eq=False)
class MultipleChoice(EncoderReader):
    """Answers with the most probable of the prompt's options; without options, with nothing.

    Options are those of the prompt's options part, or listed by letter in its query. `answer` letter or text: auto
    answers with the letter where the prompt's own words ask for a letter, else with the text; n > 1 gives the n best.

    - `max_input_tokens`: tokens of passages, question and one option, with the special ones; the passages are cut at
      their tail where the longest option leaves no room. None: the model's positions.
    - `device`: None is the GPU if there is one. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `deterministic`: fp32, one option at a time.
    - `batch_tokens`: padded tokens of options that are read together. None: 32,768 on a GPU, elsewhere one option.
    - `options`: further arguments of `from_pretrained`.

    Construction reads configuration and tokenizer, the first request or `resolve` looks for the weights. Thread-safe.
    Raises `UserError`.
    """

    answer: Literal["auto", "text", "letter"] = "auto"

    supports = frozenset({Generate})
    task = "MultipleChoice"
    texts_per_input = 2
    least_tokens = 2

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order; options of similar length are read together, across requests.

        `tokens_in` is passages, question and all options, once each.
        """
        with self._lock:
            encoded_requests = [self._encode(request) for request in requests]
            rows = [row for encoded in encoded_requests if isinstance(encoded, _EncodedRequest) for row in encoded.rows]
            logits = iter(self._logits(rows))
            return [
                encoded if isinstance(encoded, Reply) else self._reply(encoded, [next(logits) for _ in encoded.rows])
                for encoded in encoded_requests
            ]

    def _encode(self, request: Request) -> "_EncodedRequest | Reply":
        if not isinstance(request, Generate):
            raise self.unsupported(request)
        prompt = Prompt.of(request.prompt)
        choices = options(prompt)
        choice_ids = [self._ids(f"{question(prompt)} {option.text}".strip()) for option in choices]
        budget = self.text_limit - max(map(len, choice_ids), default=0)
        try:
            passages = truncate(replace(prompt, parts=prompt.passages), budget, self.count, self.token_ends, self.edges)
        except TooLong:
            passages = None
        if passages is None or (prompt.passages and budget < 1):
            prompt_tokens = self.text_limit - budget
            error = str(TooLong(prompt_tokens, self.text_limit))
            return Reply.failed(error, prompt_tokens)
        passage_ids = self._ids(passages.text)[:budget]
        rows = [_Row(*self.joining.joined(passage_ids, ids), len(ids)) for ids in choice_ids]
        return _EncodedRequest(
            request, prompt, choices, rows, len(passage_ids) + sum(map(len, choice_ids)), passages.truncated_tokens
        )

    def _logits(self, rows: Sequence["_Row"]) -> list[float]:
        """The logit of each option; it depends on the option's own input only, not on the batch."""
        logits = [0.0] * len(rows)
        budget = self.tokens_per_call or BATCH_TOKENS
        row_by_row = self.tokens_per_call is None
        for batch in batches(range(len(rows)), lambda position: len(rows[position].ids), budget, row_by_row):
            batch_logits = halving_on_out_of_memory(
                batch, lambda positions: self._read([rows[position] for position in positions]), raise_out_of_memory
            )
            for position, logit in zip(batch, batch_logits, strict=True):
                logits[position] = logit
        return logits

    def _read(self, rows: Sequence["_Row"]) -> list[float]:
        import torch

        network = self.network()
        inputs = network.inputs([row.ids for row in rows], [row.types for row in rows])
        if "global_attention_mask" in inputs:  # Longformer: question and option attend to all, as in transformers
            for i, row in enumerate(rows):
                end = len(row.ids)
                inputs["global_attention_mask"][i] = 0
                inputs["global_attention_mask"][i, end - row.second_length - len(self.joining.behind) : end] = 1
        with torch.inference_mode():
            logits = network.model(**{name: value[None] for name, value in inputs.items()}).logits[0]
        return [float(logit) for logit in logits.float().tolist()]

    def _reply(self, encoded: "_EncodedRequest", logits: Sequence[float]) -> Reply:
        request = encoded.request
        as_letter = wants_letter(encoded.prompt) if self.answer == "auto" else self.answer == "letter"
        ranking = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
        texts = [encoded.choices[i].letter if as_letter else encoded.choices[i].text for i in ranking] or [""]
        full_answers = [before(text, request.stop) for text in islice(cycle(texts), max(request.n, 1))]
        answers = [truncate(Prompt.of(text), request.max_new_tokens, self.count).text for text in full_answers]
        return Reply(
            value=answers[0] if request.n == 1 else tuple(answers),
            tokens_in=encoded.tokens,
            tokens_out=sum(self.count(answers)),
            truncated_tokens=encoded.truncated_tokens,
            finish_reason="stop" if answers == full_answers else "length",
        )

    def _ids(self, text: str) -> Ids:
        return self.subwords.encode(text).text_ids


@dataclass(frozen=True, slots=True)
class _Row:
    """The token ids and types of a pair, and how many of the tokens belong to the second text."""

    ids: Ids
    types: Ids
    second_length: int


@dataclass(frozen=True, slots=True)
class _EncodedRequest:
    """A request, its options, and an input for each option: passages, question and option."""

    request: Generate
    prompt: Prompt
    choices: Sequence[Option]
    rows: Sequence["_Row"]
    tokens: int
    truncated_tokens: int
