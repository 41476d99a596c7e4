"""The option `--config`: arguments of a command from a YAML or JSON file. Typed options take precedence."""

import inspect
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

from longdoc.allowed_code import file_of, marked_with_file
from longdoc.errors import UserError
from pipelines.cli.shared.options import option
from pipelines.engine.planning.options import changed

HELP = "YAML or JSON file of options; typed ones come first."


class ConfigOption:
    """`--config` of a command with the parameters `own_parameters`.

    `keys` are the own parameters that the file may set, with their types in the file, where names have no trailing `_`.
    The file may also set the options `offered_options`, or every argument of a run if there are none.
    """

    def __init__(
        self,
        command: str,
        own_parameters: Mapping[str, inspect.Parameter],
        keys: Mapping[str, Any],
        offered_options: Collection[str],
    ) -> None:
        self._command, self._keys, self._offered = command, dict(keys), offered_options
        self._required = {name for name in keys if own_parameters[name].default is inspect.Parameter.empty}

    def added(self, parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
        """The parameters and `--config`, none of them required, as the file may set them."""
        optional = [_optional(parameter) if parameter.name in self._required else parameter for parameter in parameters]
        annotation = Annotated[Path | None, option(HELP, "FILE")]
        parameter = inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        position = next((n for n, parameter in enumerate(optional) if parameter.name in ("dry_run", "as_json")), None)
        return [*optional[:position], parameter, *([] if position is None else optional[position:])]

    def merged(
        self, values: dict[str, Any], arguments: Mapping[str, Any], typed_names: Collection[str]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The values of the command's own parameters and the run's arguments, file and command line merged."""
        path = values.pop("config")
        file_arguments = {} if path is None else self._read(path)
        for name, kind in self._keys.items():
            key = name.removesuffix("_")
            if key in file_arguments:
                values[name] = _own_value(file_arguments.pop(key), kind, values[name] if name in typed_names else None)
            if name in self._required and values[name] is None:
                raise UserError(f"the {key} is missing: type it, or set it in a file and type --config FILE")
        rest = {name: value for name, value in file_arguments.items() if name not in values}
        return values, changed(rest, arguments)

    def _read(self, path: Path) -> dict[str, Any]:
        from pipelines.engine.planning.files import settings_file
        from pipelines.engine.planning.files.config_file import EXAMPLE, checked_arguments, run_types

        types = run_types()
        known_types = {name: types[name] for name in (self._offered or types)}
        known_types |= {name.removesuffix("_"): kind for name, kind in self._keys.items()}
        settings = settings_file.mapping(path, EXAMPLE)
        if name := next((name for name in settings if name in types and name not in known_types), None):
            raise UserError(f"{path}: longdoc {self._command} does not take {name}: leave it out")
        return checked_arguments(settings, known_types, path)


def _optional(parameter: inspect.Parameter) -> inspect.Parameter:
    kind, *metadata = get_args(parameter.annotation)
    return parameter.replace(annotation=Annotated[kind | None, *metadata], default=None)


def _own_value(file_value: Any, kind: Any, typed_value: Any) -> Any:
    """A parameter's value: the typed one, else the file's. For KEY=VALUE pairs both, the typed ones last."""
    if isinstance(file_value, dict) and kind == Mapping[str, Any]:
        pairs = [
            marked_with_file(f"{name}={json.dumps(value)}", file_of(file_value) or "")
            for name, value in file_value.items()
        ]
        return pairs + (typed_value or [])
    return file_value if typed_value is None else typed_value
