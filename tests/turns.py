"""One case for a behaviour and many values: the test runs for each of them, and what fails is named with all values."""

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]
LONGEST = 120  # characters of a value that are shown


def for_each(
    names: str | tuple[str, ...], values: Iterable[Any] | Callable[[], Iterable[Any]]
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but one case: a new `tmp_path` and `monkeypatch` each time, and no output left.

    A function that gives the values, where they take long to make, is called when the test runs.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    known = () if callable(values) else [plain(value, len(arguments)) for value in values]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def every(**fixtures: Any) -> None:
            errors: list[BaseException] = []
            failed: list[str] = []
            skips: list[str] = []
            rows = [plain(value, len(arguments)) for value in values()] if callable(values) else known
            assert rows or not callable(values), "no value to test with"
            for number, row in enumerate(rows):
                try:
                    turn(test, dict(zip(arguments, row, strict=True)), fixtures, number)
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
        others = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        every.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return every

    return decorate


def turn(test: Test, row: dict[str, Any], fixtures: dict[str, Any], number: int) -> None:
    """Run a test with one row of values, apart from what the rows before it left."""
    with pytest.MonkeyPatch.context() as patch:
        given = dict(fixtures)
        if "monkeypatch" in given:
            given["monkeypatch"] = patch
        if "tmp_path" in given:
            given["tmp_path"] = Path(given["tmp_path"]) / str(number)
            given["tmp_path"].mkdir()
        for output in {"capsys", "capfd"} & set(given):
            given[output].readouterr()
        test(**row, **given)


def plain(value: Any, count: int) -> tuple[Any, ...]:
    """The values of a row, those of `pytest.param` and a single one too."""
    if hasattr(value, "marks"):  # pytest.param(...)
        assert not value.marks, "a mark is for a whole case: use pytest.mark.parametrize"
        return tuple(value.values)
    return (value,) if count == 1 else tuple(value)


def shown(row: tuple[Any, ...]) -> str:
    texts = map(repr, row)
    return ", ".join(text if len(text) <= LONGEST else f"{text[:LONGEST]} …" for text in texts)
