"""Prices for many models from one file (`prices_from`): what a million tokens cost, by model and kind.

    small-model: {input: 0.5, output: 2, cached: 0.05}
    anthropic:large-model: {input: 4, output: 20, cached: 0.4, cache_write: 5}

JSON, YAML or TOML have a mapping for each model; CSV has columns `model`, `input`, `output`, `cached`, `cache_write`,
of which the last two may be empty. A model is named as in `model=`, with or without the name of its API. Kinds are
those of `models.accounting.prices`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import models
from longdoc.errors import UserError, unknown
from longdoc.folders import expanded
from longdoc.registry import name_of
from models.accounting.prices import KINDS_NAMES, check_prices
from pipelines.engine.planning.files import settings_file
from pipelines.sources import csv_rows, reading

EXAMPLE = "MODEL: {input: 0.5, output: 1.5}"

Prices = Mapping[str, Mapping[str, float]]


def with_prices(reader: models.Reader, given_path: str | Path | None) -> models.Reader:
    """The reader with its prices of a file; as it is where none is given, and where it costs nothing.

    Raises `UserError` for a model behind an API that the file does not name, and for one that has prices already.
    """
    if given_path is None:
        return reader
    from models.apis._endpoint import Endpoint

    prices, name = read_prices(given_path), name_of(reader)
    if not isinstance(reader, Endpoint):
        if name in prices:
            raise UserError(f"{given_path}: {name} is no model behind an API, so it has no prices: leave it out")
        return reader
    if reader.prices:
        raise UserError(f"{name}:{reader.model} has prices= of its own: leave these out, or the file {given_path}")
    by_model = {
        _bare_text(text): values for text, values in prices.items() if _bare_text(text) == text or _api(text) == name
    }
    if reader.model not in by_model:
        raise UserError(f"{given_path}: {unknown('model', reader.model, by_model)}; a line is like {EXAMPLE}")
    return replace(reader, prices=dict(by_model[reader.model]))


def read_prices(given_path: str | Path) -> Prices:
    """The prices in a file, by model. Raises `UserError` for anything that is none, and for a model with two names."""
    path = reading.existing(expanded(given_path))
    if path.is_dir():
        raise UserError(f"prices_from={given_path} is a folder: pass the file")
    suffix = path.suffix.lower()
    found_prices = _rows(path) if suffix == ".csv" else _toml(path) if suffix == ".toml" else _mapping(path)
    for model, prices in found_prices.items():
        if not isinstance(prices, Mapping) or not prices:
            raise UserError(f"{path}: {model} needs its prices for a million tokens, as in {EXAMPLE}")
        check_prices(prices, f"{path}: {model}")
        if _bare_text(model) != model and _bare_text(model) in found_prices:
            raise UserError(f"{path}: {model} and {_bare_text(model)} are two names of one model: leave one out")
    if not found_prices:
        raise UserError(f"{path} names no model: a line is like {EXAMPLE}")
    return found_prices


def _mapping(path: Path) -> dict[str, Any]:
    return settings_file.mapping(path, EXAMPLE)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(reading.text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f'{path} is no TOML: {error}; write it as in ["MODEL"] and below it input = 0.5') from None


def _rows(path: Path) -> dict[str, dict[str, float]]:
    """The rows of a CSV file."""
    values: dict[str, dict[str, float]] = {}
    for _, location, row in csv_rows.rows(path, is_tsv=False):
        if wrong_names := [name for name in row if name not in ("model", *KINDS_NAMES)]:
            raise UserError(f"{path}: {unknown('column', wrong_names[0], ('model', *KINDS_NAMES))}")
        model = row.get("model", "").strip()
        if not model:
            raise UserError(f"{location}: a row needs its model, in a column model")
        if model in values:
            raise UserError(f"{location}: {model} is given twice; leave one out")
        values[model] = {kind: _number(row[kind], kind, location) for kind in KINDS_NAMES if row.get(kind, "").strip()}
    return values


def _number(cell: str, kind: str, location: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise UserError(f"{location}: {kind} is a number, for a million tokens, got {cell!r}") from None


def _api(model: str) -> str:
    """The API that a model's name begins with, "" where it names none."""
    before, colon, _ = model.partition(":")
    return before if colon and before in models.names() else ""


def _bare_text(model: str) -> str:
    """A model's name without its API's."""
    return model.partition(":")[2] if _api(model) else model
