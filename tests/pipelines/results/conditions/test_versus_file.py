"""The folder of a table of ways: damaged, of another version, moved."""

import json
from pathlib import Path

import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.results.conditions import versus_file
from pipelines.results.conditions.versus_file import StoredCondition, StoredConditions
from tests.pipelines.results.conditions.made import prediction, run


def kept(path: Path) -> Path:
    """A folder with two systems whose predictions were given."""
    path.mkdir()
    for number, score in enumerate((40.0, 60.0), 1):
        found = run([prediction("d1", score), prediction("d2", score)], {"d3": "SKIPPED"})
        versus_file.write_given(path, f"given-{number}.json", found, 3)
    ways = [
        StoredCondition(name, kind, name, source=f"{name}.jsonl", given=f"given-{number}.json")
        for number, (name, kind) in enumerate((("full", "whole"), ("rag", "retrieval")), 1)
    ]
    versus_file.write(path, StoredConditions("qa", "test", ways, notes=["a note"]))
    return path


def test_what_was_written_is_read_wherever_the_folder_is(tmp_path: Path) -> None:
    moved = kept(tmp_path / "v").rename(tmp_path / "moved")
    found = versus_file.read(moved)
    assert [(one.name, one.kind, one.scores, one.missing) for one in found.ways] == [
        ("full", "whole", {"f1": 40.0}, {"SKIPPED": 1}),
        ("rag", "retrieval", {"f1": 60.0}, {"SKIPPED": 1}),
    ]
    assert (found.examples, found.common_examples, found["rag"].differences["f1"].value) == (3, 2, 20)
    assert found.notes == ("a note",) and found.folder == moved


def test_a_given_file_that_is_damaged_is_a_way_that_failed(tmp_path: Path) -> None:
    path = kept(tmp_path / "v")
    (path / "given-2.json").write_text('{"predictions": [{"id": 1}]}')
    found = versus_file.read(path)
    assert found["full"].scores == {"f1": 40.0} and "given-2.json is damaged" in str(found["rag"].error)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "ways": [{}]}'])
def test_a_damaged_record_is_an_error_with_what_to_do(tmp_path: Path, text: str) -> None:
    path = kept(tmp_path / "v")
    (path / "versus.json").write_text(text)
    with pytest.raises(UserError, match="start the same comparison again"):
        versus_file.read(path)


def test_a_record_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = kept(tmp_path / "v")
    record = json.loads((path / "versus.json").read_text())
    (path / "versus.json").write_text(checked_json.dumps(record | {"format": 99}))
    with pytest.raises(UserError, match="upgrade longdoc"):
        versus_file.read(path)


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no table of ways"):
        versus_file.read(tmp_path)
