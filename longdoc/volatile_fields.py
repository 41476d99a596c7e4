"""Fields of components that say where and how they ran, not what they computed."""

from collections.abc import Mapping
from typing import Any

VOLATILE = (
    "device",
    "threads",
    "batch_tokens",
    "batch_size",
    "cache",
    "versions",
    "path",
    "concurrency",
    "timeout",
    "max_retries",
    "prices",
    "batch_price",
    "max_cost",
    "key_variable",
)
REPLICAS = "base_url"  # one address may tell two models of one name apart; a list is of servers of the same model


def without_volatile(description: Any) -> Any:
    """The description of a component (`longdoc.registry.describe`) without what says where and how it ran."""
    if isinstance(description, Mapping):
        return {key: without_volatile(value) for key, value in description.items() if not _is_volatile(key, value)}
    return [without_volatile(value) for value in description] if isinstance(description, list) else description


def _is_volatile(key: Any, value: Any) -> bool:
    return key in VOLATILE or (key == REPLICAS and isinstance(value, list))
