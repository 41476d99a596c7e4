"""Runs the `longdoc` command in this process."""

import sys

import pytest

from pipelines.cli import main


def longdoc(capfd, *words):
    """Run `longdoc` with these arguments; return its exit code, output and errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["longdoc", *map(str, words)])
        with pytest.raises(SystemExit) as exited:
            main.main()
    captured = capfd.readouterr()
    return exited.value.code, captured.out, captured.err
