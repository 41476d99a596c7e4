"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "score": "pipelines.plugins.scoring.cli:score",
    },
    functions={
        "score": "pipelines.plugins.scoring.score:score",
        "score_predictions": "pipelines.plugins.scoring.score_predictions:score_predictions",
        "score_prediction_files": "pipelines.plugins.scoring.score_predictions:score_prediction_files",
    },
)
