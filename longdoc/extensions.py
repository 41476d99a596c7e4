"""Benchmarks and plugins: their parts are found by the place and the name of files in their folders.

Nothing lists longdoc's own: removing a folder removes a benchmark or a plugin, and a new folder is a new one. Other
people's are in installed packages, which name them as entry points.
"""

import os
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from longdoc.errors import UserError
from longdoc.own_packages import HOME, is_ours, module_name
from longdoc.plugin import Plugin, loaded

BENCHMARKS = HOME / "pipelines" / "benchmarks"
PLUGINS = HOME / "pipelines" / "plugins"
OURS = b"[longdoc."  # beginning of the line of a group for longdoc in a package's entry points


@dataclass(frozen=True, slots=True)
class Package:
    """The dotted name and the folder of a package."""

    name: str
    folder: Path


def installed(group: str) -> Mapping[str, Any]:
    """The entry points of a group in installed packages, by name."""
    return _installed(tuple(sys.path), group)


@cache
def _installed(path: tuple[str, ...], group: str) -> Mapping[str, Any]:
    if not any(map(_has_points_for_us, path)):
        return {}
    return {point.name: point for point in _entry_points(path).select(group=group)}


@cache
def _has_points_for_us(place: str) -> bool:
    """Whether a package at a place of `sys.path` has entry points for longdoc; True if the place is not a folder.

    Nearly always none has any; seeing that takes a tenth of the time in which `importlib.metadata` reads all.
    """
    try:
        names = [name for name in os.listdir(place or ".") if name.endswith((".dist-info", ".egg-info"))]  # noqa: PTH208
    except NotADirectoryError:
        return True
    except OSError:
        return False
    return place.endswith(".egg") or any(OURS in _content(Path(place, name, "entry_points.txt")) for name in names)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


@cache
def _entry_points(path: tuple[str, ...]) -> Any:
    """The entry points of all packages on `path`, which is `sys.path`; reading them takes 60 ms."""
    from importlib.metadata import entry_points

    return entry_points()


@cache
def _packages() -> Mapping[str, Package]:
    """The packages of benchmarks by name, sorted."""
    ours = {path.parent.name: _ours(path.parent) for path in BENCHMARKS.glob("*/tasks.py")}
    others = {name: _package(point) for name, point in _others("benchmark", ours).items()}
    return dict(sorted((ours | others).items()))


def _ours(folder: Path) -> Package:
    """The package in one of longdoc's own folders."""
    return Package(module_name(f"pipelines.{folder.parent.name}.{folder.name}"), folder)


def _others(kind: str, ours: Collection[str]) -> Mapping[str, Any]:
    """The entry points of other people's benchmarks or plugins. Raises `UserError` for a name that longdoc uses."""
    points = installed(f"longdoc.{kind}s")
    for name in points.keys() & set(ours):
        raise _broken(points[name], kind, "longdoc has one of this name itself")
    return points


def _package(point: Any) -> Package:
    """The package that an entry point names. Raises `UserError`, whatever goes wrong in somebody else's package."""
    try:
        spec = find_spec(point.value)
    except Exception as error:
        raise _broken(point, "benchmark", f"{type(error).__name__}: {error}") from error
    if spec is None or spec.submodule_search_locations is None:
        raise _broken(point, "benchmark", f"{point.value} is not a package")
    return Package(point.value, Path(spec.submodule_search_locations[0]))


def _broken(point: Any, kind: str, problem: str) -> UserError:
    """The error for a benchmark or plugin of an installed package that cannot be loaded."""
    return UserError(
        f"the {kind} {point.name} of the package {point.dist.name} cannot be loaded: {problem}. "
        f"Mend the package, or uninstall it: pip uninstall {point.dist.name}"
    )


def benchmarks() -> tuple[str, ...]:
    """The names of the benchmarks, sorted."""
    return tuple(_packages())


def part(benchmark: str, name: str) -> ModuleType | None:
    """A benchmark's module or subpackage of this name, such as "predictions"; None if it has none."""
    package = _packages()[benchmark]
    if not ((package.folder / f"{name}.py").is_file() or (package.folder / name / "__init__.py").is_file()):
        return None
    return import_module(f"{package.name}.{name}")


def parts(name: str) -> Iterator[ModuleType]:
    """The modules or subpackages of this name in all benchmarks that have one."""
    return (module for benchmark in benchmarks() if (module := part(benchmark, name)) is not None)


@cache
def modules_in(folder: str) -> Mapping[str, str]:
    """The modules by file name in the subfolders of this name ("layouts") of benchmarks and longdoc's plugins."""
    packages = [*_packages().values(), *(_ours(path.parent) for path in sorted(PLUGINS.glob(f"*/{folder}")))]
    packages.sort(key=lambda package: is_ours(package.name))  # longdoc's last: their names take precedence
    return {
        path.stem: f"{package.name}.{folder}.{path.stem}"
        for package in packages
        for path in sorted((package.folder / folder).glob("*.py"))
        if not path.stem.startswith("_")
    }


@cache
def files(name: str) -> Mapping[str, Path]:
    """The files of this name, by benchmark."""
    return {benchmark: path for benchmark, package in _packages().items() if (path := package.folder / name).is_file()}


@cache
def plugins() -> Mapping[str, Plugin]:
    """All plugins by name: longdoc's, sorted, then those of installed packages."""
    ours = {path.parent.name: _ours(path.parent) for path in sorted(PLUGINS.glob("*/plugin.py"))}
    others = {name: _plugin(point) for name, point in _others("plugin", ours).items()}
    return {name: import_module(f"{package.name}.plugin").PLUGIN for name, package in ours.items()} | others


def _plugin(point: Any) -> Plugin:
    """The plugin that an entry point names. Raises `UserError`, whatever goes wrong in somebody else's package."""
    try:
        plugin = point.load()
    except Exception as error:
        raise _broken(point, "plugin", f"{type(error).__name__}: {error}") from error
    if not isinstance(plugin, Plugin):
        raise _broken(point, "plugin", f"{point.value} is {plugin!r}, not a longdoc.plugin.Plugin")
    return plugin


def functions() -> Mapping[str, str]:
    """The functions of all plugins by name, each as "module:name"."""
    return {name: place for plugin in plugins().values() for name, place in plugin.functions.items()}


def function(name: str) -> Any:
    """A plugin's function. Raises `UserError` if no plugin has it."""
    if name not in functions():
        raise UserError(f"no plugin of this installation offers {name}")
    return loaded(functions()[name])
