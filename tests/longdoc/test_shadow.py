"""A folder of the user's that hides a package of ours."""

import subprocess
import sys

import pytest


def start(folder, code):
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("content", [None, "x = 1"])
@pytest.mark.parametrize("name", ["models", "retrievers"])
def test_a_folder_that_hides_ours_is_named(tmp_path, name, content):
    (tmp_path / name).mkdir()
    if content is not None:
        (tmp_path / name / "__init__.py").write_text(content, encoding="utf-8")
    done = start(tmp_path, "import longdoc")
    hidden = done.returncode != 0
    # a folder without __init__.py hides nothing where ours lies on the path itself
    assert hidden or content is None
    if hidden:
        assert f"{tmp_path / name} hides longdoc's own package '{name}'" in done.stderr


def test_a_file_that_hides_ours_is_named(tmp_path):
    (tmp_path / "models.py").write_text("", encoding="utf-8")
    done = start(tmp_path, "import pipelines")
    assert f"{tmp_path / 'models.py'} hides longdoc's own package 'models'" in done.stderr


def test_a_folder_without_conflicts_is_fine(tmp_path):
    assert start(tmp_path, "import pipelines").returncode == 0
