"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "train": "pipelines.plugins.training.cli:train",
    },
    functions={
        "train": "pipelines.plugins.training.train:train",
        "training": "pipelines.plugins.training.recipe",
    },
    kinds={"recipes": "pipelines.plugins.training.recipe"},
)
