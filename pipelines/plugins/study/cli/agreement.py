"""How far people agree."""

from collections.abc import Mapping
from typing import Any

from pipelines.cli.shared.options import Task, show_table
from pipelines.cli.shared.run_options import takes_run_options
from pipelines.cli.shared.shared_options import Json


@takes_run_options("agreement", keys={"task": str})
def agreement(task: Task, arguments: Mapping[str, Any], as_json: Json = False) -> None:
    """Score references against each other: how far people agree.

    Each reference of an example against its others.

    Example: longdoc analyze agreement zero_scrolls/squality --data dev.jsonl --split validation
    """
    from pipelines.plugins.study.agreements.agreement import agreement as compare

    show_table(compare(task, **arguments), as_json)
