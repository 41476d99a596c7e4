"""In a checkout `longdoc.models` and `models` are one module object. A user's folder that hides it is reported."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import longdoc
import pipelines
from longdoc.own_packages import HOME, IN_WHEEL, PACKAGES, is_ours, module_name, short_name
from tests.turns import for_each

FUNCTIONS = sorted(set(longdoc.__all__) - set(PACKAGES))
MODULES = {"analysis", "builders", "metrics", "sources", "strategies", "tasks", "training"}
ONLY_IN_PIPELINES = sorted(set(pipelines.__all__) - {*FUNCTIONS, *MODULES})


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_of_longdoc_is_the_top_level_package_of_that_name(name):
    assert getattr(longdoc, name) is importlib.import_module(name) is importlib.import_module(f"longdoc.{name}")


@pytest.mark.parametrize(
    "order", [("models.requests", "longdoc.models.requests"), ("longdoc.models.requests", "models.requests")]
)
def test_no_module_is_imported_twice(order):
    code = f"""
import sys
import {order[0]}
before = len([name for name in sys.modules if name.startswith("models")])
import {order[1]}
assert sys.modules["models.requests"] is sys.modules["longdoc.models.requests"]
assert before == len([name for name in sys.modules if name.startswith("models")])
for name, module in list(sys.modules.items()):
    if name.partition(".")[0] in {(*PACKAGES, "longdoc")!r}:
        assert module.__name__ == module.__spec__.name and not module.__name__.startswith("longdoc.models"), name
from longdoc.models.requests import Reply
from models.requests import Reply as same
assert Reply is same and Reply.__module__ == "models.requests"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_module_is_named_as_it_was_imported():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'longdoc\.models\.nothing'"):
        importlib.import_module("longdoc.models.nothing")
    with pytest.raises(AttributeError, match="module 'longdoc' has no attribute 'nothing'"):
        longdoc.nothing  # noqa: B018


@for_each("name", FUNCTIONS)
def test_longdoc_has_functions_of_pipelines(name):
    assert getattr(longdoc, name) is getattr(pipelines, name)
    assert not (Path(longdoc.__file__).parent / f"{name}.py").exists()  # a module of that name would hide it


@for_each("name", ONLY_IN_PIPELINES)
def test_the_error_for_a_further_function_says_where_it_is(name):
    with pytest.raises(AttributeError, match=rf"^longdoc\.{name} is longdoc\.pipelines\.{name}$"):
        getattr(longdoc, name)
    assert getattr(longdoc.pipelines, name) is getattr(pipelines, name)


def test_the_help_of_longdoc_names_each_of_its_twenty_functions():
    assert len(FUNCTIONS) == 20
    assert [name for name in FUNCTIONS if not re.search(rf"\b{name}\b", longdoc.__doc__)] == []


def test_dir_lists_the_public_names():
    assert dir(longdoc) == longdoc.__all__ == sorted([*FUNCTIONS, *PACKAGES])
    assert dir(pipelines) == pipelines.__all__
    assert not [name for name in dir(pipelines) if name.startswith("_") or not hasattr(pipelines, name)]


def test_module_names_are_short_in_a_checkout():
    assert (False, Path(pipelines.__file__).parent.parent) == (IN_WHEEL, HOME)
    assert module_name("models.hub") == short_name("longdoc.models.hub") == short_name("models.hub") == "models.hub"
    assert is_ours("models.hub") and not is_ours("modelscope.hub") and not is_ours("mine.models")


def start(folder, code):
    """Run code in a new process with a folder first on its path."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("content", [None, "x = 1"])
@pytest.mark.parametrize("name", ["models", "retrievers"])
def test_a_folder_that_hides_ours_is_named(tmp_path, name, content):
    (tmp_path / name).mkdir()
    if content is not None:
        (tmp_path / name / "__init__.py").write_text(content, encoding="utf-8")
    process = start(tmp_path, "import longdoc")
    hidden = process.returncode != 0
    # a folder without __init__.py hides nothing if our package lies on the path itself
    assert hidden or content is None
    if hidden:
        assert f"{tmp_path / name} hides longdoc's own package '{name}'" in process.stderr


def test_a_file_that_hides_ours_is_named(tmp_path):
    (tmp_path / "models.py").write_text("", encoding="utf-8")
    process = start(tmp_path, "import pipelines")
    assert f"{tmp_path / 'models.py'} hides longdoc's own package 'models'" in process.stderr


def test_a_folder_without_conflicts_is_fine(tmp_path):
    assert start(tmp_path, "import pipelines").returncode == 0
