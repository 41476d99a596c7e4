"""Choosing the learning rate on the validation examples: each is trained with in turn, and the best reader is kept."""

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.training import Course, _ranks

DONE = "figures.json"


def searched(recipe: Any, course: Course) -> Mapping[str, Any]:
    """Teach by a recipe, with each of its `learning_rates` if it has any. Gives the figures of what is kept.

    Every rate has a folder among the checkpoints, so that a search that was broken off goes on. Raises `UserError`
    without validation examples.
    """
    rates = getattr(recipe, "learning_rates", ())
    if not rates:
        figures: Mapping[str, Any] = recipe(course)
        return figures
    if not course.validation:
        raise UserError("learning_rates are compared on validation examples, and there are none: give learning_rate")
    tried: dict[float, float] = {}
    kept: tuple[float, Mapping[str, Any]] | None = None
    for rate in rates:
        place = course.checkpoints / f"{rate:g}"
        figures = _one(recipe, course, rate, place)
        tried[rate] = validated(figures)[1]
        worse = place
        if kept is None or _cost(figures) < _cost(kept[1]):
            worse = place if kept is None else course.checkpoints / f"{kept[0]:g}"
            kept = rate, figures
        if worse.name != f"{kept[0]:g}":
            _ranks.once(shutil.rmtree, worse / "reader", ignore_errors=True)
    assert kept is not None
    best, figures = kept
    _ranks.once(shutil.copytree, course.checkpoints / f"{best:g}" / "reader", course.out, dirs_exist_ok=True)
    return {**figures, "learning rate": best, "tried": {f"{rate:g}": value for rate, value in tried.items()}}


def validated(figures: Mapping[str, Any]) -> tuple[str, float]:
    """The name and the value of the figure by which trainings are compared; lower is better of a loss."""
    known = {name: value for name, value in figures.items() if name.startswith(("best ", "last "))}
    known.pop("best step", None)
    ((name, value),) = known.items()
    return name, float(value)


def _cost(figures: Mapping[str, Any]) -> float:
    """Lower is better; a training that came to nothing (not a number) is the worst."""
    name, value = validated(figures)
    if math.isnan(value):
        return math.inf
    return value if name.endswith("loss") else -value


def _one(recipe: Any, course: Course, rate: float, place: Path) -> Mapping[str, Any]:
    if (place / DONE).is_file():
        return _known(place)
    course.report(f"learning rate {rate:g}")
    one = replace(course, out=place / "reader", checkpoints=place / "checkpoints")
    figures = dict(replace(recipe, learning_rate=rate, learning_rates=())(one))
    _ranks.once(_finish, place, figures)
    return figures


def _known(place: Path) -> dict[str, Any]:
    """The figures of a rate that was tried earlier. Raises `UserError` where the file is damaged."""
    try:
        figures = plain_json.loads((place / DONE).read_bytes())
        record_checks.check(figures, {})
        validated(figures)
    except (ValueError, TypeError, OverflowError) as error:
        told = f"{place / DONE} is damaged ({error})"
        raise UserError(f"{told}: delete {place}, and start the same training again") from None
    return dict(figures)


def _finish(place: Path, figures: Mapping[str, Any]) -> None:
    write_whole(place, DONE, json.dumps(figures))
    shutil.rmtree(place / "checkpoints", ignore_errors=True)
