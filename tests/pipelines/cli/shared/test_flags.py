"""Arguments in messages as options of the command."""

import pytest
from typer.main import get_command

from pipelines.cli.main import app
from pipelines.cli.shared.flags import as_options, options_of
from pipelines.results.lost_evidence.stages import ANSWER_STAGE, STAGES, TEXT_STAGE
from tests import documents

RUN = options_of(get_command(app).commands["run"])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("choose another folder with out=", "choose another folder with --out"),
        ("give data=PATH of those", "give --data PATH of those"),
        ("data=PATH (--data) says where", "--data PATH says where"),
        ("model='none' asks nothing", "--model none asks nothing"),
        ("say more, as in baseline='k=1'", "say more, as in baseline='k=1'"),
        ("prompt='{query} {document}'", "--prompt '{query} {document}'"),
        ("use retriever='bm25', or k=3.", "use --retriever bm25, or --k 3."),
        ("model='evidence_ranker:signals=[bm25]'", "--model 'evidence_ranker:signals=[bm25]'"),
        ("max_new_tokens=9 is over", "--max-new-tokens 9 is over"),
        ("drop metrics=", "drop --metric"),
        ("as in k=[1, 2, 5] (-k 1,2,5)", "as in k=[1, 2, 5] (-k 1,2,5)"),
        ("name it, as in rerank:retriever=bm25", "name it, as in rerank:retriever=bm25"),
        ("cut=3 and report=False stay", "cut=3 and report=False stay"),
    ],
)
def test_arguments_become_options(message: str, expected: str) -> None:
    assert as_options(message, RUN) == expected


def test_only_the_command_s_own_options_are_replaced() -> None:
    fetch = options_of(documents.commands()["data fetch"])
    assert as_options("give data=PATH or split=dev", fetch) == "give data=PATH or --split dev"
    assert as_options("give data=PATH", {}) == "give data=PATH"


def test_the_help_of_blame_names_every_stage_in_order() -> None:
    (option,) = (param for param in documents.commands()["blame"].params if "--stage" in param.opts)
    assert option.help == f"Only examples lost at: {', '.join((*STAGES, ANSWER_STAGE, TEXT_STAGE))}."
