"""Engines drive runs. One engine per file; `run(engine="local")`."""

from typing import TYPE_CHECKING, Any

from longdoc.registry import Registry

if TYPE_CHECKING:
    from pipelines.engine.engines.local import Local

registry: Registry["Local"] = Registry(__name__.rpartition(".")[0], "engine", folders=("engines",))


def get(spec: Any) -> "Local":
    """The engine for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec)
