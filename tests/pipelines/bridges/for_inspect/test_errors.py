"""Errors that users can fix, in the real inspect_ai."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

from longdoc.errors import UserError
from pipelines.bridges.for_inspect import longdoc_scorer, longdoc_select, longdoc_task
from pipelines.bridges.for_inspect.errors import in_one_line


@in_one_line
def failing() -> None:
    raise UserError("type blend:[bm25,dense]")


def test_an_error_is_a_user_error_and_its_message_has_no_markup_for_inspect() -> None:
    with pytest.raises(UserError) as error:
        failing()
    assert str(error.value) == "type blend:[bm25,dense]"
    assert vars(error.value) == {"message": r"type blend:\[bm25,dense]"}
    with pytest.raises(UserError) as again:
        in_one_line(failing)()
    assert vars(again.value) == {"message": r"type blend:\[bm25,dense]"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: longdoc_task("narrativeqa", data="sample", retrievr="bm25"), "unknown argument 'retrievr'"),
        (lambda: longdoc_task("style_change", data="sample"), "style_change does not ask one prompt an example"),
        (lambda: longdoc_select(retriever="bm26"), "unknown retriever 'bm26'"),
        (lambda: longdoc_scorer("f2"), "unknown metric 'f2'"),
    ],
)
def test_what_was_typed_wrongly_is_said_where_it_is_made(make, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserError, match=message) as error:
        make()
    assert message in vars(error.value)["message"]


def test_the_command_prints_one_line(tmp_path: Path) -> None:
    options = ["-T", "data=sample", "-T", "retriever=bm26", "--model", "longdoc/extractive", "--display", "plain"]
    command = [sys.executable, "-m", "inspect_ai", "eval", "longdoc/narrativeqa", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stdout + done.stderr
    assert "unknown retriever 'bm26'; did you mean bm25?" in done.stdout + done.stderr
    assert done.returncode != 0
