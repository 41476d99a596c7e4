"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "runs verify": "pipelines.plugins.verify.cli:verify",
    },
    functions={
        "verify": "pipelines.plugins.verify.verify:verify",
    },
)
