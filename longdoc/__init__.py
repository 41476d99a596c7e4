"""Long documents with short models. `longdoc.run("narrativeqa", retriever="tfidf")`, `longdoc.ask(…)`.

The functions are those of `longdoc.pipelines`, imported when they are first used. This package's own modules are shared
by all others (errors, the component registry, optional imports) and import none of them.
"""

from typing import TYPE_CHECKING

from longdoc.exports import lazily
from longdoc.layout import join_names as _join_names
from longdoc.shadow import check as _check
from longdoc.shadow import leave_working_folder as _leave_working_folder

__version__ = "0.5.0.dev0"

_leave_working_folder()
_check()
_join_names()

if TYPE_CHECKING:
    from longdoc import chunkers as chunkers
    from longdoc import models as models
    from longdoc import pipelines as pipelines
    from longdoc import retrievers as retrievers
    from longdoc.pipelines import Grid as Grid
    from longdoc.pipelines import ablate as ablate
    from longdoc.pipelines import agreement as agreement
    from longdoc.pipelines import allow_hosts as allow_hosts
    from longdoc.pipelines import ask as ask
    from longdoc.pipelines import benchmark as benchmark
    from longdoc.pipelines import blame as blame
    from longdoc.pipelines import build as build
    from longdoc.pipelines import check_submission as check_submission
    from longdoc.pipelines import compare as compare
    from longdoc.pipelines import cost as cost
    from longdoc.pipelines import curve as curve
    from longdoc.pipelines import dry_run as dry_run
    from longdoc.pipelines import dry_run_tasks as dry_run_tasks
    from longdoc.pipelines import evidence as evidence
    from longdoc.pipelines import export as export
    from longdoc.pipelines import fetch as fetch
    from longdoc.pipelines import follow_links as follow_links
    from longdoc.pipelines import index as index
    from longdoc.pipelines import label_agreement as label_agreement
    from longdoc.pipelines import lengths as lengths
    from longdoc.pipelines import merge as merge
    from longdoc.pipelines import outputs as outputs
    from longdoc.pipelines import plan as plan
    from longdoc.pipelines import plan_ablation as plan_ablation
    from longdoc.pipelines import plan_versus as plan_versus
    from longdoc.pipelines import prompt as prompt
    from longdoc.pipelines import published as published
    from longdoc.pipelines import read_config as read_config
    from longdoc.pipelines import repeats as repeats
    from longdoc.pipelines import report as report
    from longdoc.pipelines import rerun as rerun
    from longdoc.pipelines import rescore as rescore
    from longdoc.pipelines import run as run
    from longdoc.pipelines import run_repeats as run_repeats
    from longdoc.pipelines import run_tasks as run_tasks
    from longdoc.pipelines import runs as runs
    from longdoc.pipelines import score as score
    from longdoc.pipelines import score_prediction_files as score_prediction_files
    from longdoc.pipelines import score_predictions as score_predictions
    from longdoc.pipelines import show as show
    from longdoc.pipelines import spread as spread
    from longdoc.pipelines import submit as submit
    from longdoc.pipelines import train as train
    from longdoc.pipelines import verify as verify
    from longdoc.pipelines import versus as versus
    from longdoc.pipelines import view as view
else:
    __getattr__, __dir__, __all__ = lazily(__name__, __file__)
