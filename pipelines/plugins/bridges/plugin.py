"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "bridge lm-eval": "pipelines.plugins.bridges.cli.harnesses:lm_eval",
        "bridge export": "pipelines.plugins.bridges.cli.export:export",
    },
    functions={
        "export": "pipelines.plugins.bridges.export:export",
    },
    groups={"bridge": "To and from other harnesses."},
)
