"""A test that runs for each of many values in one case."""

from pathlib import Path

import pytest

from tests.turns import for_each


def test_all_values_that_fail_are_named_and_the_others_run() -> None:
    seen = []

    @for_each(("word", "length"), [("bee", 3), ("clock", 4), pytest.param("ship", 5, id="a ship"), ("oak", 3)])
    def counted(word: str, length: int) -> None:
        seen.append(word)
        assert len(word) == length

    with pytest.raises(ExceptionGroup, match=r"^2 of 4 failed: 'clock', 4; 'ship', 5$") as failed:
        counted()
    assert seen == ["bee", "clock", "ship", "oak"]
    assert failed.value.exceptions[0].__notes__ == ["with 'clock', 4"]


def test_a_function_gives_the_values_when_the_test_runs() -> None:
    given: list[int] = []

    @for_each("number", lambda: given)
    def even(number: int) -> None:
        assert number % 2 == 0

    with pytest.raises(AssertionError, match="no value to test with"):
        even()
    given += [2, 3]
    with pytest.raises(ExceptionGroup, match=r"^1 of 2 failed: 3$"):
        even()


@for_each("name", ["a", "b"])
def test_each_value_has_a_folder_an_environment_and_an_output_of_its_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).touch()
    assert "LONGDOC_TURN" not in os.environ
    monkeypatch.setenv("LONGDOC_TURN", name)
    assert capsys.readouterr().out == ""
    print(name)


@pytest.mark.parametrize("first", [1, 2])
@for_each("second", [3, 4])
@for_each("third", [5, 6])
def test_it_stands_beside_parametrize_and_within_itself(first: int, second: int, third: int) -> None:
    assert first < second < third


def test_it_is_skipped_where_each_value_is() -> None:
    @for_each("number", [1, 2])
    def skipped(number: int, least: int) -> None:
        if number > least:
            pytest.skip("too large")

    with pytest.raises(pytest.skip.Exception, match=r"^too large$"):
        skipped(least=0)
    with pytest.warns(UserWarning, match=r"^skipped for 1 of 2 values: too large$"):
        skipped(least=1)
