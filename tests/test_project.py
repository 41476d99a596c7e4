"""The project's own files (changelog, citation, hooks, guides) are true and agree."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_pre_commit_runs_what_make_lint_runs() -> None:
    hooks = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", read("Makefile"), re.MULTILINE)
    assert lint is not None
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in lint[1].splitlines()]
    assert [hook["entry"] for hook in hooks] == commands


def test_pre_commit_accepts_the_configuration() -> None:
    from pre_commit.clientlib import load_config

    assert [repository["repo"] for repository in load_config(ROOT / ".pre-commit-config.yaml")["repos"]] == ["local"]


def test_the_version_is_the_same_everywhere() -> None:
    import longdoc

    assert (
        tomllib.loads(read("pyproject.toml"))["tool"]["setuptools"]["dynamic"]["version"]["attr"]
        == "longdoc.__version__"
    )
    assert yaml.safe_load(read("CITATION.cff"))["version"] == longdoc.__version__
    assert f"now {'.'.join(longdoc.__version__.split('.')[:2])} |" in read("SECURITY.md")


def test_the_changelog_begins_with_this_version_in_four_parts() -> None:
    import longdoc

    _, *versions = re.split(r"^## ", read("CHANGELOG.md"), flags=re.MULTILINE)
    assert versions[0].partition(" (unreleased)")[0].partition(" – ")[0] == longdoc.__version__
    assert re.findall(r"^### (.*)", versions[0], re.MULTILINE) == ["Added", "Changed", "Fixed", "Removed"]
    assert len(versions[0].splitlines()) < 200


def test_contributing_names_files_that_exist() -> None:
    text = read("CONTRIBUTING.md")
    paths = [name for name in re.findall(r"`((?:tests|pipelines|docs)/[\w/.]+)`", text) if "NAME" not in name]
    assert len(paths) > 10
    assert [name for name in paths if not (ROOT / name).exists()] == []
    assert [link for link in re.findall(r"\]\((?!http)([^)]+)\)", text) if not (ROOT / link).exists()] == []
