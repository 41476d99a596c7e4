"""The functions that a user calls; each is imported when it is first used."""

from typing import TYPE_CHECKING

from longdoc.exports import lazily

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__, __all__ = lazily(__name__, __file__)
