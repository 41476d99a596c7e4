"""Chat templates: the prompt format of a decoder tuned for conversation.

The template is the folder's own (Jinja, rendered in the sandbox of `transformers`; it can call nothing outside but the
clock, whose calls are replaced by one date).
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from models import hub

MAX_SHOWN = 300  # characters of what a template says that go into an error: it may say the whole prompt again
CLOCK = re.compile(r"""strftime_now\(\s*(['"])(.*?)\1\s*\)""")  # of `transformers`, for templates that write the date
SAMPLE_DATES = ("2024-05-31", "2001-12-24T11:12:13")
SWITCH = "enable_thinking"  # Qwen 3, GLM 4.5, SmolLM 3 and others


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat template and its inputs besides the prompt. `date` is the day, perhaps with a time, that it writes."""

    model: str
    template: str
    special: Mapping[str, str]  # bos_token and the like, which templates name
    system: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    date: str = SAMPLE_DATES[0]

    @classmethod
    def load(cls, path: Path, reader: Any) -> "Chat | None":
        """The chat template of a model folder, with a reader's fields; None if prompts are sent without a template.

        Raises `UserError` where one is asked for and there is none, and for what only a template could take.
        """
        settings = hub.settings(path / "tokenizer_config.json")
        template = None if reader.chat is False else _template(path, settings)
        if template is None:
            if reader.chat:
                raise UserError(f"chat=True: {reader.model} has no chat template; drop it, or take a chat model")
            for name, value in (("system", reader.system), ("chat_template_kwargs", reader.chat_template_kwargs)):
                if value:
                    reason = "chat=False" if reader.chat is False else f"{reader.model} has none"
                    raise UserError(f"{name} goes into a chat template, but {reason}: drop it, or say it in the prompt")
            return None
        chat = cls(reader.model, template, _special(path, settings), reader.system, dict(reader.chat_template_kwargs))
        chat.rendered("x")  # so that a template that refuses is known at once
        return chat

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with the template."""
        return hashlib.sha256(self.template.encode()).hexdigest()[:16]

    def today(self) -> str | None:
        """The current date that the template would write, with the time if it writes one; None if it writes no date."""
        if (
            not CLOCK.search(self.template)
            or len({replace(self, date=date).rendered("x") for date in SAMPLE_DATES}) == 1
        ):
            return None
        now = datetime.now().replace(microsecond=0).isoformat()
        day = now.partition("T")[0]
        times = {replace(self, date=day + time).rendered("x") for time in ("T00:00:00", "T11:12:13")}
        return day if len(times) == 1 else now

    def rendered(self, text: str, answer_start: str = "") -> str:
        """The rendered conversation with `text` as the user's message, up to the start of the model's turn.

        With `answer_start` the model's turn begins with that text. Raises `UserError` if the template fails.
        """
        from transformers.utils.chat_template_utils import render_jinja_template

        messages = [{"role": "user", "content": text}]
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        if answer_start:
            messages.append({"role": "assistant", "content": answer_start})
        render: Any = render_jinja_template
        try:
            (conversation,), _ = render(
                conversations=[messages],
                chat_template=CLOCK.sub(self._date_literal, self.template),
                add_generation_prompt=not answer_start,
                continue_final_message=bool(answer_start),
                **{**self.special, **self.arguments},
            )
        except Exception as error:  # a template may raise anything
            dropped = "system" if self.system is not None else "chat_template_kwargs"
            problem = str(error).partition("\n")[0][:MAX_SHOWN]
            hint = (
                "take prompt='chat', which begins no answer" if answer_start else f"drop {dropped}, or set chat=False"
            )
            raise UserError(f"the chat template of {self.model} refuses: {problem}; {hint}") from error
        return str(conversation)

    def _date_literal(self, call: re.Match[str]) -> str:
        """A string literal of the date, to replace a call of the clock in the template."""
        return call[1] + datetime.fromisoformat(self.date).strftime(call[2]) + call[1]


def without_thinking(chat: Chat | None, model: str) -> Chat:
    """The template with `SWITCH` off. Raises `UserError` if it has no such switch, or if the user sets it too."""
    if chat is None or not re.search(rf"\b{SWITCH}\b", chat.template):
        lack = "no chat template" if chat is None else "one without it"
        raise UserError(f"thinking=off needs a chat template with {SWITCH}, and {model} has {lack}: leave it out")
    if SWITCH in chat.arguments:
        raise UserError(f"thinking=off sets {SWITCH}, and so does chat_template_kwargs: drop one of them")
    return replace(chat, arguments={**chat.arguments, SWITCH: False})


def _template(path: Path, settings: Mapping[str, Any]) -> str | None:
    if (path / "chat_template.jinja").is_file():
        try:
            return (path / "chat_template.jinja").read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise UserError(
                f"{path / 'chat_template.jinja'} is not UTF-8: fetch the model again, or set chat=False"
            ) from None
    value = settings.get("chat_template")
    if isinstance(value, list):  # several by name
        templates = (entry for entry in value if isinstance(entry, Mapping))
        value = next((entry.get("template") for entry in templates if entry.get("name") == "default"), None)
    return value if isinstance(value, str) else None


def _special(path: Path, settings: Mapping[str, Any]) -> dict[str, str]:
    values = {**hub.settings(path / "special_tokens_map.json"), **settings}
    tokens = {name: value for name, value in values.items() if name.endswith("_token")}
    tokens = {name: value.get("content") if isinstance(value, dict) else value for name, value in tokens.items()}
    return {name: value for name, value in tokens.items() if isinstance(value, str)}
