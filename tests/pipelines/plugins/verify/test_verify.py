"""`longdoc runs verify`: a run's numbers made again from its logs and its data, and compared with its files."""

import json
import shutil

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.verify.check import OtherVersion
from tests.command_line import longdoc
from tests.resealed import resealed

ROOMS = " ".join(f"Room{i} holds chest {i * 7 % 11}." for i in range(20))
ASKED = {
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
def made(tmp_path_factory):
    """A folder with rows and a run of them; tests copy the run before they change it."""
    folder = tmp_path_factory.mktemp("verified")
    pipelines.run("qa", data=write_rows(folder / "rows.jsonl"), out=folder / "run", report=False, **ASKED)
    return folder


@pytest.fixture
def run(made, tmp_path):
    return shutil.copytree(made / "run", tmp_path / "run")


def outcomes(found):
    return {check.name: check.outcome for check in found.checks}


def details(found):
    return [f"{check.name}: {detail}" for check in found.checks for detail in check.details]


def change(file, old, new):
    """An edit that no checksum finds."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    resealed(file.parent)


AGREES = ("run.json", "requests.jsonl", "journal.jsonl", "predictions.jsonl", "data", "prompts", "predictions",
          "rows of metrics", "scores.json")  # fmt: skip


def test_an_undisturbed_run_agrees_and_nothing_is_asked_or_written(run, monkeypatch):
    def refuse(self, requests):
        raise AssertionError("the reader was asked")

    monkeypatch.setattr("models.baselines.extractive.Extractive.reply_to", refuse)
    before = {file: file.read_bytes() for file in run.iterdir()}
    found = pipelines.verify(run)
    assert outcomes(found) == dict.fromkeys(AGREES, "agrees")
    assert (found.agrees, found.versions, details(found)) == (True, [], [])
    assert {file: file.read_bytes() for file in run.iterdir()} == before


@pytest.mark.parametrize("strategy", ["map_reduce", "refine", "vote", "iterative"])
def test_every_round_of_a_strategy_is_made_again(made, tmp_path, strategy):
    pipelines.run("qa", data=made / "rows.jsonl", out=tmp_path / "run", report=False, strategy=strategy, **ASKED)
    assert set(outcomes(pipelines.verify(tmp_path / "run")).values()) == {"agrees"}


def without_checksum(line):
    return {name: value for name, value in json.loads(line).items() if name != "crc32"}


def test_a_prediction_that_was_changed_with_its_line_whole_differs_from_the_log(run):
    from pipelines.engine.recording.lines import encode_line

    lines = (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    changed = [without_checksum(line) for line in lines]
    changed[0]["prediction"] = "chest 9"
    (run / "journal.jsonl").write_bytes(b"".join(map(encode_line, changed)))
    found = pipelines.verify(run)
    assert outcomes(found)["predictions.jsonl"] == "differs"
    one = changed[0]["id"]
    there = f"Room{one[1]} holds in predictions.jsonl"
    assert details(found)[0] == f"predictions.jsonl: {one}: prediction {there}, chest 9 in the journal"
    assert outcomes(found)["prompts"] == "agrees"


def test_requests_that_the_log_lacks_are_named_by_their_example(run):
    log = (run / "requests.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "requests.jsonl").write_text("".join(log[1:]), encoding="utf-8")
    found = pipelines.verify(run)
    assert [name for name, outcome in outcomes(found).items() if outcome == "differs"] == ["prompts"]
    assert len(details(found)) == 1 and details(found)[0].endswith("the log has no reply to a request")


def test_where_the_data_are_gone_what_needs_no_document_is_checked(run, made, tmp_path):
    rows = write_rows(tmp_path / "moved.jsonl")
    gone = shutil.copytree(made / "run", tmp_path / "gone")
    at = json.loads((gone / "run.json").read_text(encoding="utf-8"))["data"]["given"]
    text = (gone / "run.json").read_text(encoding="utf-8").replace(at, str(tmp_path / "nowhere.jsonl"))
    (gone / "run.json").write_text(text, encoding="utf-8")
    resealed(gone)
    found = pipelines.verify(gone)
    assert outcomes(found) == dict.fromkeys(AGREES[:4], "agrees") | {
        "prompts and predictions": "not checked",
        "rows of metrics": "agrees",
        "other rows": "not checked",
        "scores.json": "agrees",
    }
    assert found.agrees
    assert details(found)[-1] == "other rows: answer_recall: it reads the documents"
    other = pipelines.verify(run, data=rows)
    assert outcomes(other)["data"] == "differs"
    assert "rows.jsonl (" in details(other)[0] and "give data=PATH with the run's data" in details(other)[0]


def test_versions_that_differ_from_today_s_are_named_and_are_no_difference(run):
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    there = record["starts"][0]["versions"]["numpy"]
    change(run / "run.json", f'"numpy": "{there}"', '"numpy": "1.0"')
    found = pipelines.verify(run)
    assert found.versions == [OtherVersion("numpy", "1.0", there)]
    assert found.agrees
    assert f"other versions today: numpy 1.0 then, {there} now" in str(found)


def test_a_metric_of_another_signature_is_named_and_not_computed_again(run):
    signature = json.loads((run / "run.json").read_text(encoding="utf-8"))["starts"][0]["signatures"]["f1"]
    change(run / "run.json", signature, "f1|another")
    found = pipelines.verify(run)
    assert found.versions == [OtherVersion("signature of f1", "f1|another", signature)]
    assert outcomes(found)["other rows"] == "not checked"
    assert details(found)[0] == "other rows: f1: another signature today"


def test_an_unfinished_run_is_verified_as_far_as_it_is(run):
    for name in ("scores.json", "predictions.jsonl"):
        (run / name).unlink()
    found = pipelines.verify(run)
    assert outcomes(found)["scores"] == "not checked"
    assert outcomes(found)["predictions"] == "agrees"
    assert found.agrees


def test_shards_their_merge_and_an_ablation_are_verified(made, tmp_path):
    for number in (1, 2):
        asked = ASKED | {"shard": f"{number}/2", "report": False}
        pipelines.run("qa", data=made / "rows.jsonl", out=tmp_path / str(number), **asked)
    pipelines.merge(tmp_path / "1", tmp_path / "2", out=tmp_path / "merged", report=False)
    assert set(outcomes(pipelines.verify(tmp_path / "merged")).values()) == {"agrees"}
    assert outcomes(pipelines.verify(tmp_path / "1"))["shard.jsonl"] == "agrees"
    asked = ASKED | {"retriever": ["bm25", "tfidf"], "report": False}
    pipelines.ablate("qa", data=made / "rows.jsonl", out=tmp_path / "grid", **asked)
    found = pipelines.verify(tmp_path / "grid")
    assert (found.holds, found.agrees, len(found.runs)) == ("an ablation with 2 runs", True, 2)
    assert [set(outcomes(one).values()) for one in found.runs] == [{"agrees"}] * 2
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


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"is not a run's folder"):
        pipelines.verify(tmp_path / "nowhere")
