"""Readers as models of inspect_ai: `--model longdoc/extractive`, `--model longdoc/google/flan-t5-base`.

`-M` gives a reader's fields (`-M max_input_tokens=512`), `--model-base-url` the address of an API. A local reader
answers one request at a time; on a GPU, `longdoc run` reads many together.
"""

import threading
from typing import Any

import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

import models
from longdoc.errors import UserError
from longdoc.registry import name_of
from models.apis.sending.adaptive_limit import START
from models.requests import Generate, Reply
from pipelines.engine.planning.selection_plan import seeded
from pipelines.plugins.bridges.for_inspect.prompts import prompt_of

SEED = 0  # of random readers without a seed, as in a run
DEFAULT_LENGTH = 512  # tokens of an answer where neither the task nor max_tokens says how many
READER_SETTINGS = {"max_tokens", "stop_seqs", "num_choices"}
# settings of how requests are sent, which change no reply
TRANSPORT_SETTINGS = {
    "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "adaptive_connections",
    "cache", "cache_prompt", "batch", "max_tool_output", "fail_on_refusal", "system_message",
}  # fmt: skip
STOP_REASONS: dict[str, StopReason] = {"stop": "stop", "length": "max_tokens", "refusal": "content_filter"}


class ReaderModel(ModelAPI):
    """A reader (`models.get`) behind the interface of a model. Raises `UserError`.

    Replies are made in a thread, one after another unless the reader itself answers many at once (an API).
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (the signature of inspect_ai)
        **fields: Any,
    ) -> None:
        if api_key is not None:
            raise UserError("a reader of longdoc takes its key from the environment: leave api_key out")
        super().__init__(model_name, base_url, config=config)
        fields |= {} if base_url is None else {"base_url": base_url}
        self.reader: models.Reader = seeded(models.get(model_name, **fields), SEED)
        name = name_of(self.reader)
        if not self.reader.reads or Generate not in self.reader.supports:
            raise UserError(f"the reader {name} writes no answers: --model longdoc/extractive is one that does")
        if not self.reader.fitted:
            raise UserError(f"the reader {name} has to be trained first: longdoc train TASK --model {model_name}")
        self._busy = threading.Lock()

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The reader's reply to one prompt. Raises `UserError` for tools, and for settings that no reader takes."""
        if tools:
            raise UserError("a reader of longdoc calls no tools: leave them out")
        unknown_settings = config.model_dump(exclude_none=True).keys() - READER_SETTINGS - TRANSPORT_SETTINGS
        if unknown_settings:
            hint = f"a reader's own settings are its fields, -M {min(unknown_settings)}=…"
            raise UserError(
                f"a reader of longdoc does not take {', '.join(sorted(unknown_settings))} from inspect_ai: {hint}"
            )
        request = Generate(
            prompt_of(input),
            config.max_tokens or min(DEFAULT_LENGTH, self.reader.max_output_tokens or DEFAULT_LENGTH),
            tuple(config.stop_seqs or ()),
            config.num_choices or 1,
        )
        reply = await anyio.to_thread.run_sync(self._reply, request)
        if reply.error is not None:
            raise UserError(reply.error)
        return self._output(reply)

    async def count_text_tokens(self, text: str) -> int:
        """The tokens of a text as the reader counts them."""
        counts = await anyio.to_thread.run_sync(self.reader.count, [text])
        return counts[0]

    def max_connections(self) -> int:
        """The number of requests that the reader answers at once."""
        if not isinstance(self.reader, models.StreamingReader):
            return 1
        # inspect_ai sends requests one by one, so the reader's own adaptive limit does not apply
        return START if self.reader.concurrency is None else self.reader.in_flight

    def _reply(self, request: Generate) -> Reply:
        if isinstance(self.reader, models.StreamingReader):
            return self.reader.reply([request])[0]
        with self._busy:
            return self.reader.reply([request])[0]

    def _output(self, reply: Reply) -> ModelOutput:
        """The reply as inspect_ai has it."""
        texts = [reply.value] if isinstance(reply.value, str) else list(reply.value)
        reason = STOP_REASONS.get(reply.finish_reason, "unknown")
        choices = [
            ChatCompletionChoice(
                message=ChatMessageAssistant(content=text, model=self.model_name, source="generate"),
                stop_reason=reason,
            )
            for text in texts
        ]
        usage = ModelUsage(
            input_tokens=reply.tokens_in,
            output_tokens=reply.tokens_out,
            total_tokens=reply.tokens_in + reply.tokens_out,
        )
        metadata = {"truncated_tokens": reply.truncated_tokens} if reply.truncated_tokens else None
        return ModelOutput(model=self.model_name, choices=choices, usage=usage, metadata=metadata)


@modelapi(name="longdoc")
def longdoc() -> type[ModelAPI]:
    """The provider `longdoc` of inspect_ai, whose models are readers."""
    return ReaderModel
