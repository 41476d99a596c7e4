"""A grid's file that is nested too deep, refers to itself, repeats a value, or has a number that is too large."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines.ablations.grid import Grid, parameter_grid
from pipelines.ablations.plan import check_size


def write_grid(folder: Path, text: str) -> Path:
    path = folder / "grid.yaml"
    path.write_text(text)
    return path


def test_a_grid_s_file_is_read_with_its_aliases(tmp_path: Path) -> None:
    grid = Grid.read(write_grid(tmp_path, "k: &some [1, 2]\nseed: *some\nmodel: extractive\n"))
    assert grid.axes == {"k": [1, 2], "seed": [1, 2], "model": "extractive"}


NINE = ",".join(["*{}"] * 9)
LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{i + 1}: &a{i + 1} [{NINE.format(*[f'a{i}'] * 9)}]\n" for i in range(9))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("k: " + "[" * 20_000 + "]" * 20_000, " is nested more than 32 deep: settings need three levels"),
        ("k: &a [1, *a]", ": *a refers to itself: write out the value"),
        ("&a\nk: [1]\nseed: *a", ": *a refers to itself: write out the value"),
        (LAUGHS, " has more than 262,144 values (an alias counts at every use): give fewer"),
        ("k: " + "9" * 5000, " has a value that cannot be read: Exceeds the limit (4300 digits) for integer string "
            "conversion: value has 5000 digits"),
        ("k: 0x" + "f" * 9000, ": k is a whole number that is too large; give one of at most 4,294,967,295"),
        ("k: [1, 99999999999999999999]", ": k is a whole number that is too large; give one of at most 4,294,967,295"),
        ("model: {name: t5, of: {dim: 99999999999}}", ": model is a whole number that is too large; give one of "
            "at most 4,294,967,295"),
        ("k: 2020-99-99", " has a value that cannot be read: month must be in 1..12"),
        ("k: 1\nseed: 2\nk: 3", ", line 3: k is given twice; leave one out"),
        ("- 1", " must hold a mapping, as in: k: [1, 2, 5]"),
    ],
)  # fmt: skip
def test_invalid_yaml_is_refused_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    path = write_grid(tmp_path, text)
    with pytest.raises(UserError) as error:
        Grid.read(path)
    assert str(error.value) == f"{path}{problem}"


def test_a_missing_or_oversized_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="is a folder; give a file"):
        Grid.read(tmp_path)
    with pytest.raises(UserError, match="is not the name of a file"):
        Grid.read("x" * 300)
    monkeypatch.setattr("pipelines.engine.planning.files.settings_file.LARGEST", 5)
    with pytest.raises(UserError, match="has 7 bytes: give a file of at most 5"):
        Grid.read(write_grid(tmp_path, "k: [1]\n"))


def test_a_list_of_99999_values_is_counted_and_refused_before_a_cell_is_made(tmp_path: Path) -> None:
    grid = Grid.read(write_grid(tmp_path, f"k: {list(range(1, 100_000))}\n"))
    grid = parameter_grid({"k"}, grid, {})
    message = r"^k \(99999\) = 99,999 cells: at most 10,000 cells can be compared at once; give shorter lists$"
    for yes in (False, True):
        with pytest.raises(UserError, match=message):
            check_size(str(grid), grid.size, yes)


def test_two_equal_values_among_99999_are_found(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="k has the value 7 twice"):
        parameter_grid({"k"}, Grid(axes={"k": [*range(100_000), 7]}), {})
