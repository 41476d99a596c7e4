"""Everything that joins chunkers, retrievers and readers. `pipelines.run("narrativeqa", retriever="tfidf")`.

The functions are imported when they are first used, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING

from longdoc.exports import lazily

if TYPE_CHECKING:
    from longdoc.allowed_hosts import allow_hosts as allow_hosts
    from longdoc.links import follow_links as follow_links
    from pipelines import builders as builders
    from pipelines import metrics as metrics
    from pipelines import sources as sources
    from pipelines import strategies as strategies
    from pipelines import tasks as tasks
    from pipelines import training as training
    from pipelines.ablations.conditions.cost import cost as cost
    from pipelines.ablations.conditions.versus import plan_versus as plan_versus
    from pipelines.ablations.conditions.versus import versus as versus
    from pipelines.ablations.grid import Grid as Grid
    from pipelines.answers.ask import ask as ask
    from pipelines.answers.ask import index as index
    from pipelines.api.building import build as build
    from pipelines.api.estimates import dry_run as dry_run
    from pipelines.api.estimates import prompt as prompt
    from pipelines.api.grids import ablate as ablate
    from pipelines.api.grids import plan_ablation as plan_ablation
    from pipelines.api.learning import train as train
    from pipelines.api.repeating import run_repeats as run_repeats
    from pipelines.api.rescoring import rescore as rescore
    from pipelines.api.running import rerun as rerun
    from pipelines.api.running import run as run
    from pipelines.api.several_tasks import dry_run_tasks as dry_run_tasks
    from pipelines.api.several_tasks import run_tasks as run_tasks
    from pipelines.api.shards import merge as merge
    from pipelines.bridges.export import export as export
    from pipelines.engine.downloads import fetch as fetch
    from pipelines.engine.planning.files.config_file import read_config as read_config
    from pipelines.evaluation.agreement import agreement as agreement
    from pipelines.evaluation.blame import blame as blame
    from pipelines.evaluation.compare import compare as compare
    from pipelines.evaluation.curves.curve import curve as curve
    from pipelines.evaluation.evidence_table import evidence as evidence
    from pipelines.evaluation.label_agreement import label_agreement as label_agreement
    from pipelines.evaluation.power_analysis import plan as plan
    from pipelines.evaluation.repeats import repeats as repeats
    from pipelines.evaluation.report import report as report
    from pipelines.evaluation.score_predictions import score_prediction_files as score_prediction_files
    from pipelines.evaluation.score_predictions import score_predictions as score_predictions
    from pipelines.evaluation.verifying.verify import verify as verify
    from pipelines.results import analysis as analysis
    from pipelines.results.analysis.lengths import lengths as lengths
    from pipelines.results.analysis.outputs import outputs as outputs
    from pipelines.results.analysis.spread import spread as spread
    from pipelines.results.index_page.view import view as view
    from pipelines.results.leaderboards.published import published as published
    from pipelines.results.leaderboards.submission import check_submission as check_submission
    from pipelines.results.leaderboards.submission import submit as submit
    from pipelines.results.overviews.benchmark import benchmark as benchmark
    from pipelines.results.run_folders.inspect import show as show
    from pipelines.results.run_folders.listing import runs as runs
    from pipelines.scores import score as score
else:
    __getattr__, __dir__, __all__ = lazily(__name__, __file__)
