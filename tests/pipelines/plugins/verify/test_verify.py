"""`longdoc runs verify`: a run's numbers are computed again from its logs and data, and compared with its files."""

import json
import shutil

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.verify.check import OtherVersion
from tests.command_line import longdoc
from tests.resealed import resealed

ROOMS = " ".join(f"Room{i} holds chest {i * 7 % 11}." for i in range(20))
ARGUMENTS = {
    "model": "extractive",
    "chunker": "sentences:2",
    "retriever": "bm25",
    "k": 2,
    "metrics": ["f1", "answer_recall"],
}


def write_rows(path):
    rows = [
        {"id": f"q{i}", "document": ROOMS, "question": f"What does Room{i} hold?", "answers": [f"chest {i * 7 % 11}"]}
        for i in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run_and_rows(tmp_path_factory):
    """A folder with rows and a run of them; tests copy the run before they change it."""
    folder = tmp_path_factory.mktemp("verified")
    pipelines.run("qa", data=write_rows(folder / "rows.jsonl"), out=folder / "run", report=False, **ARGUMENTS)
    return folder


@pytest.fixture
def run(run_and_rows, tmp_path):
    return shutil.copytree(run_and_rows / "run", tmp_path / "run")


def outcomes(report):
    return {check.name: check.outcome for check in report.checks}


def details(report):
    return [f"{check.name}: {detail}" for check in report.checks for detail in check.details]


def change(file, old, new):
    """Edit a file and its checksum."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    resealed(file.parent)


AGREES = ("run.json", "requests.jsonl", "journal.jsonl", "predictions.jsonl", "data", "prompts", "predictions",
          "rows of metrics", "scores.json")  # fmt: skip


def test_an_unchanged_run_agrees_and_nothing_is_asked_or_written(run, monkeypatch):
    def refuse(self, requests):
        raise AssertionError("the reader was asked")

    monkeypatch.setattr("models.baselines.extractive.Extractive.reply_to", refuse)
    before = {file: file.read_bytes() for file in run.iterdir()}
    report = pipelines.verify(run)
    assert outcomes(report) == dict.fromkeys(AGREES, "agrees")
    assert (report.agrees, report.versions, details(report)) == (True, [], [])
    assert {file: file.read_bytes() for file in run.iterdir()} == before


@pytest.mark.parametrize("strategy", ["map_reduce", "refine", "vote", "iterative"])
def test_every_round_of_a_strategy_is_verified(run_and_rows, tmp_path, strategy):
    pipelines.run(
        "qa", data=run_and_rows / "rows.jsonl", out=tmp_path / "run", report=False, strategy=strategy, **ARGUMENTS
    )
    assert set(outcomes(pipelines.verify(tmp_path / "run")).values()) == {"agrees"}


def without_checksum(line):
    return {name: value for name, value in json.loads(line).items() if name != "crc32"}


def test_a_changed_prediction_in_a_valid_line_differs_from_the_log(run):
    from pipelines.engine.recording.lines import encode_line

    lines = (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    changed = [without_checksum(line) for line in lines]
    changed[0]["prediction"] = "chest 9"
    (run / "journal.jsonl").write_bytes(b"".join(map(encode_line, changed)))
    report = pipelines.verify(run)
    assert outcomes(report)["predictions.jsonl"] == "differs"
    id = changed[0]["id"]
    output = f"Room{id[1]} holds in predictions.jsonl"
    assert details(report)[0] == f"predictions.jsonl: {id}: prediction {output}, chest 9 in the journal"
    assert outcomes(report)["prompts"] == "agrees"


def test_requests_that_the_log_lacks_are_named_by_their_example(run):
    log = (run / "requests.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "requests.jsonl").write_text("".join(log[1:]), encoding="utf-8")
    report = pipelines.verify(run)
    assert [name for name, outcome in outcomes(report).items() if outcome == "differs"] == ["prompts"]
    assert len(details(report)) == 1 and details(report)[0].endswith("the log has no reply to a request")


def test_without_the_data_everything_that_needs_no_document_is_checked(run, run_and_rows, tmp_path):
    rows = write_rows(tmp_path / "moved.jsonl")
    gone = shutil.copytree(run_and_rows / "run", tmp_path / "gone")
    data_path = json.loads((gone / "run.json").read_text(encoding="utf-8"))["data"]["given"]
    text = (gone / "run.json").read_text(encoding="utf-8").replace(data_path, str(tmp_path / "nowhere.jsonl"))
    (gone / "run.json").write_text(text, encoding="utf-8")
    resealed(gone)
    report = pipelines.verify(gone)
    assert outcomes(report) == dict.fromkeys(AGREES[:4], "agrees") | {
        "prompts and predictions": "not checked",
        "rows of metrics": "agrees",
        "other rows": "not checked",
        "scores.json": "agrees",
    }
    assert report.agrees
    assert details(report)[-1] == "other rows: answer_recall: it reads the documents"
    other = pipelines.verify(run, data=rows)
    assert outcomes(other)["data"] == "differs"
    assert "rows.jsonl (" in details(other)[0] and "give data=PATH with the run's data" in details(other)[0]


def test_other_versions_are_named_and_do_not_count_as_a_difference(run):
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    current = record["starts"][0]["versions"]["numpy"]
    change(run / "run.json", f'"numpy": "{current}"', '"numpy": "1.0"')
    report = pipelines.verify(run)
    assert report.versions == [OtherVersion("numpy", "1.0", current)]
    assert report.agrees
    assert f"other versions today: numpy 1.0 then, {current} now" in str(report)


def test_a_metric_of_another_signature_is_named_and_not_computed_again(run):
    signature = json.loads((run / "run.json").read_text(encoding="utf-8"))["starts"][0]["signatures"]["f1"]
    change(run / "run.json", signature, "f1|another")
    report = pipelines.verify(run)
    assert report.versions == [OtherVersion("signature of f1", "f1|another", signature)]
    assert outcomes(report)["other rows"] == "not checked"
    assert details(report)[0] == "other rows: f1: another signature today"


def test_an_unfinished_run_is_verified_as_far_as_it_got(run):
    for name in ("scores.json", "predictions.jsonl"):
        (run / name).unlink()
    report = pipelines.verify(run)
    assert outcomes(report)["scores"] == "not checked"
    assert outcomes(report)["predictions"] == "agrees"
    assert report.agrees


def test_shards_their_merge_and_an_ablation_are_verified(run_and_rows, tmp_path):
    for number in (1, 2):
        arguments = ARGUMENTS | {"shard": f"{number}/2", "report": False}
        pipelines.run("qa", data=run_and_rows / "rows.jsonl", out=tmp_path / str(number), **arguments)
    pipelines.merge(tmp_path / "1", tmp_path / "2", out=tmp_path / "merged", report=False)
    assert set(outcomes(pipelines.verify(tmp_path / "merged")).values()) == {"agrees"}
    assert outcomes(pipelines.verify(tmp_path / "1"))["shard.jsonl"] == "agrees"
    arguments = ARGUMENTS | {"retriever": ["bm25", "tfidf"], "report": False}
    pipelines.ablate("qa", data=run_and_rows / "rows.jsonl", out=tmp_path / "grid", **arguments)
    report = pipelines.verify(tmp_path / "grid")
    assert (report.holds, report.agrees, len(report.runs)) == ("an ablation with 2 runs", True, 2)
    assert [set(outcomes(one).values()) for one in report.runs] == [{"agrees"}] * 2
    shutil.rmtree(tmp_path / "grid" / "runs")
    assert not pipelines.verify(tmp_path / "grid").agrees


def test_the_command_exits_with_0_1_or_2(run, tmp_path, capfd):
    code, out, err = longdoc(capfd, "runs", "verify", run)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == f"{run}: a run of qa, 4 predictions"
    assert out.splitlines()[-1].strip() == "everything checked agrees"
    (run / "requests.jsonl").write_text("", encoding="utf-8")
    code, out, _ = longdoc(capfd, "runs", "verify", run, "--json")
    assert (code, json.loads(out)["agrees"]) == (1, False)
    code, _, err = longdoc(capfd, "runs", "verify", tmp_path)
    hint = "longdoc runs list FOLDER lists those below a folder"
    refusal = f"{tmp_path} is not a run's folder: there is no run.json in it; {hint}"
    assert (code, err) == (2, f"longdoc: {refusal}\n")


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"is not a run's folder"):
        pipelines.verify(tmp_path / "nowhere")
