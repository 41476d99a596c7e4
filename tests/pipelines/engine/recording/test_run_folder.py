"""A run's folder."""

import json

import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import differences
from pipelines.engine.recording import damaged_record
from pipelines.engine.recording.run_folder import RunFolder

SPEC = {
    "spec": {"task": "narrativeqa", "k": 10, "retriever": {"name": "tfidf", "norm": "l2"}},
    "metrics": {},
    "limit": None,
}
START = {"time": "2026-01-01T00:00:00+00:00", "longdoc": "1", "signatures": {}}


def test_a_new_folder_gets_its_run_json_and_an_old_one_is_resumed(tmp_path):
    first = RunFolder(tmp_path / "run", SPEC, START)
    first.close()
    content = (tmp_path / "run" / "run.json").read_bytes()
    assert checked_json.loads(content) == {"format": 6, **SPEC, "starts": [START]}
    assert json.loads(content)["crc32"] == content.decode().splitlines()[-2].split('"')[3]
    RunFolder(tmp_path / "run", SPEC, START).close()
    assert (tmp_path / "run" / "run.json").read_bytes() == content


def test_the_record_keeps_each_start_that_wrote_a_line_and_the_present_one(tmp_path):
    starts = [{**START, "longdoc": version} for version in ("1", "2", "3", "4")]
    for start, writes in zip(starts, (True, False, True, False), strict=True):
        folder = RunFolder(tmp_path, SPEC, start)
        if writes:
            folder.requests.append(LOG)
        folder.close()
    assert checked_json.load(tmp_path / "run.json")["starts"] == [starts[0], starts[2], starts[3]]
    assert [line["start"] for line in map(json.loads, (tmp_path / "requests.jsonl").open(encoding="utf-8"))] == [0, 1]


def test_run_json_is_easy_to_read_and_begins_with_its_format(tmp_path):
    RunFolder(tmp_path / "run", {**SPEC, "note": "é"}, START).close()
    lines = (tmp_path / "run" / "run.json").read_text(encoding="utf-8").splitlines()
    assert lines[:4] == ["{", '  "format": 6,', '  "spec": {', '    "task": "narrativeqa",']
    assert '  "note": "é",' in lines


def test_another_spec_in_the_same_folder_is_refused_naming_what_differs(tmp_path):
    write_folder_with_reply(tmp_path / "run", SPEC)
    other = {"spec": {"task": "narrativeqa", "k": 5, "retriever": {"name": "bm25", "b": 0.75}}}
    with pytest.raises(UserError, match=r"holds another run \(k: 10 there, 5 now; retriever: tfidf there, bm25 now\)"):
        RunFolder(tmp_path / "run", other, START)


def test_a_folder_without_replies_takes_another_run(tmp_path):
    other = {**SPEC, "spec": {**SPEC["spec"], "k": 5}, "shard": "1/2"}
    for record in (SPEC, other, SPEC):
        RunFolder(tmp_path, record, START).close()
        assert checked_json.load(tmp_path / "run.json") == {"format": 6, **record, "starts": [START]}
    (tmp_path / "batch").mkdir()  # whose replies may come
    with pytest.raises(UserError, match="holds another run"):
        RunFolder(tmp_path, other, START)


def write_folder_with_reply(path, record):
    """Write a run's folder whose log has a reply."""
    folder = RunFolder(path, record, START)
    folder.requests.append(LOG)
    folder.close()


def test_a_folder_with_other_files_is_not_written_into(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match=r"holds other files and no run\.json"):
        RunFolder(tmp_path, SPEC, START)


def test_a_path_that_is_a_file_and_a_newer_format_are_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="is a file"):
        RunFolder(tmp_path / "file", SPEC, START)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "run.json").write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(UserError, match="written by a newer longdoc"):
        RunFolder(tmp_path / "new", SPEC, START)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": 2}', r"written by an older longdoc \(format 2, now 6\): start the run again in another folder"),
        ("{}", r"is damaged: it has no format; choose another folder with out="),
    ],
)
def test_a_folder_of_another_format_is_refused_in_a_line(tmp_path, content, message):
    (tmp_path / "run.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message) as error:
        RunFolder(tmp_path, SPEC, START)
    assert len(str(error.value).splitlines()) == 1


LOG = {"key": "a", "value": "b", "tokens_in": 1, "tokens_out": 1, "truncated_tokens": 0, "finish_reason": "stop",
       "error": None}  # fmt: skip


@pytest.mark.parametrize("content", ["[]", '{"format', "[" * 100_000, "9" * 5_000, '{"format": 6}'])
def test_a_damaged_record_is_made_anew_and_the_replies_are_kept(tmp_path, content):
    first = RunFolder(tmp_path, SPEC, START)
    first.requests.append(LOG)
    first.close()
    (tmp_path / "journal.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "run.json").write_text(content, encoding="utf-8")
    again = RunFolder(tmp_path, SPEC, START)
    again.close()
    (message,) = again.damage
    assert message.startswith(f"{tmp_path}: run.json is damaged (")
    assert message.endswith(
        "): it is written again, and the other files from the logged replies, whose versions are not known any more; "
        "the files as they were are kept as run.json.damaged-1, journal.jsonl.damaged-1"
    )
    assert (tmp_path / "run.json.damaged-1").read_text(encoding="utf-8") == content
    assert checked_json.load(tmp_path / "run.json")["starts"] == [{"longdoc": "unknown"}, START]
    third = RunFolder(tmp_path, SPEC, START)
    assert (third.damage, [one["start"] for _, one in third.requests.entries()]) == ([], [0])
    third.close()


def test_a_damaged_record_of_another_run_is_refused(tmp_path):
    RunFolder(tmp_path, SPEC, START).close()
    text = (tmp_path / "run.json").read_text(encoding="utf-8")
    (tmp_path / "run.json").write_text(text.replace("10", "11").replace("l2", "l1"), encoding="utf-8")
    with pytest.raises(UserError, match=r"holds another run \(k: 11 there, 10 now; norm of retriever tfidf: l1 there"):
        RunFolder(tmp_path, SPEC, START)
    (tmp_path / "run.json").write_text(text.replace("10", "11"), encoding="utf-8")
    mended = RunFolder(tmp_path, SPEC, START)
    mended.close()
    assert "its checksum is wrong" in mended.damage[0]


def test_an_unfinished_run_goes_on_with_other_metrics(tmp_path):
    RunFolder(tmp_path, SPEC, START).close()
    RunFolder(tmp_path, {**SPEC, "metrics": {"f1": {"name": "f1"}}}, START).close()
    assert checked_json.load(tmp_path / "run.json")["metrics"] == {"f1": {"name": "f1"}}


def test_only_unfinished_files_of_a_killed_run_are_removed(tmp_path):
    RunFolder(tmp_path, SPEC, START).close()
    for name in (".predictions.jsonl", ".scores.json", ".report.html", ".notes.txt", "my.json"):
        (tmp_path / f"{name}.{'0f' * 8}.tmp").write_text("half", encoding="utf-8")
    RunFolder(tmp_path, SPEC, START).close()
    files_left = {
        ".lock",
        f".notes.txt.{'0f' * 8}.tmp",
        f"my.json.{'0f' * 8}.tmp",
        "run.json",
        "requests.jsonl",
        "journal.jsonl",
    }
    assert {file.name for file in tmp_path.iterdir()} == files_left


def test_damage_of_either_log_is_reported_with_its_consequence(tmp_path):
    RunFolder(tmp_path, SPEC, START).close()
    (tmp_path / "requests.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "journal.jsonl").write_text("{}\n", encoding="utf-8")
    folder = RunFolder(tmp_path, SPEC, START)
    folder.close()
    assert folder.damage == [
        f"{tmp_path}: requests.jsonl: line 1 is damaged (its checksum is wrong): left out, what it answered is "
        "requested again; the file as it was is kept as requests.jsonl.damaged-1",
        f"{tmp_path}: journal.jsonl: line 1 is damaged (its checksum is wrong): left out, its example is run again; "
        "the file as it was is kept as journal.jsonl.damaged-1",
    ]


def test_two_processes_do_not_share_a_folder(tmp_path):
    folder = RunFolder(tmp_path / "run", SPEC, START)
    with pytest.raises(UserError, match="another process is running in"):
        RunFolder(tmp_path / "run", SPEC, START)
    folder.close()
    RunFolder(tmp_path / "run", SPEC, START).close()


def test_differences_name_missing_and_changed_fields():
    assert differences({"a": 1, "b": {"c": 2}}, {"b": {"c": 3}, "d": 4}) == [
        "a: there 1, now null",
        "b.c: there 2, now 3",
        "d: there null, now 4",
    ]


def test_files_of_a_damaged_record_are_put_aside_and_the_folder_forced_to_the_disk(tmp_path, monkeypatch):
    for name in ("run.json", "journal.jsonl", "predictions.jsonl", "scores.json", "requests.jsonl"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    names, synced = ["journal.jsonl", "predictions.jsonl", "scores.json"], []
    monkeypatch.setattr(
        damaged_record, "sync_folder", lambda folder: synced.append(sorted(path.name for path in folder.iterdir()))
    )
    message = damaged_record.put_aside(tmp_path, "no JSON")
    assert message.endswith(", ".join(f"{name}.damaged-1" for name in ["run.json", *names]))
    assert synced == [sorted(["run.json", "requests.jsonl", *(f"{name}.damaged-1" for name in ["run.json", *names])])]
    assert (tmp_path / "predictions.jsonl.damaged-1").read_text(encoding="utf-8") == "predictions.jsonl"
