"""The model `longdoc` of lm-evaluation-harness: any of our readers, with passages in place of over-long documents.

    longdoc bridge lm-eval --model_args reader=Qwen/Qwen3-0.6B,retriever=bm25,budget=4000words --tasks scrolls_qasper

The harness hands over prompts as texts, and cuts off the start of those over a model's limit. Here the document in
such a prompt is found by the fields of its row (`_flat_prompts`), and the passages that the retriever ranks best take
its place; the text around it stays. Prompts within the limit reach the reader unchanged.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from longdoc.errors import UserError, unknown
from longdoc.messages import note
from longdoc.registry import name_of
from models import with_fields
from models.prompts import Prompt
from models.reader import Reader, StreamingReader
from models.requests import Generate, Reply, Request, Score
from pipelines.plugins.bridges._flat_prompts import FlatPrompt, chat_text, flat_prompt, messages_of
from pipelines.plugins.bridges._generation_settings import GenerationSettings
from pipelines.plugins.bridges._rolling import windows
from pipelines.plugins.bridges._selection import PromptSelection
from pipelines.plugins.bridges._text_cut import checked_cut

ARGUMENTS = ("chunker", "retriever", "k", "budget", "query", "order", "seed")
READER_FIELDS = ("max_input_tokens", "dtype", "deterministic", "revision", "options")
OWN_ARGUMENTS = ("reader", "document_field", "query_field", "cut")
HARNESS_DEVICE = "cuda:0"  # the harness passes it where no device is given
HARNESS_BATCHES = (None, 1, "1", "auto")  # the batch sizes that it passes without being told
PER_CALL = 64  # requests to a reader that makes batches of them itself


@register_model("longdoc")
class LongDoc(LM):  # type: ignore[misc]
    """A reader behind lm-evaluation-harness.

    - `reader`: as `pipelines.run` takes its `model`; where it has commas, all `--model_args` are given as JSON.
    - `max_input_tokens`, `dtype`, `deterministic`, `revision`, `options`: fields of the reader.
    - `retriever`, `chunker`, `k`, `budget`, `order`, `query`, `seed`: as for `pipelines.run`. Passages are selected
      from documents over a budget of words, from all documents with `k`, from those of prompts over a budget of tokens;
      with neither from those of prompts over the reader's limit, as many of the best chunks as fit.
    - `document_field`, `query_field`: the fields of the task's rows with the document and the question; by default they
      are found (`_flat_prompts.flat_prompt`).
    - `cut`: which part of a prompt over the limit is cut off where no document is found: "middle", "start" or "end".

    A prompt is put into a chat template only by `--apply_chat_template`, as with the harness' own models; readers
    behind an API get it as the user's message in any case. Few-shot turns become one turn of the user. Raises
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
            raise UserError("name a reader: --model_args reader=Qwen/Qwen3-0.6B,retriever=bm25,budget=4000words")
        for name in arguments:
            if name not in (*ARGUMENTS, *READER_FIELDS):
                raise unknown("model argument", name, (*OWN_ARGUMENTS, *ARGUMENTS, *READER_FIELDS))
        fields = {name: arguments.pop(name) for name in READER_FIELDS if name in arguments}
        if batch_size not in HARNESS_BATCHES or max_batch_size is not None:
            raise UserError(
                "longdoc's readers make batches by tokens: leave batch_size out (a field of the reader says how "
                'many: {"name": "causal", "model": ID, "batch_tokens": N})'
            )
        if device not in (None, HARNESS_DEVICE):
            fields["device"] = device
        self._row_fields = (document_field, query_field)
        arguments["model"] = with_fields(reader, fields)
        self.selection = PromptSelection.from_arguments(arguments, checked_cut(cut))
        self._readers: dict[str, Reader] = {}
        if self.selection.is_idle:
            note(
                f"warning: no prompt is selected from: the reader {name_of(self.reader)} has no limit, and neither "
                "budget= nor k= nor max_input_tokens= is given"
            )

    @property
    def reader(self) -> Reader:
        """The reader as it was given."""
        return self.selection.plan.reader

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """The outputs, in order. Equal requests are asked once, for as many outputs where these are sampled."""
        groups: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            groups.setdefault(repr(request.args[:2]), []).append(index)
        outputs: dict[int, str] = {}
        settings = {
            index: GenerationSettings.from_arguments(requests[index].args[1], self.reader)
            for index, *_ in groups.values()
        }
        for reader, reader_groups in self._by_reader(requests, list(groups.values()), settings):
            flat_prompts = [(self._flat(requests[first]), settings[first].length) for first, *_ in reader_groups]
            prompts = self.selection.prompts(reader, flat_prompts)
            generations = [
                _generation(prompt, settings[indexes[0]], len(indexes))
                for prompt, indexes in zip(prompts, reader_groups, strict=True)
            ]
            for number, reply in self._replies(reader, generations, disable_tqdm):
                indexes = reader_groups[number]
                texts = reply.value if isinstance(reply.value, tuple) else (reply.value,) * len(indexes)
                for index, text in zip(indexes, texts, strict=True):
                    outputs[index] = str(text)
                    self.cache_hook.add_partial("generate_until", requests[index].args, outputs[index])
        return self._ordered(outputs, requests)

    def loglikelihood(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """The log-probability of each continuation, and whether greedy decoding would write it, in order.

        All continuations of a prompt are scored after the same passages.
        """
        groups: dict[str, list[int]] = {}
        for index, request in enumerate(requests):
            groups.setdefault(request.args[0], []).append(index)
        likelihoods: dict[int, tuple[float, bool]] = {}
        for chat in (False, True):
            chat_groups = [indexes for context, indexes in groups.items() if (messages_of(context) is not None) == chat]
            if not chat_groups:
                continue
            reader = self._checked_scorer(self._reader(chat, {}))
            indexed_requests: list[tuple[int, Request]] = []
            for indexes in chat_groups:
                spaces, flat = _without_last_spaces(self._flat(requests[indexes[0]]))
                continuations = [spaces + requests[index].args[1] for index in indexes]
                (prompt,) = self.selection.prompts(reader, [(flat, _longest_continuation(reader, continuations))])
                scores = [Score(prompt, continuation, joined=True) for continuation in continuations]
                indexed_requests += zip(indexes, scores, strict=True)
            for number, reply in self._replies(reader, [request for _, request in indexed_requests], disable_tqdm):
                index = indexed_requests[number][0]
                likelihoods[index] = _likelihood(reader, reply)
                self.cache_hook.add_partial("loglikelihood", requests[index].args, likelihoods[index])
        return self._ordered(likelihoods, requests)

    def loglikelihood_rolling(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[float]:
        """The log-probability of each whole text; texts over the limit are read in windows."""
        reader = self._checked_scorer(self._reader(False, {}))
        if not reader.decoder_window:
            raise UserError(
                f"the likelihood of whole texts needs a decoder-only reader, which {name_of(reader)} is not"
            )
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
        """The messages as a text; the reader puts them into its template after the selection."""
        return chat_text(chat_history)

    @property
    def tokenizer_name(self) -> str:
        """The reader's name, by which prompts are cached."""
        return f"longdoc-{name_of(self.reader)}"

    def _flat(self, request: Instance) -> FlatPrompt:
        """The prompt of a request, with its document and question found."""
        return flat_prompt(request.args[0], request.doc, *self._row_fields)

    def _by_reader(
        self, requests: Sequence[Instance], groups: list[list[int]], settings: Mapping[int, GenerationSettings]
    ) -> Iterator[tuple[Reader, list[list[int]]]]:
        """Each reader with the groups of equal requests that share its chat template and its decoding fields."""
        variants: dict[str, tuple[bool, Mapping[str, Any], list[list[int]]]] = {}
        for group in groups:
            chat, fields = messages_of(requests[group[0]].args[0]) is not None, settings[group[0]].fields
            variants.setdefault(repr((chat, sorted(fields.items()))), (chat, fields, []))[2].append(group)
        for chat, fields, reader_groups in variants.values():
            yield self._reader(chat, fields), reader_groups

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

    def _checked_scorer(self, reader: Reader) -> Reader:
        """The reader. Raises `UserError` for one that gives no likelihoods."""
        if Score not in reader.supports:
            raise UserError(
                f"the reader {name_of(reader)} gives no likelihoods, which these tasks need (multiple choice, "
                "perplexity): take a local model, or tasks that generate"
            )
        return reader

    def _replies(self, reader: Reader, requests: Sequence[Request], quiet: bool) -> Iterator[tuple[int, Reply]]:
        """Each request's number and reply, the longest prompts first. Raises `UserError` at the end for failures."""
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
        """The number of each request with its reply, failures among them."""
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
    """The request for an output; for `count` outputs where these are sampled."""
    return Generate(prompt, settings.length, settings.stop, count if settings.samples else 1)


def _prompt(request: Request) -> Prompt | str:
    assert isinstance(request, Generate | Score)
    return request.prompt


def _without_last_spaces(flat: FlatPrompt) -> tuple[str, FlatPrompt]:
    """The white space that ends a prompt, and the prompt without it; as in the harness, it joins the continuation."""
    text = flat.text.rstrip()
    if flat.prefill or text == flat.text or (flat.document and flat.document[1] > len(text)):
        return "", flat
    return flat.text[len(text) :], replace(flat, text=text)


def _longest_continuation(reader: Reader, continuations: Sequence[str]) -> int:
    """The tokens of the longest continuation. Raises `UserError` where it leaves no room for a prompt."""
    longest = max(1, *reader.count(continuations))
    limit = reader.prompt_limit(longest)
    if limit is not None and limit < 1:
        raise UserError(
            f"a continuation of {longest:,} tokens fills the window of the reader {name_of(reader)}, "
            f"{reader.max_prompt_tokens:,} tokens, which holds the prompt too: take a reader with a longer window"
        )
    return longest


def _likelihood(reader: Reader, reply: Reply) -> tuple[float, bool]:
    """The log-probability in a reply, and whether greedy decoding would write the continuation."""
    if reply.greedy is None:
        raise UserError(f"the reader {name_of(reader)} does not say whether a continuation is the greedy one")
    return float(reply.value), reply.greedy
