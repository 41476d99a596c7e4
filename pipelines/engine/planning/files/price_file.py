"""Prices of many models in one file (`prices=FILE` of a reader): what a million tokens cost, by model and kind.

    small-model: {input: 0.5, output: 2, cached: 0.05}
    anthropic:large-model: {input: 4, output: 20, cached: 0.4, cache_write: 5}

JSON, YAML or TOML have a mapping for each model; CSV has columns `model`, `input`, `output`, `cached`, `cache_write`,
of which the last two may be empty. A model is named as in `model=`, with or without the name of its API. Kinds are
those of `models.accounting`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import models
from longdoc.errors import UserError, unknown
from longdoc.files import expanded
from longdoc.registry import name_of
from models.accounting import KINDS, check_prices
from pipelines.engine.planning.argument_types import ReaderSpec
from pipelines.engine.planning.files import settings_file
from pipelines.sources import csv_rows, reading

EXAMPLE = "MODEL: {input: 0.5, output: 1.5}"

Prices = Mapping[str, Mapping[str, float]]


def priced_reader(spec: ReaderSpec) -> models.Reader:
    """The reader of a spec, whose `prices` may be a file. Raises `UserError` for a model that is not in the file."""
    if isinstance(spec, str) and "prices=" in spec:
        name, fields = models.registry.parse(spec)
        spec = {**fields, "name": name}
    if not isinstance(spec, Mapping) or not isinstance(file := spec.get("prices"), (str, Path)):
        return models.get(spec)
    return _with_prices(models.get({name: value for name, value in spec.items() if name != "prices"}), file)


def _with_prices(reader: models.Reader, file: str | Path) -> models.Reader:
    """The reader with its prices in a file. Raises `UserError` for one that is not behind an API or not in the file."""
    from models.apis._endpoint import Endpoint

    prices_by_name, name = read_prices(file), name_of(reader)
    if not isinstance(reader, Endpoint):
        raise UserError(f"{name} is not a model behind an API, so it has no prices: leave prices= out")
    by_model = {_bare_name(model): prices for model, prices in prices_by_name.items() if _api(model) in ("", name)}
    if reader.model not in by_model:
        raise UserError(f"{file}: {unknown('model', reader.model, by_model)}; a line is like {EXAMPLE}")
    return replace(reader, prices=dict(by_model[reader.model]))


def read_prices(file: str | Path) -> Prices:
    """The prices in a file, by model as it is named there. Raises `UserError` for wrong prices, or one model twice."""
    path = reading.existing(expanded(file))
    if path.is_dir():
        raise UserError(f"prices={file} is a folder: pass the file")
    suffix = path.suffix.lower()
    by_model = _csv(path) if suffix == ".csv" else _toml(path) if suffix == ".toml" else _mapping(path)
    for model, prices in by_model.items():
        if not isinstance(prices, Mapping) or not prices:
            raise UserError(f"{path}: {model} needs its prices for a million tokens, as in {EXAMPLE}")
        check_prices(prices, f"{path}: {model}")
        if _bare_name(model) != model and _bare_name(model) in by_model:
            raise UserError(f"{path}: {model} and {_bare_name(model)} are two names of one model: leave one out")
    if not by_model:
        raise UserError(f"{path} has no models: write lines like {EXAMPLE}")
    return by_model


def _mapping(path: Path) -> dict[str, Any]:
    return settings_file.mapping(path, EXAMPLE)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(reading.text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f'{path} is not valid TOML: {error}; write ["MODEL"] and below it input = 0.5') from None


def _csv(path: Path) -> dict[str, dict[str, float]]:
    prices: dict[str, dict[str, float]] = {}
    for _, location, row in csv_rows.rows(path, is_tsv=False):
        if unknown_columns := [name for name in row if name not in ("model", *KINDS)]:
            raise UserError(f"{path}: {unknown('column', unknown_columns[0], ('model', *KINDS))}")
        model = row.get("model", "").strip()
        if not model:
            raise UserError(f"{location}: the row has no model: fill in the column model")
        if model in prices:
            raise UserError(f"{location}: {model} is given twice; leave one out")
        prices[model] = {kind: _number(row[kind], kind, location) for kind in KINDS if row.get(kind, "").strip()}
    return prices


def _number(cell: str, kind: str, location: str) -> float:
    """The price in a cell of a CSV file. Raises `UserError` for other text."""
    try:
        return float(cell)
    except ValueError:
        raise UserError(f"{location}: {kind} must be a number, the price of a million tokens, got {cell!r}") from None


def _api(model: str) -> str:
    """The API that a model's name begins with, "" where it begins with none."""
    prefix, colon, _ = model.partition(":")
    return prefix if colon and prefix in models.names() else ""


def _bare_name(model: str) -> str:
    """A model's name without its API."""
    return model.partition(":")[2] if _api(model) else model
