"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "data build": "pipelines.plugins.builders.cli:build",
    },
    functions={
        "build": "pipelines.plugins.builders.build:build",
        "builders": "pipelines.plugins.builders.builder",
    },
    kinds={"builders": "pipelines.plugins.builders.builder"},
)
