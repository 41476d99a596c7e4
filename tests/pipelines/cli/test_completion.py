"""Shell completion, asked as the shells ask it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.cli import completion

ENTRY = "import sys; sys.argv[0] = 'longdoc'; from longdoc.__main__ import main; main()"


def asked(cwd: Path, **environment: str) -> list[str]:
    """What `longdoc` prints for a shell."""
    done = subprocess.run(
        [sys.executable, "-c", ENTRY], capture_output=True, text=True, cwd=cwd, env={**os.environ, **environment}
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def bash(cwd: Path, *words: str) -> list[str]:
    """The completions of the last of the words, as bash has cut them."""
    return asked(
        cwd, _LONGDOC_COMPLETE="complete_bash", COMP_WORDS="\n".join(words), COMP_CWORD=str(len(words) - 1)
    )  # fmt: skip


def test_bash_gets_commands_tasks_and_components(tmp_path: Path) -> None:
    assert bash(tmp_path, "longdoc", "ru") == ["run", "runs"]
    assert bash(tmp_path, "longdoc", "run", "narr") == ["narrativeqa"]
    assert bash(tmp_path, "longdoc", "run", "qa", "--retriever", "den") == ["dense"]
    assert bash(tmp_path, "longdoc", "list", "components", "chunke") == ["chunkers"]
    assert bash(tmp_path, "longdoc", "run", "qa", "--order", "sc") == ["score"]


def test_where_no_name_fits_the_shell_offers_files(tmp_path: Path) -> None:
    assert bash(tmp_path, "longdoc", "report", "ru") == [""]
    assert bash(tmp_path, "longdoc", "run", "qa", "--retriever", "dense:lo") == [""]


def test_zsh_and_fish_get_whole_words(tmp_path: Path) -> None:
    typed = "longdoc run qa --retriever bm25,tfi"
    assert asked(tmp_path, _LONGDOC_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=typed) == [
        """_arguments '*: :(("bm25,tfidf"))'"""
    ]
    fish = {"_LONGDOC_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert asked(tmp_path, **fish, _TYPER_COMPLETE_ARGS=typed) == ["bm25,tfidf"]


def test_no_heavy_library_is_imported_for_a_completion() -> None:
    code = (
        "import sys; from pipelines.cli import completion\n"
        "for complete in completion.OF_VALUES.values(): complete('')\n"
        "print([name for name in ('torch', 'transformers', 'scipy', 'sklearn', 'nltk') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_error_behind_tab_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "_tasks", lambda: 1 / 0)
    assert completion.tasks("narr") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_of_the_shells_can_be_shown(shell: str, tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "longdoc", "--show-completion", shell],
        capture_output=True, text=True, env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )  # fmt: skip
    assert shown.returncode == 0
    assert f"_LONGDOC_COMPLETE=complete_{shell}" in shown.stdout
