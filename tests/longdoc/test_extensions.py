"""Benchmarks and plugins of installed packages that cannot be used."""

from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest

from longdoc import extensions
from longdoc.errors import UserError


def test_a_plugin_or_benchmark_that_cannot_be_loaded_is_one_line_that_names_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = [
        ("benchmark", "tides", "nowhere", "nowhere is not a package"),
        ("benchmark", "tides", "nowhere.tides", "ModuleNotFoundError: No module named 'nowhere'"),
        ("benchmark", "tides", "json.tool", "json.tool is not a package"),
        ("benchmark", "muld", "json", "longdoc has one of this name itself"),
        ("plugin", "tides", "nowhere.plugin:PLUGIN", "ModuleNotFoundError: No module named 'nowhere'"),
        ("plugin", "tides", "string:digits", "string:digits is '0123456789', not a longdoc.plugin.Plugin"),
        ("plugin", "ask", "string:digits", "longdoc has one of this name itself"),
    ]
    for kind, name, value, problem in cases:
        point = SimpleNamespace(name=name, value=value, dist=SimpleNamespace(name="longdoc-tides"))
        point.load = EntryPoint(name, value, f"longdoc.{kind}s").load
        assert _problem(monkeypatch, kind, point) == (
            f"the {kind} {name} of the package longdoc-tides cannot be loaded: {problem}. "
            "Mend the package, or uninstall it: pip uninstall longdoc-tides"
        )


def _problem(monkeypatch: pytest.MonkeyPatch, kind: str, point: Any) -> str:
    """The error about an entry point when benchmarks or plugins are looked up."""
    find = {"benchmark": extensions._packages, "plugin": extensions.plugins}[kind]
    with monkeypatch.context() as patch, pytest.raises(UserError) as refused:
        patch.setattr(extensions, "installed", lambda group: {point.name: point} if group.endswith(f".{kind}s") else {})
        find.__wrapped__()
    return str(refused.value)
