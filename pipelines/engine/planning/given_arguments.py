"""The arguments of a run as they were given, for `run.json`: names and specs before any default is filled in.

`pipelines.rerun` runs them again. They do not decide which run it is: that is the spec (`planning.spec`).
"""

import dataclasses
from collections.abc import Mapping, Sized
from pathlib import Path
from typing import Any

from longdoc.messages import counted
from longdoc.registry import name_of
from pipelines import tasks
from pipelines.engine.planning.options import OPTIONS, default_of
from pipelines.sources.own_data.python_tables import are_rows

REPEATABLE = "repeatable"  # False in the description of an object that no name stands for


def given_arguments(task: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The task and the arguments as plain values, without those that are None or the default.

    A component that is an object becomes a mapping with its name and the fields that differ from their defaults. An
    object that no file can hold is described: `{"name": "12 examples", "repeatable": False}`.
    """
    settings = {name: value for name, value in arguments.items() if not _is_left_out(name, value)}
    ordered = [name for name in OPTIONS if name in settings]
    return {"task": _task(task)} | {
        name: (_data if name == "data" else plain_argument)(settings[name]) for name in ordered
    }


def _is_left_out(name: str, value: Any) -> bool:
    """Whether a value is None or the argument's default."""
    default = default_of(name)
    return value is None or (type(value) is type(default) and bool(value == default))


def plain_argument(value: Any) -> Any:
    """A value as JSON and YAML can hold it."""
    if value is None or isinstance(value, (int, float, bool)):
        return value
    if isinstance(value, (str, Path)):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): plain_argument(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_argument(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _is_importable(value):
        return {"name": name_of(value)} | _changed_fields(value)
    return _description(name_of(value))


def not_repeatable(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The arguments with an object that only a Python program can give again, each with that object's name."""
    objects = {name: _unrepeatable(value) for name, value in arguments.items()}
    return {name: description for name, description in objects.items() if description is not None}


def _unrepeatable(value: Any) -> str | None:
    """The name of the first object in a value that no file can hold; None where there is none."""
    if isinstance(value, Mapping):
        if value.get(REPEATABLE) is False:
            return str(value.get("name"))
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((description for item in value if (description := _unrepeatable(item)) is not None), None)
    return None


def _description(name: str) -> dict[str, Any]:
    """The description of an object that no file can hold."""
    return {"name": name, REPEATABLE: False}


def _task(task: Any) -> Any:
    """The name of a declared task; the description of another `Task` object."""
    if not isinstance(task, tasks.Task):
        return plain_argument(task)
    return task.name if tasks.declared(task.name) == task else _description(f"the Task {task.name}")


def _data(data: Any) -> Any:
    """The path of the data, or the description of an object."""
    return str(data) if isinstance(data, (str, Path)) else _description(name_of_data(data))


def name_of_data(data: Any) -> str:
    """The data in words: the path, or the number of rows or examples that were given in Python."""
    if isinstance(data, (str, Path)):
        return str(data)
    noun = "row" if are_rows(data) else "example"
    count = counted(len(data), noun) if isinstance(data, Sized) else f"{noun}s"
    return f"{count} given in Python"


def _is_importable(component: Any) -> bool:
    """Whether another process can import the component's class as `module:Class`."""
    cls = type(component)
    return cls.__module__ != "__main__" and "." not in cls.__qualname__


def _changed_fields(component: Any) -> dict[str, Any]:
    """The fields of a component that differ from their defaults."""
    fields = {field.name: field for field in dataclasses.fields(component) if field.init}
    values = {name: getattr(component, name) for name in fields}
    return {name: plain_argument(value) for name, value in values.items() if not _is_default(fields[name], value)}


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    if field.default is not dataclasses.MISSING:
        return bool(type(value) is type(field.default) and value == field.default)
    return field.default_factory is not dataclasses.MISSING and bool(value == field.default_factory())
