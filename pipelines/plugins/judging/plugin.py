"""What this plugin offers."""

from longdoc.plugin import Plugin
from pipelines.plugins.judging.arguments import JudgeArguments

PLUGIN = Plugin(
    arguments=JudgeArguments.__annotations__,
    after_run="pipelines.plugins.judging.hook:after_run",
)
