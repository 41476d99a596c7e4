"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "evidence": "pipelines.plugins.evidence.cli:evidence",
    },
    functions={
        "evidence": "pipelines.plugins.evidence.evidence:evidence",
    },
)
