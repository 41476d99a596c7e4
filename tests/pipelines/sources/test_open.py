"""Where data may come from, and what is refused."""

import bz2
import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.tasks import DATASETS
from pipelines.records import Document, Example
from pipelines.sources.layouts import reads_by_document

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ROW = {"input": "Who came? Anna came.", "output": "Anna"}


def load(data: Any = None, task: str = "narrativeqa", split: str = "test", **more: Any) -> sources.Dataset:
    return sources.load(task, DATASETS[task], data, split, **more)


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache that the hub client uses, offline."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path / "hub"


def store(cache: Path, name: str, data: bytes) -> None:
    """A file as the hub client lays it out: a blob, and a snapshot of a commit that links to it."""
    repository = cache / "datasets--ghomasHudson--muld"
    blob, link = repository / "blobs" / name.replace("/", "_"), repository / "snapshots" / COMMIT / name
    for path in (blob, link, repository / "refs" / "main"):
        path.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(data)
    link.symlink_to(blob)
    (repository / "refs" / "main").write_text(COMMIT)


def test_published_files_come_from_the_hub_cache_with_the_commit_that_they_are_of(cache: Path) -> None:
    store(cache, "data/narrativeqa_test.json.bz2", bz2.compress(lines(ROW, ROW).encode()))
    data = load()
    assert data.fingerprint == {
        "repository": "ghomasHudson/muld",
        "revision": COMMIT,
        "files": ["data/narrativeqa_test.json.bz2"],
    }
    assert data.expected == 10_261
    assert [example.id for example in data.examples()] == ["test-1", "test-2"]
    assert data.warnings == ["2 examples read where the paper's table counts 10,261"]
    assert load(revision=COMMIT).fingerprint["revision"] == COMMIT


def test_a_stopped_pass_does_not_warn_of_the_count(cache: Path) -> None:
    store(cache, "data/hotpotqa_validation.json.bz2", bz2.compress(lines(ROW, ROW).encode()))
    data = load(task="hotpotqa", split="dev")
    next(data.examples())
    assert data.warnings == []


def test_published_files_that_are_not_in_the_cache_are_refused_with_the_ways_to_get_them(cache: Path) -> None:
    with pytest.raises(UserError, match=r'narrativeqa_test.json.bz2 is not in the hub cache.*data="sample"'):
        load()


def test_a_split_that_was_not_published_names_those_that_were(cache: Path) -> None:
    with pytest.raises(UserError, match="hotpotqa has no published split 'test'; it has train, validation"):
        load(task="hotpotqa")
    with pytest.raises(UserError, match="the task qa has no published files; pass data=FILE or data=FOLDER"):
        sources.load("qa", sources.DatasetInfo("", {}, "rows", {}))


def test_the_facts_are_the_paper_s_counts_and_the_hub_s_files() -> None:
    assert DATASETS["narrativeqa"].counts == {"train": 32_159, "validation": 3_461, "test": 10_261}
    assert DATASETS["hotpotqa"].counts == {"train": 87_752, "validation": 7_405}
    assert DATASETS["character_types"].counts == {"train": 1_256, "validation": 167, "test": 86}  # not the paper's
    assert DATASETS["character_types"].count_source == "the published set"
    assert DATASETS["narrativeqa"].count_source == "the paper's table"
    for task, facts in DATASETS.items():
        assert facts.counts.keys() <= facts.files.keys()
        stem = {"character_types": "character_id"}.get(task, task)
        for split, names in facts.files.items():
            assert names == (f"data/{stem}_{split}.json.bz2",)


def test_a_copy_of_the_published_folder_gives_the_task_s_own_file(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("narrativeqa_test", "narrativeqa_train", "hotpotqa_validation"):
        rows = lines({**ROW, "output": name})
        (tmp_path / "data" / f"{name}.json.bz2").write_bytes(bz2.compress(rows.encode()))
    for folder in (tmp_path, tmp_path / "data"):
        assert next(load(folder).examples()).references == ("narrativeqa_test",)
        assert next(load(folder, "hotpotqa", "validation").examples()).references == ("hotpotqa_validation",)


@pytest.mark.parametrize("name", ["my_dev.jsonl", "val.jsonl", "validation-00000-of-00001.json", "x.valid.jsonl"])
def test_of_several_files_the_one_named_by_the_split_is_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.jsonl").write_text(lines({**ROW, "output": "train"}))
    (tmp_path / name).write_text(lines({**ROW, "output": "dev"}))
    data = load(tmp_path, split="validation")
    assert next(data.examples()).references == ("dev",)
    assert data.fingerprint["files"][0]["name"] == name
    assert data.fingerprint["size"] == (tmp_path / name).stat().st_size


def test_files_between_which_the_split_does_not_decide_are_listed(tmp_path: Path) -> None:
    for name in ("a_dev.jsonl", "b_dev.jsonl"):
        (tmp_path / name).write_text(lines(ROW))
    with pytest.raises(
        UserError, match=r"several have it in their names: a_dev.jsonl, b_dev.jsonl. Pass the path of one"
    ):
        load(tmp_path, split="validation")
    with pytest.raises(UserError, match=r"has the split 'test'; none has it in its name: a_dev.jsonl, b_dev.jsonl"):
        load(tmp_path)


def test_a_missing_part_of_a_table_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "test-00000-of-00002.parquet").touch()
    with pytest.raises(UserError, match="has 1 of 2 parts"):
        load(tmp_path)


def test_a_file_named_by_another_split_is_read_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "muld_validation.json").write_text(lines(ROW))
    data = load(tmp_path / "muld_validation.json")
    assert data.warnings == ["muld_validation.json is read as the split 'test'"]
    list(data.examples())
    assert data.warnings == ["muld_validation.json is read as the split 'test'"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b"", "a.jsonl is empty"),
        ("a.jsonl", b"\n \n", "a.jsonl has no rows"),
        ("a.json", b"[]", "a.json has no rows"),
        ("a.json.bz2", b"not compressed at all", "a.json.bz2 cannot be read: Invalid data stream"),
        ("a.parquet", b"not parquet at all", "a.parquet is not Parquet, or is damaged"),
        ("a.xyz", b"%PDF", "a.xyz is not a supported kind of file; supported: .jsonl, .json, .csv, .tsv, .parquet"),
        ("a.xls", b"%PDF", r"a.xls is a spreadsheet; save it as CSV .*soffice --headless --convert-to csv a.xls"),
        (
            "a.jsonl",
            b'{"text": "x", "summary": 1}',
            "a.jsonl:1: .*cannot read this row; its fields: text, summary; the closest match is",
        ),
        (
            "a.jsonl",
            b'{"question": "x", "contexts": [["t", ["s"]]]}',
            "a.jsonl:1: the task narrativeqa cannot read this row",
        ),
    ],
)
def test_a_file_without_readable_data_is_refused_at_once(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=message):
        load(tmp_path / name)


def test_a_missing_path_and_a_folder_without_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no 'rows.jsonl'"):
        load(str(tmp_path / "rows.jsonl"))
    (tmp_path / "a.xls").touch()
    with pytest.raises(UserError, match=r"has no data that narrativeqa can read; it has: a.xls. Accepted: MuLD's"):
        load(tmp_path)


def example(name: str, document: Document, **more: Any) -> Example:
    return Example(name, document, "Who?", ("Anna",), **more)


def test_examples_are_grouped_by_document() -> None:
    a, b, again = Document("a", "Anna came."), Document("b", "Bertha left."), Document("a", "Anna came.")
    data = load(example(name, document) for name, document in [("1", a), ("2", b), ("3", again)])
    for _ in range(2):
        examples = list(data.examples())
        assert [one.id for one in examples] == ["1", "3", "2"]
        assert examples[0].document is examples[1].document is a


def test_the_fingerprint_of_examples_changes_with_anything_that_they_hold() -> None:
    base = [example("1", Document("a", "Anna came."))]
    others = [
        [example("1", Document("a", "Anna left."))],
        [example("1", Document("a", "Anna came."), evidence=((0, 4),))],
        [example("1", Document("a", "Anna came."), meta={"x": 1})],
        [example("2", Document("a", "Anna came."))],
    ]
    digests = {load(examples).fingerprint["sha256"] for examples in [base, list(base), *others]}
    assert len(digests) == 5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "data= has no examples"),
        ([1], "item 1 of data= is a int, not an Example"),
        ([example("1", Document("a", " "))], "example '1': the document is empty"),
        ([example("1", Document("a", "x")), example("2", Document("a", "y"))], "two documents have the id 'a'"),
        ({"document": "x"}, "data= must be a path"),
        (b"x", "data= must be .*; got bytes"),
        (3, "data= must be .*; got int"),
    ],
)
def test_other_objects_are_refused_with_what_is_accepted(data: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load(data)


def test_a_revision_goes_with_published_files_only(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="revision='main' is for the published files"):
        load(tmp_path, revision="main")


@pytest.mark.parametrize(("task", "split"), [("narrativeqa", "test"), ("hotpotqa", "validation")])
def test_the_sample_is_the_bundled_one_grouped_by_document(task: str, split: str) -> None:
    data = load("sample", task, split)
    examples = list(data.examples())
    runs = [one.document.id for n, one in enumerate(examples) if n == 0 or one.document is not examples[n - 1].document]
    assert len(runs) == len(set(runs))
    assert (data.fingerprint["sample"], data.fingerprint["examples"]) == (task, len(examples))
    assert (data.expected, data.warnings) == (None, [])


@pytest.mark.parametrize(("task", "split"), [("qa", "nonsense"), ("narrativeqa", "train"), ("hotpotqa", "test")])
def test_the_sample_has_one_split_a_task(task: str, split: str) -> None:
    with pytest.raises(UserError, match=f"the bundled sample has no split {split!r} of {task}, only"):
        sources.load(task, DATASETS["narrativeqa"], "sample", split)


def test_the_samples_splits_are_those_that_the_tasks_score() -> None:
    from pipelines import tasks
    from pipelines.sources.bundled import QUESTION_KINDS, SPLITS

    assert {name: tasks.get(name).split for name in QUESTION_KINDS} == SPLITS


def test_an_unknown_split_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(lines(ROW))
    for data in (path, tmp_path, [Example("a", Document("d", "text"))]):
        with pytest.raises(UserError, match="unknown split of narrativeqa 'trian'; did you mean train"):
            load(data, split="trian")
    with pytest.raises(UserError, match="'nonsense'; known: test, train, validation"):
        load(path, split="nonsense")
    assert next(load(path, split="dev").examples()).id == "validation-1"


def test_a_dataset_may_name_its_splits_as_it_likes() -> None:
    import datasets

    data = datasets.DatasetDict({"held_out": datasets.Dataset.from_list([ROW])})
    assert next(load(data, split="held_out").examples()).id == "held_out-1"


def test_two_examples_with_one_id_are_refused_where_the_second_comes() -> None:
    document = Document("d", "text")
    examples = load([Example("a", document), Example("b", document), Example("a", document)]).examples()
    assert [next(examples).id, next(examples).id] == ["a", "b"]
    with pytest.raises(UserError, match="two examples have the id 'a'"):
        next(examples)


def test_importing_sources_takes_no_heavy_library_along() -> None:
    import subprocess
    import sys

    heavy = {"pyarrow", "datasets", "huggingface_hub", "numpy", "torch"}
    code = f"import sys, pipelines.sources; print(sorted(set(sys.modules) & {heavy!r}))"
    root = Path(sources.__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True).stdout == "[]\n"


def test_layouts_that_read_document_by_document_are_known() -> None:
    by_document = [name for name in ("", "nocha", "rows", "sample", "lara", "hotpotqa") if reads_by_document(name)]
    assert by_document == ["", "nocha", "rows"]
