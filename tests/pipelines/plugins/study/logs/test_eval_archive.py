"""Untrusted `.eval` archives: bombs, nesting, flipped bits, changed digits, members under other names."""

import random
import resource
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.study.logs import eval_archive
from pipelines.plugins.study.logs.formats import read
from tests import foreign_files
from tests.foreign_files import DEFLATED, STORED, ZSTD, eval_members, zipped
from tests.turns import for_each

COMPRESSIONS = (STORED, DEFLATED, ZSTD)
SAMPLE = "samples/3_epoch_1.json"
HUNDRED_MB = 100_000  # kB


def write_log(folder: Path, members: Mapping[str, str | bytes], compression: int = DEFLATED) -> Path:
    path = folder / "log.eval"
    path.write_bytes(zipped(members, compression))
    return path


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@for_each("compression", COMPRESSIONS)
def test_a_log_is_read_in_every_compression(tmp_path: Path, compression: int) -> None:
    log = read(write_log(tmp_path, eval_members(), compression))
    assert (log.task, log.system, log.ids) == ("towns", "mockllm/model", [str(n) for n in range(12)])
    assert list(log.sample_scores("match")) == [0, 1] * 6


@for_each("compression", (DEFLATED, ZSTD))
def test_a_log_that_would_fill_the_memory_is_refused_before_it_does(tmp_path: Path, compression: int) -> None:
    read(write_log(tmp_path, eval_members(), compression))  # so that no import counts
    before = peak()
    for text, problem in (
        ("[" * 5_000_000, "it has more than 4,194,304 values"),
        ("[" + "[]," * 3_000_000 + "[]]", "it has more than 4,194,304 values"),
        ("[" * 1_000 + "]" * 1_000, "it is nested too deeply"),
        ('{"id": ' + "9" * 4_000 + "}", "it has a whole number of more than 300 digits"),
    ):
        path = write_log(tmp_path, eval_members() | {SAMPLE: text}, compression)
        with pytest.raises(UserError) as refused:
            read(path)
        advice = "it may be damaged; copy it again, or recover it (inspect log recover)"
        assert str(refused.value) == f"{path} cannot be read ({problem}): {advice}"
    assert peak() - before < HUNDRED_MB


def test_commas_and_brackets_in_texts_are_no_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipelines.plugins.study.logs import inspect_log

    monkeypatch.setattr(inspect_log, "MOST_VALUES", 60)
    members = eval_members()
    members[SAMPLE] = members[SAMPLE].replace("question 3", 'a, b, [\\"c\\", {' * 100)
    assert len(read(write_log(tmp_path, members)).ids) == 12


def test_a_member_and_all_members_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_log(tmp_path, eval_members())
    monkeypatch.setattr(eval_archive, "MAX_MEMBER", 100)
    with pytest.raises(UserError, match="has over"):
        read(path)
    monkeypatch.setattr(eval_archive.archives, "max_size", lambda size: 500)
    with pytest.raises(UserError, match="becomes more than 500 bytes"):
        read(path)


@for_each("compression", COMPRESSIONS)
def test_a_member_gives_no_more_bytes_than_the_list_declares(tmp_path: Path, compression: int) -> None:
    members = eval_members() | {SAMPLE: b" " * 70_000}
    path = write_log(tmp_path, members, compression)
    content = path.read_bytes()
    place = content.rindex(SAMPLE.encode()) - 46 + 24  # of the size in the list of members (APPNOTE 4.3.12)
    assert content[place : place + 4] == (70_000).to_bytes(4, "little")
    path.write_bytes(content[:place] + (7_000).to_bytes(4, "little") + content[place + 4 :])
    with pytest.raises(UserError, match=r"Bad CRC-32 for file 'samples/3_epoch_1\.json'"):
        read(path)


def test_a_changed_digit_is_noticed(tmp_path: Path) -> None:
    path = write_log(tmp_path, eval_members(), STORED)
    content = path.read_bytes()
    assert content.count(b'{"value": 1}') == 6
    path.write_bytes(content.replace(b'{"value": 1}', b'{"value": 9}', 1))
    with pytest.raises(UserError, match="Bad CRC-32"):
        read(path)


def test_a_sample_that_hides_in_the_list_of_members_is_noticed(tmp_path: Path) -> None:
    path = write_log(tmp_path, eval_members())
    content = path.read_bytes()
    place, digit = content.rindex(SAMPLE.encode()), len("samples/")
    for name in (b"tamples/3", b"samples/4"):  # the second is there already
        path.write_bytes(content[:place] + name + content[place + digit + 1 :])
        with pytest.raises(UserError, match="differ"):
            read(path)
    comment = place - 46 + 32  # the length of its comment (APPNOTE 4.3.12), which swallows the next entry
    path.write_bytes(content[:comment] + (46 + len(SAMPLE)).to_bytes(2, "little") + content[comment + 2 :])
    with pytest.raises(UserError, match="Bad list of 14 members"):
        read(path)


@for_each("compression", COMPRESSIONS)
def test_after_one_flipped_bit_a_log_is_the_same_or_refused_in_one_line(tmp_path: Path, compression: int) -> None:
    path = write_log(tmp_path, eval_members(), compression)
    content, original = path.read_bytes(), read(path)
    draw, refusals = random.Random(57), 0
    for _ in range(70):
        changed = bytearray(content)
        changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        try:
            assert read(path) == original
        except UserError as error:
            refusals += 1
            assert str(path) in str(error)
            assert len(str(error).splitlines()) == 1
    assert refusals > 30


def test_of_two_members_of_one_name_the_last_counts(tmp_path: Path) -> None:
    path = write_log(tmp_path, eval_members({"a": 0, "b": 0}))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("samples/a_epoch_1.json", eval_members({"a": 1})["samples/a_epoch_1.json"])
    assert list(read(path).sample_scores("match")) == [1, 0]


def test_an_unfinished_evaluation_has_its_samples_so_far_and_another_zip_is_refused(tmp_path: Path) -> None:
    members = eval_members({"a": 1})
    del members["header.json"]
    path = write_log(tmp_path, members)
    log = read(path)
    assert list(log.sample_scores("match")) == [1]
    assert log.notes == [f"{path}: the evaluation did not finish (started), so only the samples in the log count"]
    with pytest.raises(
        UserError, match=r"is not a log of inspect_ai \(it has no header\.json\): give a log, NAME\.eval"
    ):
        read(write_log(tmp_path, {"readme.txt": "x"}))


def test_a_log_of_20_000_keys_a_sample_is_refused_in_a_short_line(tmp_path: Path) -> None:
    samples = {str(n): {f"key {n} {place}": 1 for place in range(20_000)} for n in range(3)}
    path = write_log(tmp_path, eval_members(samples))
    with pytest.raises(UserError) as refused:
        pipelines.compare(path, path)
    assert str(refused.value) == f"{path} has more than 1,000 scores: keep only those to compare"


def test_messages_name_few_of_many_scores(tmp_path: Path) -> None:
    names = [[f"{log} {place}" for place in range(500)] for log in "ab"]
    paths = []
    for log, keys in zip("ab", names, strict=True):
        samples: Any = {str(n): dict.fromkeys(keys, 1) | {"c": 1, f"{log} bad": "what?"} for n in range(3)}
        paths.append(write_log(tmp_path, eval_members(samples)).rename(tmp_path / f"{log}.eval"))
    comparison = pipelines.compare(*paths)
    assert max(map(len, comparison.warnings)) < 300
    assert f"{paths[0]}: some values are not numbers (3 of a bad)" in comparison.warnings


@for_each(
    ("name", "content"),
    [
        ("samples_x.jsonl", foreign_files.lm_eval_samples()),
        ("nq.json", foreign_files.helmet_outputs()),
        ("x_samples.jsonl", foreign_files.every_eval_ever_samples()),
        ("log.eval", zipped(eval_members(), STORED)),
    ],
)
def test_an_error_of_a_parser_is_reported_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes
) -> None:
    from pipelines.plugins.study.logs.score_log import ScoreLog

    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name).scores
    monkeypatch.setattr(ScoreLog, "add", lambda *values, **more: [][1])
    monkeypatch.setattr(ScoreLog, "merge", lambda *values, **more: [][1])
    with pytest.raises(UserError, match=r"cannot be read \(list index out of range\): it may be damaged"):
        read(tmp_path / name)
