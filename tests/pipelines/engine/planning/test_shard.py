"""Shards of a run's documents."""

from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.engine.planning.options import command_line_options
from pipelines.engine.planning.sampling import shard_examples
from pipelines.engine.planning.shard import Shard, without_suffix
from pipelines.records import Document, Example
from tests.turns import for_each


def examples_of(names: str) -> list[Example]:
    return [Example(f"{name}{place}", Document(name, "A text.")) for place, name in enumerate(names)]


@pytest.mark.parametrize(
    ("names", "count", "shards"),
    [
        ("aabbcc", 1, ["a0 a1 b2 b3 c4 c5"]),
        ("aabbccdd", 3, ["a0 a1 d6 d7", "b2 b3", "c4 c5"]),
        ("abcabd", 2, ["a0 c2 a3", "b1 b4 d5"]),
        ("ab", 4, ["a0", "b1", "", ""]),
        ("", 2, ["", ""]),
    ],
)
def test_a_shard_has_every_nth_document_in_the_order_in_which_they_first_come(
    names: str, count: int, shards: list[str]
) -> None:
    parts = [list(shard_examples(examples_of(names), Shard(number, count))) for number in range(1, count + 1)]
    assert [" ".join(example.id for example in examples) for examples in parts] == shards
    whole = sorted((example.position, example.id) for examples in parts for example in examples)
    assert whole == [(place, example.id) for place, example in enumerate(examples_of(names))]


INVALID = (
    "0/3",
    "4/3",
    "1/0",
    "a/b",
    "1.5/3",
    "",
    "1",
    "1/",
    "/3",
    "-1/3",
    "1/3/3",
    " 1/3",
    "١/٣",
    f"1/1{'0' * 9}",
    3,
    True,
)


@for_each("shard", INVALID)
def test_an_invalid_shard_is_refused_before_data_are_read(shard: Any) -> None:
    with pytest.raises(
        UserError, match=r'^shard must be I/N, the I-th of N shards with I from 1 to N, as in "1/3", got'
    ):
        pipelines.run("narrativeqa", data="nowhere", model="lead", shard=shard)


def test_the_name_of_a_shard_s_folder_ends_with_its_number() -> None:
    assert Shard.of("2/12").folder_name == "shard-2-of-12"
    assert without_suffix("qasper-12ab34cd-shard-2-of-12") == "qasper-12ab34cd"
    assert without_suffix("12ab34cd") == "12ab34cd"


def run(tmp_path: Any, **arguments: Any) -> Any:
    data = examples_of("aabb")
    return pipelines.run("qa", data=data, model="lead", metrics=["f1"], report=False, out=tmp_path / "run", **arguments)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("1/2", "2/2", "holds shard 1/2 of this run, and this is shard 2/2 of it: give shard='1/2' to continue it"),
        ("1/2", "1/3", "holds shard 1/2 of this run, and this is shard 1/3 of it: give shard='1/2' to continue it"),
        ("1/2", None, "holds shard 1/2 of this run, and this is the whole of it: give shard='1/2' to continue it"),
        (None, "1/2", "holds the whole of this run, and this is shard 1/2 of it: leave shard= out to continue it"),
    ],
)
def test_another_shard_in_the_same_folder_is_refused_with_what_to_type(
    tmp_path: Any, first: str | None, second: str | None, message: str
) -> None:
    run(tmp_path, shard=first)
    before = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(UserError) as error:
        run(tmp_path, shard=second)
    assert str(error.value).endswith(f"run {message}, or choose another folder with out=")
    assert (tmp_path / "run" / "run.json").read_bytes() == before
    assert run(tmp_path, shard=first).resumed > 0


def test_a_shard_without_documents_ends_well_and_says_so(tmp_path: Any) -> None:
    result = run(tmp_path, shard="3/3")
    assert (result.examples, result.documents, result.failures) == (0, 0, {})
    assert set(result.scores.not_computed.values()) == {"not scored: no examples"}
    assert pipelines.report(tmp_path / "run").is_file()  # type: ignore[union-attr]


def test_a_dry_run_counts_the_documents_of_the_shard() -> None:
    counts = [pipelines.dry_run("qa", data=examples_of("aabbc"), model="lead", shard=f"{i}/2") for i in (1, 2)]
    assert [(estimate.documents, estimate.examples) for estimate in counts] == [(2, 3), (1, 2)]


def test_a_judge_needs_the_whole_run(tmp_path: Any) -> None:
    with pytest.raises(UserError, match=r"^a judge judges the whole run, not a shard: leave judge= out, merge"):
        run(tmp_path, shard="1/2", judge="lead")


def test_rerunning_another_shard_writes_a_folder_of_its_own(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = pipelines.run("narrativeqa", data="sample", model="lead", report=False, limit=3, shard="1/2")
    second = pipelines.rerun(first.folder, shard="2/2")
    assert second.folder.name == first.folder.name.replace("shard-1", "shard-2")
    assert pipelines.rerun(first.folder).folder == first.folder


def test_a_command_that_writes_no_runs_takes_no_shard() -> None:
    with pytest.raises(UserError, match=r"^a versus takes no shard=: leave it out, or run each way with shard="):
        pipelines.versus("qa", model="lead", data=examples_of("aab"), shard="1/2")
    assert "shard" not in command_line_options("versus")
