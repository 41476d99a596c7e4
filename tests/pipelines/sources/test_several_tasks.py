import zipfile
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.sources.several_tasks import find_task


def find(folder: Path, task: str, split: str | None = None) -> str:
    one = tasks.get(task)
    return find_task(folder, one.name, one.dataset, split or one.split).relative_to(folder).as_posix()


@pytest.mark.parametrize(
    ("task", "file"),
    [
        ("vlsp", "vlsp_test.json.bz2"),
        ("vlsp", "data/vlsp_test.json"),
        ("vlsp", "vlsp_test.jsonl"),
        ("vlsp", "vlsp.jsonl"),
        ("character_types", "character_id_test.json"),
        ("scrolls/qmsum", "qmsum.zip"),
        ("longbench/qasper", "qasper.jsonl"),
        ("longbench/qasper", "data.zip"),
    ],
)
def test_a_task_s_file_is_found_packed_and_unpacked(task: str, file: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("{}")
    assert find(tmp_path, task) == file


@pytest.mark.parametrize(
    ("task", "file", "path"),
    [
        ("vlsp", "data/vlsp_test.json.bz2", "."),
        ("character_types", "data/character_id_test.json.bz2", "."),
        ("scrolls/qmsum", "qmsum/validation.jsonl", "qmsum"),
        ("longbench/qasper", "data/qasper.jsonl", "data"),
    ],
)
def test_a_file_that_lies_as_published_is_read_with_the_splits_beside_it(
    task: str, file: str, path: str, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_text("{}")
    assert find(tmp_path, task) == path


@pytest.mark.parametrize(
    ("task", "folder"),
    [
        ("vlsp", "vlsp"),
        ("character_types", "character_id"),
        ("qa", "qa"),
        ("scrolls/qmsum", "qmsum"),
        ("scrolls/qmsum", "scrolls-qmsum"),
    ],
)
def test_a_folder_that_is_called_as_the_task_holds_its_data(task: str, folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    assert find(tmp_path, task) == folder


def test_a_file_that_is_called_as_a_split_is_no_task_s(tmp_path: Path) -> None:
    (tmp_path / "validation.jsonl").write_text("{}")
    with pytest.raises(UserError, match=r"has no data of scrolls/qmsum; expected qmsum.zip or a folder qmsum"):
        find(tmp_path, "scrolls/qmsum")


def test_the_split_decides_which_file_is_meant(tmp_path: Path) -> None:
    (tmp_path / "narrativeqa_validation.json.bz2").write_text("{}")
    assert find(tmp_path, "narrativeqa", "dev") == "narrativeqa_validation.json.bz2"
    with pytest.raises(UserError, match=r"expected data/narrativeqa_test.json.bz2 or a folder narrativeqa"):
        find(tmp_path, "narrativeqa")


def test_one_zip_can_serve_all_tasks_and_other_single_files_cannot(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("data/qasper.jsonl", "{}")
    one = tasks.get("longbench/qasper")
    assert find_task(tmp_path / "data.zip", one.name, one.dataset, "test") == tmp_path / "data.zip"
    (tmp_path / "rows.jsonl").write_text("{}")
    with pytest.raises(UserError, match=r"is a file; with several tasks, say whose it is"):
        find_task(tmp_path / "rows.jsonl", one.name, one.dataset, "test")
    with pytest.raises(UserError, match="does not exist"):
        find_task(tmp_path / "nowhere", one.name, one.dataset, "test")


def test_lara_s_file_of_a_task_is_the_one_of_its_level(tmp_path: Path) -> None:
    for level in ("location", "reasoning"):
        (tmp_path / f"32k_book_{level}.jsonl").write_text("{}")
    assert find(tmp_path, "lara/location") == "32k_book_location.jsonl"
    with pytest.raises(UserError, match=r"no data of lara/comparison in .*: expected a file LENGTH_TYPE_LEVEL"):
        find(tmp_path, "lara/comparison")
