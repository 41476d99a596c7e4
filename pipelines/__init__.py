"""Everything that joins chunkers, retrievers and readers. `pipelines.run("narrativeqa", retriever="tfidf")`.

The functions are imported when they are first used, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING

from longdoc.exports import lazily

if TYPE_CHECKING:
    from longdoc.allowed_hosts import allow_hosts as allow_hosts
    from longdoc.links import follow_links as follow_links
    from pipelines import metrics as metrics
    from pipelines import sources as sources
    from pipelines import strategies as strategies
    from pipelines import tasks as tasks
    from pipelines.ablations.grid import Grid as Grid
    from pipelines.api.blaming import blame as blame
    from pipelines.api.comparing import compare as compare
    from pipelines.api.estimates import dry_run as dry_run
    from pipelines.api.estimates import prompt as prompt
    from pipelines.api.grids import ablate as ablate
    from pipelines.api.grids import plan_ablation as plan_ablation
    from pipelines.api.rescoring import rescore as rescore
    from pipelines.api.running import rerun as rerun
    from pipelines.api.running import run as run
    from pipelines.api.several_tasks import dry_run_tasks as dry_run_tasks
    from pipelines.api.several_tasks import run_tasks as run_tasks
    from pipelines.engine.downloads import fetch as fetch
    from pipelines.engine.planning.files.config_file import read_config as read_config
    from pipelines.plugins.ask.ask import ask as ask
    from pipelines.plugins.ask.ask import index as index
    from pipelines.plugins.bridges.export import export as export

    # for editors and type checkers: found by the plugins themselves
    from pipelines.plugins.builders import builder as builders  # noqa: F401
    from pipelines.plugins.builders.build import build as build
    from pipelines.plugins.cluster.shards import merge as merge
    from pipelines.plugins.evidence.evidence import evidence as evidence
    from pipelines.plugins.scoring.score import score as score
    from pipelines.plugins.scoring.score_predictions import score_prediction_files as score_prediction_files
    from pipelines.plugins.scoring.score_predictions import score_predictions as score_predictions
    from pipelines.plugins.study import analysis as analysis
    from pipelines.plugins.study.agreements.agreement import agreement as agreement
    from pipelines.plugins.study.agreements.label_agreement import label_agreement as label_agreement
    from pipelines.plugins.study.analysis.lengths import lengths as lengths
    from pipelines.plugins.study.analysis.outputs import outputs as outputs
    from pipelines.plugins.study.analysis.spread import spread as spread
    from pipelines.plugins.study.curves.curve import curve as curve
    from pipelines.plugins.study.power.power_analysis import plan as plan
    from pipelines.plugins.study.repeats.repeats import repeats as repeats
    from pipelines.plugins.study.repeats.run_repeats import run_repeats as run_repeats
    from pipelines.plugins.study.submissions.submission import check_submission as check_submission
    from pipelines.plugins.study.submissions.submission import submit as submit
    from pipelines.plugins.training import recipe as training  # noqa: F401
    from pipelines.plugins.training.train import train as train
    from pipelines.plugins.verify.verify import verify as verify
    from pipelines.plugins.versus.cost import cost as cost
    from pipelines.plugins.versus.versus import plan_versus as plan_versus
    from pipelines.plugins.versus.versus import versus as versus
    from pipelines.results.index_page.view import view as view
    from pipelines.results.leaderboards.published import published as published
    from pipelines.results.overviews.benchmark import benchmark as benchmark
    from pipelines.results.reports.report import report as report
    from pipelines.results.run_folders.inspect import show as show
    from pipelines.results.run_folders.listing import runs as runs
else:
    __getattr__, __dir__, __all__ = lazily(__name__, __file__)
