"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "runs merge": "pipelines.plugins.cluster.cli:merge",
    },
    functions={
        "merge": "pipelines.plugins.cluster.shards:merge",
    },
)
