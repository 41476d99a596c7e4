import subprocess
import sys

import pytest

from longdoc.errors import OneLine, RepliesAwaited, UserError
from longdoc.optional import NotInstalled

WRONG = 'import longdoc; longdoc.run("narrativeqa", data="sample", retriever="no_such_retriever")'
MESSAGE = "unknown retriever 'no_such_retriever'"


def in_ipython(code: str) -> list[str]:
    """What IPython's shell prints on a cell, line by line, as a notebook shows it."""
    pytest.importorskip("IPython", reason="IPython is not installed")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    printed: list[str] = []
    shell._showtraceback = lambda kind, error, lines: printed.extend("\n".join(lines).splitlines())  # as ipykernel does
    shell.run_cell(code)
    return printed


def test_an_error_the_user_can_fix_is_one_line_in_a_notebook() -> None:
    (line,) = in_ipython(WRONG)
    assert line.startswith(f"UserError: {MESSAGE}")


def test_other_errors_keep_their_traceback_in_a_notebook() -> None:
    lines = in_ipython("1 / 0")
    assert len(lines) > 1
    assert any("ZeroDivisionError" in line for line in lines)


def test_plain_python_prints_the_traceback_as_ever() -> None:
    ended = subprocess.run([sys.executable, "-c", WRONG], capture_output=True, text=True, check=False)
    assert ended.stderr.startswith("Traceback (most recent call last):")
    assert MESSAGE in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("kind", [UserError, RepliesAwaited])
def test_the_line_names_the_error_and_has_no_second_one(kind: type[OneLine]) -> None:
    assert kind("first\nsecond \x1b[2J")._render_traceback_() == [f"{kind.__name__}: first second ␛[2J"]


def test_a_missing_extra_is_one_line_that_names_the_command() -> None:
    (line,) = NotInstalled("torch", "neural", "the model")._render_traceback_()
    assert line.startswith("NotInstalled: ")
    assert "pip install" in line
