"""`for_each`: a test that runs for many values as one case."""

from pathlib import Path

import pytest

from tests.turns import for_each


def test_all_failing_values_are_named_and_the_others_run() -> None:
    seen = []

    @for_each(("word", "length"), [("bee", 3), ("clock", 4), pytest.param("ship", 5, id="a ship"), ("oak", 3)])
    def check_length(word: str, length: int) -> None:
        seen.append(word)
        assert len(word) == length

    with pytest.raises(ExceptionGroup, match=r"^2 of 4 failed: 'clock', 4; 'ship', 5$") as failed:
        check_length()
    assert seen == ["bee", "clock", "ship", "oak"]
    assert failed.value.exceptions[0].__notes__ == ["with 'clock', 4"]


def test_a_function_gives_the_values_when_the_test_runs() -> None:
    numbers: list[int] = []

    @for_each("number", lambda: numbers)
    def check_even(number: int) -> None:
        assert number % 2 == 0

    with pytest.raises(AssertionError, match="no value to test with"):
        check_even()
    numbers += [2, 3]
    with pytest.raises(ExceptionGroup, match=r"^1 of 2 failed: 3$"):
        check_even()


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
def test_it_can_be_combined_with_parametrize_and_nested(first: int, second: int, third: int) -> None:
    assert first < second < third


def test_a_case_is_skipped_if_every_value_is_skipped() -> None:
    @for_each("number", [1, 2])
    def skip_large(number: int, limit: int) -> None:
        if number > limit:
            pytest.skip("too large")

    with pytest.raises(pytest.skip.Exception, match=r"^too large$"):
        skip_large(limit=0)
    with pytest.warns(UserWarning, match=r"^skipped for 1 of 2 values: too large$"):
        skip_large(limit=1)
