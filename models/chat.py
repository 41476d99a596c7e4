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
SOME_DATES = ("2024-05-31", "2001-12-24T11:12:13")
SWITCH = "enable_thinking"  # Qwen 3, GLM 4.5, SmolLM 3 and others


@dataclass(frozen=True, slots=True)
class Chat:
    """A template with what goes into it beside the prompt. `date` is what it takes for today, and perhaps now."""

    model: str
    template: str
    special: Mapping[str, str]  # bos_token and the like, which templates name
    system: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    date: str = SOME_DATES[0]

    @classmethod
    def load(cls, path: Path, reader: Any) -> "Chat | None":
        """The template of a model folder, for a reader's fields; None where the prompt is read as it is.

        Raises `UserError` where one is asked for and there is none, and for what only a template could take.
        """
        settings = hub.settings(path / "tokenizer_config.json")
        template = None if reader.chat is False else _template(path, settings)
        if template is None:
            if reader.chat:
                raise UserError(f"chat=True: {reader.model} has no chat template; drop it, or take a tuned model")
            for name, given_value in (("system", reader.system), ("chat_template_kwargs", reader.chat_template_kwargs)):
                if given_value:
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
        """The date that the template would write: a day, with the time where that is written too; None for none."""
        if not CLOCK.search(self.template) or len({replace(self, date=date).rendered("x") for date in SOME_DATES}) == 1:
            return None
        now = datetime.now().replace(microsecond=0).isoformat()
        day = now.partition("T")[0]
        times = {replace(self, date=day + time).rendered("x") for time in ("T00:00:00", "T11:12:13")}
        return day if len(times) == 1 else now

    def rendered(self, text: str, begun_text: str = "") -> str:
        """The conversation with the text as what the user says, up to where the model's turn begins.

        Where the answer is `begun_text`, up to there: the template's own words for an answer, cut behind that. Raises
        `UserError` where the template refuses.
        """
        from transformers.utils.chat_template_utils import render_jinja_template

        messages = [{"role": "user", "content": text}]
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        if begun_text:
            messages.append({"role": "assistant", "content": begun_text})
        render: Any = render_jinja_template
        try:
            (shown_value,), _ = render(
                conversations=[messages],
                chat_template=CLOCK.sub(self._written, self.template),
                add_generation_prompt=not begun_text,
                continue_final_message=bool(begun_text),
                **{**self.special, **self.arguments},
            )
        except Exception as error:  # a template may raise anything
            dropped = "system" if self.system is not None else "chat_template_kwargs"
            problem = str(error).partition("\n")[0][:MAX_SHOWN]
            hint = "take prompt='chat', which begins no answer" if begun_text else f"drop {dropped}, or set chat=False"
            raise UserError(f"the chat template of {self.model} refuses: {problem}; {hint}") from error
        return str(shown_value)

    def _written(self, call: re.Match[str]) -> str:
        """The date in place of a call of the clock, as a text in the template."""
        return call[1] + datetime.fromisoformat(self.date).strftime(call[2]) + call[1]


def without_thinking(chat: Chat | None, model: str) -> Chat:
    """The template with the switch `SWITCH` off. Raises `UserError` where there is none, or where it is given too."""
    if chat is None or not re.search(rf"\b{SWITCH}\b", chat.template):
        lacking_text = "no chat template" if chat is None else f"a chat template without {SWITCH}"
        raise UserError(f"thinking=off is a switch of chat templates, and {model} has {lacking_text}: leave it out")
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
        named_entries = (value for value in value if isinstance(value, Mapping))
        value = next((fields.get("template") for fields in named_entries if fields.get("name") == "default"), None)
    return value if isinstance(value, str) else None


def _special(path: Path, settings: Mapping[str, Any]) -> dict[str, str]:
    values = {**hub.settings(path / "special_tokens_map.json"), **settings}
    tokens = {name: value for name, value in values.items() if name.endswith("_token")}
    tokens = {name: value.get("content") if isinstance(value, dict) else value for name, value in tokens.items()}
    return {name: value for name, value in tokens.items() if isinstance(value, str)}
