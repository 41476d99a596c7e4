"""The arguments of a run that ask a judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from pipelines.engine.planning.command_line_option import option

if TYPE_CHECKING:
    from pipelines.engine.planning.argument_types import ReaderSpec


class JudgeArguments(TypedDict, total=False):
    """Who judges the predictions when the run is finished."""

    judge: Annotated["ReaderSpec | None", option(
        "Judge", "MODEL", 'A model that grades the answers, as "openai:NAME".',
        axis=False, kind="readers",
    )]  # fmt: skip
    judge_prompts_from: Annotated[str | Path | None, option(
        "Judge", "FILE", "The file with the judge's prompt, or FILE::WORD of it.", axis=False,
    )]  # fmt: skip
