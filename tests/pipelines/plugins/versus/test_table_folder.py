"""The folder of a table of ways: damaged, of another version, moved."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.plain_json import plain_fields
from pipelines.plugins.versus import table_folder
from pipelines.plugins.versus.given_predictions import write_given_predictions
from pipelines.results.ablations import ablation_file
from pipelines.results.ablations.ablation_file import AblationRecord
from pipelines.results.formats import ABLATION_FORMAT
from tests.pipelines.plugins.versus.made_up_runs import prediction, run

SYSTEMS = (("full", "whole", 40.0), ("rag", "retrieval", 60.0))


def predictions_in(path: Path) -> Path:
    """A folder with the predictions of two systems."""
    path.mkdir()
    for number, (_, _, score) in enumerate(SYSTEMS, 1):
        made_up_run = run([prediction("d1", score), prediction("d2", score)], {"d3": "SKIPPED"})
        write_given_predictions(path, f"given-{number}.json", made_up_run, 3)
    return path


def table_in(path: Path) -> Path:
    """A folder with a table of two systems whose predictions were given."""
    cells = [
        {
            "name": name, "settings": {}, "recipe": "", "folder": None, "error": None, "kind": kind, "line": name,
            "amount": "", "source": f"{name}.jsonl", "predictions": f"given-{number}.json",
        }
        for number, (name, kind, _) in enumerate(SYSTEMS, 1)
    ]  # fmt: skip
    record = AblationRecord("qa", "test", {}, "", None, cells, "", ["a note"])
    write(predictions_in(path) / "ablation.json", {"format": ABLATION_FORMAT, **plain_fields(record)})
    return path


def write(file: Path, record: dict[str, Any]) -> None:
    file.write_text(checked_json.dumps(record), encoding="utf-8")


def test_a_moved_folder_is_read_as_it_was_written(tmp_path: Path) -> None:
    moved = table_in(tmp_path / "v").rename(tmp_path / "moved")
    table = table_folder.read(moved)
    assert [(way.name, way.kind, way.scores, way.missing) for way in table.ways] == [
        ("full", "whole", {"f1": 40.0}, {"SKIPPED": 1}),
        ("rag", "retrieval", {"f1": 60.0}, {"SKIPPED": 1}),
    ]
    assert (table.examples, table.common_examples, table["rag"].differences["f1"].value) == (3, 2, 20)
    assert table.notes == ("a note",) and table.folder == moved


def test_a_damaged_file_of_predictions_is_a_way_that_failed(tmp_path: Path) -> None:
    path = table_in(tmp_path / "v")
    (path / "given-2.json").write_text('{"predictions": [{"id": 1}]}')
    table = table_folder.read(path)
    assert table["full"].scores == {"f1": 40.0} and "given-2.json is damaged" in str(table["rag"].error)


@pytest.mark.parametrize("change", [{"kind": "other way"}, {"line": None}, {"predictions": 3}, {"failures": [1]}])
def test_an_invalid_cell_is_refused_as_damaged(tmp_path: Path, change: dict[str, Any]) -> None:
    path = table_in(tmp_path / "v")
    record = json.loads((path / "ablation.json").read_text())
    record["cells"][0] |= change
    write(path / "ablation.json", record)
    with pytest.raises(UserError, match=r"ablation\.json is damaged"):
        table_folder.read(path)


def test_a_record_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = table_in(tmp_path / "v")
    record = json.loads((path / "ablation.json").read_text())
    write(path / "ablation.json", record | {"format": 99})
    with pytest.raises(UserError, match="upgrade longdoc"):
        table_folder.read(path)


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    assert not table_folder.is_here(tmp_path)
    with pytest.raises(UserError, match="holds no table of ways"):
        table_folder.read(tmp_path)


def test_a_table_of_given_predictions_alone_cannot_be_read_as_an_ablation(tmp_path: Path) -> None:
    path = table_in(tmp_path / "v")
    assert table_folder.is_here(path)
    with pytest.raises(UserError, match=r"longdoc report .* shows it"):
        ablation_file.read(path)
