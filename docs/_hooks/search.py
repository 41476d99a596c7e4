"""A hook of mkdocs: leave Chinese words in the search index as they are.

Where `jieba` is installed, the plugin `search` would cut them with it. That prints lines and writes a cache outside the
checkout.
"""

from typing import Any


def on_config(config: Any) -> Any:
    """Take `jieba` from the plugin. mkdocs calls this."""
    from material.plugins.search import plugin

    plugin.jieba = None
    return config
