"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "versus": "pipelines.plugins.versus.cli.versus:versus",
        "cost": "pipelines.plugins.versus.cli.cost:cost",
    },
    functions={
        "versus": "pipelines.plugins.versus.versus:versus",
        "plan_versus": "pipelines.plugins.versus.versus:plan_versus",
        "cost": "pipelines.plugins.versus.cost:cost",
    },
    results="pipelines.plugins.versus.results:VersusResults",
)
