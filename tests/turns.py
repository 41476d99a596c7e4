"""Runs a test for many values as one case of pytest; a failure names every value that failed."""

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]
LONGEST = 120  # how many characters of a value are shown


def for_each(
    names: str | tuple[str, ...], values: Iterable[Any] | Callable[[], Iterable[Any]]
) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but one case: each row has a new `tmp_path` and `monkeypatch`, and empty output.

    `values` may be a function, which is called when the test runs, for values that take long to make.
    """
    parameter_names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    fixed_rows = () if callable(values) else [row_of(value, len(parameter_names)) for value in values]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run_all(**fixtures: Any) -> None:
            errors: list[BaseException] = []
            failed: list[str] = []
            skips: list[str] = []
            rows = [row_of(value, len(parameter_names)) for value in values()] if callable(values) else fixed_rows
            assert rows or not callable(values), "no value to test with"
            for number, row in enumerate(rows):
                try:
                    turn(test, dict(zip(parameter_names, row, strict=True)), fixtures, number)
                except pytest.skip.Exception as skip:
                    skips.append(str(skip))
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"with {shown(row)}")
                    errors.append(error)
                    failed.append(shown(row))
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(rows)} failed: {'; '.join(failed)}", errors)
            if skips:
                reasons = "; ".join(dict.fromkeys(skips))
                if len(skips) == len(rows):
                    pytest.skip(reasons)
                warnings.warn(f"skipped for {len(skips)} of {len(rows)} values: {reasons}", stacklevel=1)

        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in parameter_names]
        run_all.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run_all

    return decorate


def turn(test: Test, row: dict[str, Any], fixtures: dict[str, Any], number: int) -> None:
    """Run a test with one row of values, isolated from earlier rows."""
    with pytest.MonkeyPatch.context() as patch:
        row_fixtures = dict(fixtures)
        if "monkeypatch" in row_fixtures:
            row_fixtures["monkeypatch"] = patch
        if "tmp_path" in row_fixtures:
            row_fixtures["tmp_path"] = Path(row_fixtures["tmp_path"]) / str(number)
            row_fixtures["tmp_path"].mkdir()
        for output in {"capsys", "capfd"} & set(row_fixtures):
            row_fixtures[output].readouterr()
        test(**row, **row_fixtures)


def row_of(value: Any, count: int) -> tuple[Any, ...]:
    """A row as a tuple of `count` values; it may be given as a tuple, a `pytest.param` or a single value."""
    if hasattr(value, "marks"):  # pytest.param(...)
        assert not value.marks, "a mark is for a whole case: use pytest.mark.parametrize"
        return tuple(value.values)
    return (value,) if count == 1 else tuple(value)


def shown(row: tuple[Any, ...]) -> str:
    """A row's values as they stand in messages."""
    texts = map(repr, row)
    return ", ".join(text if len(text) <= LONGEST else f"{text[:LONGEST]} …" for text in texts)
