"""Runs whose files were damaged on the disk: damage is reported, intact replies are used, the rest is run again."""

import json
import shutil
from dataclasses import dataclass, field

import pytest

import pipelines
from longdoc import checked_json
from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.engine.recording import request_log as requests_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.lines import encode_line
from pipelines.engine.recording.starts import start_of
from pipelines.records import Document, Example, prediction_of
from pipelines.results.run_folders.listing import runs
from pipelines.results.run_folders.run import finished_run
from tests.turns import for_each

FINAL = ("predictions.jsonl", "scores.json")
TEXT = " ".join(f"Room{i} holds chest number {i}." for i in range(9))
EXAMPLES = [Example(f"q{i}", Document("house", TEXT), f"What does Room{i} hold?", (f"chest {i}",)) for i in range(3)]
WRONG_VALUES = (None, 1, -1, "x", [], {}, [["x"]], {"x": "y"}, True)


@dataclass
class Says(Reader):
    """Answers with the first word of its prompt and the server's name; remembers the questions."""

    received: list = field(default_factory=list)
    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        self.received += [request.prompt.query for request in requests]
        served = {"models": ("served-model",)}
        return [Reply(request.prompt.passages[0].text.split()[0], 3, 1, served=served) for request in requests]


def run(out):
    """The result, and the questions to the reader."""
    reader = Says()
    arguments = {"chunker": "sentences", "k": 1, "metrics": ["f1"], "prompt": "{query} {document}"}
    return pipelines.run("qa", data=EXAMPLES, model=reader, out=out, **arguments), reader.received


def final(folder):
    return {name: (folder / name).read_bytes() for name in FINAL}


@pytest.fixture
def folder(tmp_path):
    run(tmp_path / "run")
    return tmp_path / "run"


def records(file):
    return [
        {k: v for k, v in json.loads(line).items() if k != "crc32"}
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


@pytest.mark.parametrize("without_journal", [True, False])
def test_a_flipped_byte_in_the_first_of_many_replies_loses_only_that_one(folder, capsys, without_journal):
    whole, log = final(folder), folder / "requests.jsonl"
    content = bytearray(log.read_bytes())
    content[100] ^= 4
    log.write_bytes(bytes(content))
    if without_journal:
        (folder / "journal.jsonl").unlink()
    result, questions = run(folder)
    assert len(questions) == (1 if without_journal else 0)
    assert final(folder) == whole
    message = (
        f"{folder}: requests.jsonl: line 1 is damaged (its checksum is wrong): left out, what it answered is "
        "requested again; the file as it was is kept as requests.jsonl.damaged-1"
    )
    assert message in result.warnings
    assert f"warning: {message}" in str(result)
    assert f"longdoc: {message}\n" in capsys.readouterr().err
    assert (folder / "requests.jsonl.damaged-1").read_bytes() == content
    assert run(folder)[0].warnings == ()


@pytest.mark.parametrize("name", ["requests.jsonl", "journal.jsonl"])
def test_no_flipped_bit_changes_the_result_or_repeats_an_intact_request(folder, name):
    whole, logs = final(folder), {file: (folder / file).read_bytes() for file in ("requests.jsonl", "journal.jsonl")}
    for place in range(0, len(logs[name]), 41):
        for file, content in logs.items():
            (folder / file).write_bytes(content)
        flipped = bytearray(logs[name])
        flipped[place] ^= 1 << place % 8
        (folder / name).write_bytes(bytes(flipped))
        if name == "requests.jsonl":
            (folder / "journal.jsonl").unlink()
        result, questions = run(folder)
        of_a_line_end = logs[name][place] == ord("\n")
        assert len(questions) == (name == "requests.jsonl" and not of_a_line_end)
        assert final(folder) == whole
        assert any(f"{name}: " in warning and "damaged" in warning for warning in result.warnings)


@pytest.mark.parametrize("name", ["requests.jsonl", "journal.jsonl"])
def test_lines_without_required_fields_are_damaged_too(folder, name):
    whole, log = final(folder), folder / name
    first, *others = records(log)
    for field_ in ("key", "value") if name == "requests.jsonl" else ("id", "shown_spans"):
        lacking = {key: value for key, value in first.items() if key != field_}
        log.write_bytes(b"".join(map(encode_line, [lacking, *others])))
        result, questions = run(folder)
        assert questions == []  # the other log has it
        assert final(folder) == whole
        assert f"line 1 is damaged (no field '{field_}')" in result.warnings[0]


@pytest.mark.parametrize(
    ("name", "check", "read"),
    [
        ("requests.jsonl", requests_log.check, requests_log.reply_of),
        ("journal.jsonl", check_finished, lambda record: (prediction_of(record), start_of(record))),
    ],
)
def test_a_checked_record_can_be_read_and_any_other_is_malformed(folder, name, check, read):
    first = records(folder / name)[0]
    check(first)
    for case in [first | {key: wrong} for key in first for wrong in WRONG_VALUES]:
        try:
            check(case)
        except Malformed:
            continue
        read(case)
    optional = {"served", "notes", "statistics", "outputs", "passages", "time", "start", "request_digest"}
    needed = first.keys() - optional - {"evidence", "shown_words"}
    lacking = [{key: value for key, value in first.items() if key != missing} for missing in needed]
    for case in (*lacking, [], None, "x", 1):
        with pytest.raises(Malformed):
            check(case)


@for_each("name", ["predictions.jsonl", "scores.json", "run.json"])
@for_each("verb", [finished_run, pipelines.rescore, pipelines.show, pipelines.compare, pipelines.report])
def test_damage_of_the_final_files_is_one_line_in_every_command(folder, tmp_path, name, verb):
    folder = shutil.copytree(folder, tmp_path / "run")
    run(tmp_path / "other")
    content = (folder / name).read_text(encoding="utf-8")
    for damaged in (
        "",
        "{",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        "9" * 5000,
        '{"a":' * 400 + "1" + "}" * 400,
        content[:40],
        content.replace('"', "", 1),
    ):
        (folder / name).write_text(damaged, encoding="utf-8")
        folders = (tmp_path / "other", folder) if verb is pipelines.compare else (folder,)
        try:
            verb(*folders)
        except UserError as error:
            assert len(str(error).splitlines()) == 1
            assert "damaged" in str(error) or "broken" in str(error)
        else:
            pytest.fail(f"no error for {damaged[:50]!r}")
        assert len(runs(tmp_path).runs) == 2


def test_predictions_without_required_fields_are_reported_with_their_line(folder):
    log = folder / "predictions.jsonl"
    first, second, third = records(log)
    del second["tokens_in"]
    log.write_text("".join(json.dumps(record) + "\n" for record in (first, second, third)), encoding="utf-8")
    message = r"line 2 of predictions\.jsonl in .* is damaged \(no field 'tokens_in'\): start the same run again"
    with pytest.raises(UserError, match=message):
        finished_run(folder)
    result, questions = run(folder)
    assert (questions, len(result.predictions)) == ([], 3)


def test_served_names_are_logged_with_each_reply_so_that_no_kill_loses_them(folder):
    assert [line["served"] for line in records(folder / "requests.jsonl")] == [{"models": ["served-model"]}] * 3
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert record.pop("served") == {"models": ["served-model"]}
    (folder / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")  # as a kill leaves it
    assert run(folder)[1] == []
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["served"] == {"models": ["served-model"]}


@for_each("field_", ["task", "split", "chunker", "model", "metrics", "k"])
@for_each("wrong", [None, 1.5, [], {}])
def test_a_run_json_with_a_wrong_field_is_one_line_in_every_command(folder, tmp_path, field_, wrong):
    folder = shutil.copytree(folder, tmp_path / "copy")
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    holder = record if field_ == "metrics" else record["spec"]
    if wrong is None:
        del holder[field_]
    else:
        holder[field_] = wrong
    if (field_, wrong) == ("metrics", {}):
        return  # a run without metrics is one
    (folder / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")
    for verb in (finished_run, pipelines.rescore):
        with pytest.raises(UserError, match=rf"run\.json is damaged \(.*'{field_}'.*\): start the same run again"):
            verb(folder)
    assert [(listed.state, "damaged" in listed.note) for listed in runs(folder).runs] == [("unreadable", True)]
