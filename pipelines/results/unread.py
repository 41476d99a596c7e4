"""Prompts that a server cut without saying so, as `usage` in `scores.json` records them."""

from collections.abc import Mapping
from typing import Any

from longdoc.messages import counted

REQUESTS, SENT, READ = "unread_requests", "unread_tokens_sent", "unread_tokens_read"  # fields of `usage`


def unread_record(requests: int, sent: int, read: int) -> dict[str, int]:
    """The record of cut requests, their tokens sent and the tokens that the server read; empty for none."""
    return {REQUESTS: requests, SENT: sent, READ: read} if requests else {}


def unread_text(requests: int, sent: int, read: int) -> str:
    """The clause `the server read 6,000 of about 110,000 tokens in 3 prompts, and cut the rest unseen`."""
    prompts = counted(requests, "prompt")
    return f"the server read {read:,} of about {sent:,} tokens in {prompts}, and cut the rest unseen"


def unread_warnings(usage: Mapping[str, Any]) -> list[str]:
    """The warning about a run with this usage; none if no prompt was cut unseen."""
    return [unread_text(usage[REQUESTS], usage[SENT], usage[READ])] if usage.get(REQUESTS) else []
