"""Shell completion, asked as the shells ask it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.cli import completion
from pipelines.cli.main import main

ENTRY = "import sys; sys.argv[0] = 'longdoc'; from longdoc.__main__ import main; main()"


class Shell:
    """What `longdoc` prints for a shell, in this process and in an empty folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        monkeypatch.chdir(folder)
        self._capsys = capsys

    def completions(self, **environment: str) -> list[str]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sys, "argv", ["longdoc"])
            for name, setting in environment.items():
                patched.setenv(name, setting)
            with pytest.raises(SystemExit) as exit_info:
                main()
        printed = self._capsys.readouterr()
        assert (exit_info.value.code, printed.err) == (0, "")
        return printed.out.splitlines()

    def bash(self, *words: str) -> list[str]:
        """The completions of the last of the words, as bash has cut them."""
        return self.completions(**bash(*words))


def bash(*words: str) -> dict[str, str]:
    """The variables with which bash asks for the completions of the last of the words."""
    return {"_LONGDOC_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Shell:
    return Shell(monkeypatch, capsys, tmp_path)


def test_the_installed_command_answers_a_shell(tmp_path: Path) -> None:
    environment = os.environ | bash("longdoc", "ru")
    process = subprocess.run(
        [sys.executable, "-c", ENTRY], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert (process.returncode, process.stdout.splitlines(), process.stderr) == (0, ["run", "runs"], "")


def test_bash_gets_commands_tasks_and_components(shell: Shell) -> None:
    assert shell.bash("longdoc", "ru") == ["run", "runs"]
    assert shell.bash("longdoc", "run", "narr") == ["narrativeqa"]
    assert shell.bash("longdoc", "run", "qa", "--retriever", "den") == ["dense"]
    assert shell.bash("longdoc", "list", "components", "chunke") == ["chunkers"]
    assert shell.bash("longdoc", "run", "qa", "--order", "sc") == ["score"]


def test_where_no_name_fits_the_shell_offers_files(shell: Shell) -> None:
    assert shell.bash("longdoc", "report", "ru") == [""]
    assert shell.bash("longdoc", "run", "qa", "--retriever", "dense:lo") == [""]


def test_zsh_and_fish_get_whole_words(shell: Shell) -> None:
    line = "longdoc run qa --retriever bm25,tfi"
    assert shell.completions(_LONGDOC_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=line) == [
        """_arguments '*: :(("bm25,tfidf"))'"""
    ]
    fish = {"_LONGDOC_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert shell.completions(**fish, _TYPER_COMPLETE_ARGS=line) == ["bm25,tfidf"]


def test_no_heavy_library_is_imported_for_a_completion() -> None:
    code = (
        "import sys; from pipelines.cli import completion\n"
        "for complete in completion.COMPLETERS.values(): complete('')\n"
        "print([name for name in ('torch', 'transformers', 'scipy', 'sklearn', 'nltk') if name in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "[]\n"


def test_an_error_behind_tab_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "_tasks", lambda: 1 / 0)
    assert completion.tasks("narr") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_of_the_shells_can_be_shown(shell: str, tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "longdoc", "--show-completion", shell],
        capture_output=True, text=True, env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )  # fmt: skip
    assert process.returncode == 0
    assert f"_LONGDOC_COMPLETE=complete_{shell}" in process.stdout
