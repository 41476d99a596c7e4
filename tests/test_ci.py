"""The script `.ci/run`, and how it finds another Python to try the core with."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

CLASSIFIED = {(3, 11), (3, 12), (3, 13)}


@pytest.fixture(scope="module")
def newest_python():
    spec = importlib.util.spec_from_file_location("newest_python", ROOT / ".ci" / "newest_python.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_newest_classified_version_after_the_current_one_is_taken(newest_python):
    versions = {Path("a"): (3, 12, 1), Path("b"): (3, 13, 0), Path("c"): (3, 13, 2), Path("d"): (3, 15, 0)}
    assert newest_python.newest(versions, (3, 11, 7), CLASSIFIED) == Path("c")
    assert newest_python.newest(versions, (3, 13, 0), CLASSIFIED) is None
    assert newest_python.newest({}, (3, 11, 7), CLASSIFIED) is None


def test_the_classified_versions_are_read_from_the_project_file(newest_python):
    assert newest_python.classified((ROOT / "pyproject.toml").read_text(encoding="utf-8")) == CLASSIFIED


def test_a_shim_and_an_alpha_do_not_count_as_a_python(newest_python, tmp_path):
    assert newest_python.version_of(Path(sys.executable)) == sys.version_info[:3]
    assert newest_python.version_of(executable(tmp_path / "good", "echo 3 13 0 final")) == (3, 13, 0)
    assert newest_python.version_of(executable(tmp_path / "alpha", "echo 3 15 0 alpha")) is None
    assert newest_python.version_of(executable(tmp_path / "shim", "echo 3 13 0 final; exit 127")) is None
    assert newest_python.version_of(tmp_path / "absent") is None


def test_pythons_are_found_on_the_path_and_among_those_of_pyenv(newest_python, tmp_path, monkeypatch):
    on_path = executable(tmp_path / "bin/python3.13", "")
    executable(tmp_path / "bin/python3.13-config", "")
    of_pyenv = executable(tmp_path / "pyenv/versions/3.12.1/bin/python", "")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{tmp_path / 'absent'}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert list(newest_python.candidates()) == [on_path, of_pyenv]


def test_without_another_python_the_reason_is_printed(newest_python, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert newest_python.main() == 1
    assert capsys.readouterr().err.startswith("no Python newer than this one (3.")


def test_the_suite_is_run_last_and_a_failed_audit_stops_nothing():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "make test"
    assert next(line for line in lines if "make audit" in line).startswith("make audit || echo ")
    commands = [line for line in lines if line.startswith(("make", "git clone"))]
    assert commands[:3] == ["make lint", "make docs", "make results"]
