"""The command in this process, as a shell would see it."""

import sys

import pytest

from pipelines.cli import main


def longdoc(capfd, *words):
    """Run it with these arguments: its exit code, output and errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["longdoc", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main.main()
    told = capfd.readouterr()
    return ended.value.code, told.out, told.err
