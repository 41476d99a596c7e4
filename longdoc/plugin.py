"""The declaration of a plugin.

Longdoc's plugins are the folders of `pipelines/plugins`; other people's are entry points `longdoc.plugins`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from longdoc.own_packages import PACKAGES, module_name


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """What a plugin adds to longdoc. A value "module:name" is imported when it is first used.

    - `commands`: by the words that are typed: "ask" or "runs merge".
    - `groups`: the line of help for each first word that this plugin adds, such as "bridge".
    - `functions`: the functions `longdoc.NAME` by NAME; "module" alone is the module.
    - `kinds`: for each kind of component that this plugin adds, its plural and the module with the `registry`.
    - `arguments`: of a run: the type of each by its name, annotated with a `CommandLineOption`, as in
      `pipelines.engine.planning.run_options`. The hook `after_run` gets their values.
    - `after_run`: a function of a task, the values of `arguments` and whether the run is a shard. It gives None, or a
      function of a finished run's folder that returns the new content of its `scores.json`, or None to leave it.
    - `section`: a function of a report's `Content` that returns a `markupsafe.Markup` for the end of the page, or "".
    - `results`: a `pipelines.results.kinds.ResultKind`, which reads results of other programs.

    Components of longdoc's plugins need no entry: each file in a folder `readers`, `engines`, `metrics` … is one. Those
    of other plugins are entry points (`longdoc.registry`).
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    after_run: str = ""
    section: str = ""
    results: str = ""


def loaded(place: str) -> Any:
    """The object that "module:name" names; the module itself for "module"."""
    name, _, attribute = place.partition(":")
    module = import_module(module_name(name) if name.partition(".")[0] in PACKAGES else name)
    return getattr(module, attribute) if attribute else module
