"""The option `--config`: arguments of a command from a YAML or JSON file. What is typed beside it wins."""

import inspect
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

from longdoc.errors import UserError
from longdoc.file_values import file_of, marked_with_file
from pipelines.cli.shared.options import option
from pipelines.engine.planning.options import changed

HELP = "A YAML or JSON file of these arguments, under Python's names; what is typed wins."


class ConfigOption:
    """`--config` of a command with the parameters `own`.

    `keys` are those of them that the file may have, with their types there; a name that ends in `_` is without it in
    the file. The file may also have the options `offered`; where these are empty, every argument of a run.
    """

    def __init__(
        self,
        command: str,
        own_values: Mapping[str, inspect.Parameter],
        keys: Mapping[str, Any],
        offered_names: Collection[str],
    ) -> None:
        self._command, self._keys, self._offered_values = command, dict(keys), offered_names
        self._required = {name for name in keys if own_values[name].default is inspect.Parameter.empty}

    def added(self, parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
        """The parameters with `--config`, before those of how a result is printed; none of the keys is required."""
        optional = [_optional(parameter) if parameter.name in self._required else parameter for parameter in parameters]
        annotation = Annotated[Path | None, option(HELP, "FILE")]
        parameter = inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        position = next((n for n, parameter in enumerate(optional) if parameter.name in ("dry_run", "as_json")), None)
        return [*optional[:position], parameter, *([] if position is None else optional[position:])]

    def merged(
        self, values: dict[str, Any], arguments: Mapping[str, Any], typed_names: Collection[str]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The values of the command's own parameters, and the run's arguments that were given. Raises `UserError`."""
        path = values.pop("config")
        found_values = {} if path is None else self._read(path)
        for name, kind in self._keys.items():
            key = name.removesuffix("_")
            if key in found_values:
                values[name] = _own_value(found_values.pop(key), kind, values[name] if name in typed_names else None)
            if name in self._required and values[name] is None:
                raise UserError(f"the {key} is missing: type it, or name a file that has it, --config FILE")
        rest = {name: value for name, value in found_values.items() if name not in values}
        return values, changed(rest, arguments)

    def _read(self, path: Path) -> dict[str, Any]:
        from pipelines.engine.planning.files import settings_file
        from pipelines.engine.planning.files.config_file import EXAMPLE, checked_arguments, run_types

        kinds_values = run_types()
        known_fields = {name: kinds_values[name] for name in (self._offered_values or kinds_values)}
        known_fields |= {name.removesuffix("_"): kind for name, kind in self._keys.items()}
        names = settings_file.mapping(path, EXAMPLE)
        if name := next((name for name in names if name in kinds_values and name not in known_fields), None):
            raise UserError(f"{path}: longdoc {self._command} takes no {name}: leave it out")
        return checked_arguments(names, known_fields, path)


def _optional(parameter: inspect.Parameter) -> inspect.Parameter:
    kind, *metadata = get_args(parameter.annotation)
    return parameter.replace(annotation=Annotated[kind | None, *metadata], default=None)


def _own_value(found_value: Any, kind: Any, typed_value: Any) -> Any:
    """The value of a parameter: what was typed, else the file's. Of pairs KEY=VALUE both count, the typed ones last."""
    if isinstance(found_value, dict) and kind == Mapping[str, Any]:
        pairs = [
            marked_with_file(f"{name}={json.dumps(value)}", file_of(found_value) or "")
            for name, value in found_value.items()
        ]
        return pairs + (typed_value or [])
    return found_value if typed_value is None else typed_value
