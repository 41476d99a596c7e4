"""What there is: every component with its summary and parameters, read off docstrings and signatures."""

import dataclasses
import inspect
from typing import Any

from longdoc.registry import Registry


def registries() -> dict[str, Registry[Any]]:
    """The registries of the house by the plural of their kind."""
    import chunkers
    import models
    import retrievers
    from models import encoders
    from pipelines import builders, metrics, strategies, training

    return {
        "chunkers": chunkers.registry,
        "retrievers": retrievers.registry,
        "readers": models.registry,
        "encoders": encoders.registry,
        "strategies": strategies.registry,
        "metrics": metrics.registry,
        "builders": builders.registry,
        "recipes": training.registry,
    }


def catalogue() -> dict[str, dict[str, dict[str, Any]]]:
    """Kind → name → summary and parameters (name to default, "required" where there is none)."""
    return {
        kind: {name: _entry(registry, name) for name in registry.names()} for kind, registry in registries().items()
    }


def _entry(registry: Registry[Any], name: str) -> dict[str, Any]:
    cls = registry.component(name)
    summary = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    preset = registry.parse(name)[1]
    parameters = {field.name: preset.get(field.name, _default(field)) for field in fields if field.init}
    return {"summary": summary, "parameters": parameters}


def _default(field: Any) -> Any:
    if field.default is not dataclasses.MISSING:
        default = field.default
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    else:
        return "required"
    return list(default) if isinstance(default, tuple) else default if _plain(default) else repr(default)


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool, list, dict))
