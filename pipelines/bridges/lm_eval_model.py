"""The model `longdoc` of lm-evaluation-harness: any reader of ours, which is shown passages of over-long documents.

    longdoc bridge lm-eval --model_args reader=Qwen/Qwen3-0.6B,retriever=bm25,select=4000 --tasks scrolls_qasper

The harness hands over prompts as texts, and cuts those that are over a model's limit at their start. Here the document
in such a prompt is found by the fields of its row (`_flat_prompts`), and the passages that the retriever ranks best
take its place; the words around it stay. Prompts that are not over the limit reach the reader to the letter.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from longdoc.errors import UserError, unknown
from longdoc.registry import name_of
from longdoc.visible import note
from models.prompts import Prompt
from models.reader import Reader, StreamingReader
from models.requests import Generate, Reply, Request, Score
from pipelines.bridges._flat_prompts import FlatPrompt, chat_text, flat_prompt, messages_of
from pipelines.bridges._generation_settings import GenerationSettings
from pipelines.bridges._rolling import windows
from pipelines.bridges._selection import PromptSelection
from pipelines.bridges._text_cut import checked_cut

ARGUMENTS = (
    "chunker", "retriever", "k", "budget", "select", "fill", "query", "order", "max_input_tokens", "dtype",
    "deterministic", "revision", "seed", "model_options",
)  # fmt: skip
OWN_ARGUMENTS = ("reader", "document_field", "query_field", "cut")
HARNESS_DEVICE = "cuda:0"  # what their command passes where no device is given
HARNESS_BATCHES = (None, 1, "1", "auto")
PER_CALL = 64  # requests, of readers that make batches of them themselves


@register_model("longdoc")
class LongDoc(LM):  # type: ignore[misc]
    """A reader behind lm-evaluation-harness.

    - `reader`: as `pipelines.run` takes its `model`; where it has commas, all `--model_args` are given as JSON.
    - `retriever`, `chunker`, `select`, `k`, `budget`, `fill`, `order`, `query`, `max_input_tokens` … are those of
      `pipelines.run`. With `select` the documents over that size are selected from, with `k` all, with `budget` those
      of prompts over that many tokens; with none of them those of prompts over the reader's limit, which get as many of
      the best chunks as fit.
    - `document_field`, `query_field`: the fields of the task's rows that are the document, and what chunks are ranked
      by; by default they are found (`_flat_prompts.flat_prompt`).
    - `cut`: what goes of a prompt over the limit in which no document is found: "middle", "start" or "end".

    A prompt is put into a chat template only by `--apply_chat_template`, as with the harness' own models; readers
    behind an API get it as what the user says in any case. Few-shot turns become one turn of the user. Raises
    `UserError`.
    """

    def __init__(
        self,
        reader: Any = None,
        *,
        document_field: str | None = None,
        query_field: str | None = None,
        cut: str = "middle",
        device: str | None = None,
        batch_size: Any = None,
        max_batch_size: Any = None,
        **arguments: Any,
    ) -> None:
        super().__init__()
        if reader is None:
            raise UserError("name a reader: --model_args reader=Qwen/Qwen3-0.6B,retriever=bm25,select=4000")
        for name in arguments:
            if name not in ARGUMENTS:
                raise unknown("model argument", name, (*OWN_ARGUMENTS, *ARGUMENTS))
        if batch_size not in HARNESS_BATCHES or max_batch_size is not None:
            raise UserError(
                "longdoc's readers make batches by tokens: leave batch_size out (a field of the reader says how "
                'many: {"name": "causal", "model": ID, "batch_tokens": N})'
            )
        if device not in (None, HARNESS_DEVICE):
            arguments["device"] = device
        self.fields = (document_field, query_field)
        self.selection = PromptSelection.from_arguments({"model": reader, **arguments}, checked_cut(cut))
        self._readers: dict[str, Reader] = {}
        if self.selection.is_idle:
            note(
                f"warning: no prompt is selected from: the reader {name_of(self.reader)} has no limit, and neither "
                "select= nor k= nor max_input_tokens= is given"
            )

    @property
    def reader(self) -> Reader:
        """The reader as it was given."""
        return self.selection.plan.reader

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """The outputs, in order. Equal requests are asked once, or, where outputs are drawn, for several at once."""
        groups: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            groups.setdefault(repr(request.args[:2]), []).append(index)
        outputs: dict[int, str] = {}
        settings = {
            index: GenerationSettings.from_arguments(requests[index].args[1], self.reader)
            for index, *_ in groups.values()
        }
        for reader, members in self._by_reader(requests, list(groups.values()), settings):
            flats = [self._flat(requests[first]) for first, *_ in members]
            lengths = [settings[first].length for first, *_ in members]
            prompts = self.selection.prompts(reader, list(zip(flats, lengths, strict=True)))
            generations = [
                _generation(prompt, settings[indexes[0]], len(indexes))
                for prompt, indexes in zip(prompts, members, strict=True)
            ]
            for number, reply in self._replies(reader, generations, disable_tqdm):
                indexes = members[number]
                values = reply.value if isinstance(reply.value, tuple) else (reply.value,) * len(indexes)
                for index, value in zip(indexes, values, strict=True):
                    outputs[index] = str(value)
                    self.cache_hook.add_partial("generate_until", requests[index].args, outputs[index])
        return self._ordered(outputs, requests)

    def loglikelihood(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """(log-probability, whether greedy decoding would write it) of each continuation, in order.

        All continuations of a prompt are scored after the same passages.
        """
        groups: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            groups.setdefault(request.args[0], []).append(index)
        values: dict[int, tuple[float, bool]] = {}
        for chat in (False, True):
            members = [indexes for context, indexes in groups.items() if (messages_of(context) is not None) == chat]
            if not members:
                continue
            reader = self._scoring(self._reader(chat, {}))
            indexed_requests: list[tuple[int, Request]] = []
            for indexes in members:
                spaces, flat = _without_last_spaces(self._flat(requests[indexes[0]]))
                continuations = [spaces + requests[index].args[1] for index in indexes]
                (prompt,) = self.selection.prompts(reader, [(flat, _longest_continuation(reader, continuations))])
                scores = [Score(prompt, continuation, joined=True) for continuation in continuations]
                indexed_requests += zip(indexes, scores, strict=True)
            for number, reply in self._replies(reader, [request for _, request in indexed_requests], disable_tqdm):
                index = indexed_requests[number][0]
                values[index] = _likelihood(reader, reply)
                self.cache_hook.add_partial("loglikelihood", requests[index].args, values[index])
        return self._ordered(values, requests)

    def loglikelihood_rolling(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[float]:
        """The log-probability of each text, all of it: texts over the limit are read in windows, none is selected."""
        reader = self._scoring(self._reader(False, {}))
        if not reader.decoder_window:
            raise UserError(f"the likelihood of whole texts needs a decoder-only reader, {name_of(reader)} is none")
        indexed_requests: list[tuple[int, Request]] = []
        for index, request in enumerate(requests):
            indexed_requests += [(index, score) for score in windows(request.args[0], reader)]
        sums = dict.fromkeys(range(len(requests)), 0.0)
        for number, reply in self._replies(reader, [request for _, request in indexed_requests], disable_tqdm):
            sums[indexed_requests[number][0]] += float(reply.value)
        for index, request in enumerate(requests):
            self.cache_hook.add_partial("loglikelihood_rolling", request.args, sums[index])
        return [sums[index] for index in range(len(requests))]

    def apply_chat_template(self, chat_history: Sequence[Mapping[str, str]], add_generation_prompt: bool = True) -> str:
        """The messages as a text: the reader puts what is left of them into its template."""
        return chat_text(chat_history)

    @property
    def tokenizer_name(self) -> str:
        """The reader's name, by which prompts are cached."""
        return f"longdoc-{name_of(self.reader)}"

    def _flat(self, request: Instance) -> FlatPrompt:
        return flat_prompt(request.args[0], request.doc, *self.fields)

    def _by_reader(
        self, requests: Sequence[Instance], groups: list[list[int]], settings: Mapping[int, GenerationSettings]
    ) -> Iterator[tuple[Reader, list[list[int]]]]:
        """The groups of equal requests that one reader answers: by chat template and by its fields of decoding."""
        variants: dict[str, tuple[bool, Mapping[str, Any], list[list[int]]]] = {}
        for group in groups:
            chat, fields = messages_of(requests[group[0]].args[0]) is not None, settings[group[0]].fields
            variants.setdefault(repr((chat, sorted(fields.items()))), (chat, fields, []))[2].append(group)
        for chat, fields, members in variants.values():
            yield self._reader(chat, fields), members

    def _reader(self, chat: bool, fields: Mapping[str, Any]) -> Reader:
        """The reader with these fields, and with its chat template or without it. One is kept in memory."""
        reader: Any = self.reader
        field_names: set[str] = (
            {field.name for field in dataclasses.fields(reader)} if dataclasses.is_dataclass(reader) else set()
        )
        changes = dict(fields)
        if not chat and "chat" in field_names and reader.chat is None:
            changes["chat"] = False
        if not changes:
            return self.reader
        key = repr(sorted(changes.items()))
        if key not in self._readers:
            self._readers = {key: replace(reader, **changes)}
        return self._readers[key]

    def _scoring(self, reader: Reader) -> Reader:
        if Score not in reader.supports:
            raise UserError(
                f"the reader {name_of(reader)} gives no likelihoods, which these tasks need (multiple choice, "
                "perplexity): take a local model, or tasks that generate"
            )
        return reader

    def _replies(self, reader: Reader, requests: Sequence[Request], quiet: bool) -> Iterator[tuple[int, Reply]]:
        """(number of the request, its reply), the longest prompts first. Raises `UserError` at the end for failures."""
        from tqdm import tqdm

        for line in self.selection.report_lines():
            note(line)
        errors: list[str] = []
        for number, reply in tqdm(
            self._numbered_replies(reader, requests), total=len(requests), disable=quiet, desc="longdoc"
        ):
            if reply.error is None:
                yield number, reply
            else:
                errors.append(reply.error)
        if errors:
            raise UserError(
                f"{len(errors):,} of {len(requests):,} requests failed, the first: {errors[0]}; with "
                "--use_cache FILE the "
                "others are kept, and the same command goes on"
            )

    def _numbered_replies(self, reader: Reader, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        if isinstance(reader, StreamingReader):
            yield from reader.stream(requests, lambda number, reply: None)
            return
        order = sorted(range(len(requests)), key=lambda number: -len(Prompt.of(_prompt(requests[number])).text))
        size = reader.batch_requests if reader.tokens_per_call is None else PER_CALL
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            yield from zip(batch, reader.reply([requests[number] for number in batch]), strict=True)

    def _ordered(self, values: Mapping[int, Any], requests: Sequence[Instance]) -> list[Any]:
        return [values[index] for index in range(len(requests))]


def _generation(prompt: Prompt, settings: GenerationSettings, count: int) -> Generate:
    """The request for an output, or where outputs are drawn for as many as there are equal requests."""
    return Generate(prompt, settings.length, settings.stop, count if settings.samples else 1)


def _prompt(request: Request) -> Prompt | str:
    assert isinstance(request, Generate | Score)
    return request.prompt


def _without_last_spaces(flat: FlatPrompt) -> tuple[str, FlatPrompt]:
    """White space at the end of a prompt goes to the continuation, as in the harness: tokens begin with it."""
    text = flat.text.rstrip()
    if flat.prefill or text == flat.text or (flat.document and flat.document[1] > len(text)):
        return "", flat
    return flat.text[len(text) :], replace(flat, text=text)


def _longest_continuation(reader: Reader, continuations: Sequence[str]) -> int:
    """The tokens of the longest continuation, for which the prompt leaves room; `UserError` where none is left."""
    longest = max(1, *reader.count(continuations))
    limit = reader.prompt_limit(longest)
    if limit is not None and limit < 1:
        raise UserError(
            f"a continuation of {longest:,} tokens fills the window of the reader {name_of(reader)}, "
            f"{reader.max_prompt_tokens:,} tokens, which holds the prompt too: take a reader with a longer window"
        )
    return longest


def _likelihood(reader: Reader, reply: Reply) -> tuple[float, bool]:
    if reply.greedy is None:
        raise UserError(f"the reader {name_of(reader)} does not say whether a continuation is the greedy one")
    return float(reply.value), reply.greedy
