"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "ask": "pipelines.plugins.ask.cli.ask:ask",
        "data index": "pipelines.plugins.ask.cli.ask:index",
    },
    functions={
        "ask": "pipelines.plugins.ask.ask:ask",
        "index": "pipelines.plugins.ask.ask:index",
    },
)
