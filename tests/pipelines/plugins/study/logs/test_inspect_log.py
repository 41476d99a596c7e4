"""Logs of inspect_ai: letters, lists and mappings, epochs, traps and damage."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.scorer import value_to_float

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.study.logs import inspect_log as reader
from pipelines.plugins.study.logs.formats import read


def test_letters_and_words_are_mapped_as_inspect_ai_maps_them(inspect_log: Any) -> None:
    values = ["C", "I", "P", "N", "yes", "No", "true", "FALSE", "0.25", True, 3]
    path = inspect_log("letters.json", {(number, 1): {"match": value} for number, value in enumerate(values)})
    to_float = value_to_float()
    assert list(read(path).sample_scores("match")) == [to_float(value) for value in values]


def test_mappings_and_lists_are_scores_of_their_own(inspect_log: Any) -> None:
    path = inspect_log("d.json", {(1, 1): {"a": {"f1": 0.5, "em": "C"}, "b": {"f1": 1}, "c": [1, "I"], "d": "what?"}})
    log = read(path)
    assert {name: log.sample_scores(name)[0] for name in log.scores if name != "d"} == {
        "a/f1": 0.5, "em": 1, "b/f1": 1, "c.0": 1, "c.1": 0,
    }  # fmt: skip
    assert f"{path}: some values are not numbers (1 of d)" in log.notes


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_epochs_of_unequal_number_count_by_sample(inspect_log: Any, ending: str) -> None:
    samples = {(key, epoch): {"match": value} for key, epoch, value in
               [("a", 1, "C"), ("a", 2, "I"), ("b", 1, "C"), ("c", 1, "I"), ("c", 2, "I"), ("c", 3, "C")]}  # fmt: skip
    log = read(inspect_log(f"log.{ending}", samples))
    assert (log.ids, log.repeats) == (["a", "b", "c"], (1, 3))
    assert list(log.sample_scores("match")) == pytest.approx([0.5, 1, 1 / 3])


def test_samples_are_in_the_order_of_the_data_set(inspect_log: Any) -> None:
    keys = [("b", 1), ("b", 2), (10, 1), (9, 1), ("a", 1)]
    for ending in ("eval", "json"):
        log = read(inspect_log(f"log.{ending}", {key: {"match": number / 4} for number, key in enumerate(keys)}))
        ids = ["b", "10", "9", "a"] if ending == "eval" else ["9", "10", "a", "b"]  # inspect_ai sorts those of JSON
        assert (log.ids, log.sample_scores("match")[log.numbers["b"]]) == (ids, 0.125)


def test_metadata_are_clusters_and_another_question_of_one_id_is_refused(inspect_log: Any, tmp_path: Path) -> None:
    samples = {(n, 1): {"match": "CI"[n % 2]} for n in range(12)}
    a = inspect_log("a.eval", samples, {n: {"document": "long text " * 20 + str(n // 2)} for n in range(12)})
    b = inspect_log("b.eval", {key: {"match": "C"} for key in samples})
    comparison = pipelines.compare(a, b)
    assert (comparison.task, comparison.documents, comparison.b.scores["match"]) == ("towns", 6, 100)
    changed = tmp_path / "b.json"
    unchanged = inspect_log("b.json", {key: {"match": "C"} for key in samples})
    changed.write_text(unchanged.read_text(encoding="utf-8").replace("question 3", "another"), encoding="utf-8")
    with pytest.raises(UserError, match=r"the sample '3' is another question in .*b\.json than in"):
        pipelines.compare(a, changed)


def test_a_log_that_was_cancelled_says_so(inspect_log: Any) -> None:
    path = inspect_log("log.eval", {(1, 1): {"match": "C"}}, status="cancelled")
    assert read(path).notes == [
        f"{path}: the evaluation did not finish (cancelled), so only the samples in the log count"
    ]


def test_logs_that_were_cut_off_are_refused(inspect_log: Any) -> None:
    for ending, message in (
        ("eval", "File is not a zip file.*inspect log recover"),
        ("json", r"cannot be read \(.*\): it may be damaged; copy it again"),
    ):
        path = inspect_log(f"cut.{ending}", {(n, 1): {"match": "C"} for n in range(5)})
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(UserError, match=message):
            read(path)


def test_another_version_of_the_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('{"version": 99, "status": "success", "eval": {}}', encoding="utf-8")
    with pytest.raises(UserError, match=r"cannot be read \(.*\): it may be damaged"):
        read(path)


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.eval"
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * (1 << 20))
    content = memory.getvalue()
    size = (1 << 20).to_bytes(4, "little")
    assert content.count(size) == 2  # in the member's head and in the list of members
    bomb.write_bytes(content.replace(size, (2**32 - 2).to_bytes(4, "little")))
    with pytest.raises(UserError, match="becomes more than"):
        read(bomb)


def test_a_json_log_that_is_too_large_names_the_conversion(inspect_log: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = inspect_log("large.json", {(1, 1): {"match": "C"}})
    monkeypatch.setattr(reader, "MAX_JSON", 10)
    with pytest.raises(UserError, match="inspect log convert"):
        reader.read(path)
