"""Chat templates and blocks of thinking."""

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import models.chat
from longdoc.errors import UserError
from models.chat import Chat
from tests.tiny_models import CHATML, WITHOUT_SYSTEM


@dataclass
class Fields:
    model: str = "mill"
    chat: bool | None = None
    system: str | None = None
    chat_template_kwargs: dict[str, Any] = field(default_factory=dict)


def write_config(folder: Path, **settings: Any) -> Path:
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def test_prompt_system_and_arguments_go_into_the_template(tmp_path: Path) -> None:
    folder = write_config(tmp_path, chat_template=CHATML)
    chat = Chat.load(folder, Fields(system="Be brief.", chat_template_kwargs={"enable_thinking": True}))
    assert chat is not None
    assert chat.rendered("Who?") == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n<think>\n"
    )


def test_a_prefilled_answer_stands_in_the_model_s_turn_which_stays_open(tmp_path: Path) -> None:
    chat = Chat.load(write_config(tmp_path, chat_template=CHATML), Fields())
    assert chat is not None
    assert chat.rendered("Who?", "Answer: <answer>") == (
        "<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\nAnswer: <answer>"
    )


def test_a_template_that_cannot_prefill_an_answer_is_refused_with_advice(tmp_path: Path) -> None:
    chat = Chat.load(write_config(tmp_path, chat_template="{{ messages[0]['content'] }}"), Fields())
    assert chat is not None
    with pytest.raises(UserError, match=r"refuses: .*; take prompt='chat', which begins no answer"):
        chat.rendered("Who?", "Answer: <answer>")


def test_the_template_is_found_wherever_it_is_kept(tmp_path: Path) -> None:
    templates = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "a{{ bos_token }}"}]
    write_config(tmp_path, chat_template=templates, bos_token={"content": "<s>"})
    older = Chat.load(tmp_path, Fields())
    assert older is not None and older.rendered("x") == "a<s>"
    (tmp_path / "chat_template.jinja").write_text("b{{ eos_token }}")
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": "</s>"}')
    newer = Chat.load(tmp_path, Fields())
    assert newer is not None and newer.rendered("x") == "b</s>"
    assert newer.fingerprint != older.fingerprint
    assert Chat.load(tmp_path, Fields(chat=False)) is None


def test_a_template_that_refuses_says_why_and_what_to_drop(tmp_path: Path) -> None:
    folder = write_config(tmp_path, chat_template=WITHOUT_SYSTEM, bos_token="<s>")
    with pytest.raises(UserError, match=r"template of mill refuses: conversations begin with the user; drop system"):
        Chat.load(folder, Fields(system="Be brief."))
    write_config(tmp_path, chat_template="{{ [].__class__.__mro__ }}")
    with pytest.raises(UserError, match="refuses"):
        Chat.load(folder, Fields())


def test_fields_of_a_template_are_refused_without_one(tmp_path: Path) -> None:
    for fields, message in (
        (Fields(chat=True), "chat=True: mill has no chat template"),
        (Fields(system="Be brief."), "system goes into a chat template, but mill has none"),
        (Fields(chat_template_kwargs={"a": 1}), "chat_template_kwargs goes into a chat template"),
    ):
        with pytest.raises(UserError, match=message):
            Chat.load(tmp_path, fields)
    write_config(tmp_path, chat_template=CHATML)
    with pytest.raises(UserError, match="system goes into a chat template, but chat=False"):
        Chat.load(tmp_path, Fields(chat=False, system="Be brief."))
    assert Chat.load(tmp_path, Fields(chat=True)) is not None


def test_a_template_that_writes_the_date_gets_the_same_one_for_each_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(2026, 5, 31, 23, 59, 58, 7)

    monkeypatch.setattr(models.chat, "datetime", Clock)
    dates = {"": None, "%d %b %Y": "2026-05-31", "%H:%M": "2026-05-31T23:59:58"}
    for form, date in dates.items():
        template = f"{{{{ strftime_now('{form}') }}}}: {{{{ messages[0]['content'] }}}}"
        chat = Chat.load(write_config(tmp_path, chat_template=template), Fields())
        assert chat is not None and chat.today() == date
    for date, text in (("2026-05-31T23:59:58", "23:59: x"), ("2024-01-01", "00:00: x")):
        assert replace(chat, date=date).rendered("x") == text
    fixed = Chat.load(write_config(tmp_path, chat_template=CHATML), Fields())
    assert fixed is not None and fixed.today() is None
