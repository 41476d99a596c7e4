"""`pipelines.run` from data to final files, undisturbed, killed and resumed."""

import json
import os
import signal
import subprocess
import sys

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example
from tests.conftest import ROOT
from tests.turns import for_each

FINAL = ("predictions.jsonl", "scores.json")

FRAIL = '''
import os, signal
from dataclasses import dataclass
from models import Generate, Reader, Reply

@dataclass(frozen=True)
class Frail(Reader):
    """Answers with the first word of the best passage, notes its questions, kills its process before one."""
    notes: str
    dies_at: int = 0
    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    batch_requests = 1

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def resolve(self):
        return {}

    def reply(self, requests):
        replies = []
        for request in requests:
            asked = open(self.notes, encoding="utf-8").read().splitlines() if os.path.exists(self.notes) else []
            if os.path.exists(self.notes + ".kill") and len(asked) == int(open(self.notes + ".kill").read()):
                os.kill(os.getpid(), signal.SIGKILL)
            with open(self.notes, "a", encoding="utf-8") as file:
                file.write(request.prompt.query + "\\n")
            replies.append(Reply(request.prompt.passages[0].text.split()[0], tokens_in=3, tokens_out=1))
        return replies
'''


def library(documents=3, questions=4):
    """A few documents of sixty sentences with questions that name one of them."""
    for d in range(documents):
        text = " ".join(f"Room{d}{i} holds the {colour(d, i)} chest number {i}." for i in range(60))
        document = Document(f"house-{d}", text)
        for q in range(questions):
            i = (7 * q + d) % 60
            yield Example(f"q-{d}-{q}", document, f"What does Room{d}{i} hold?", (f"the {colour(d, i)} chest",))


def colour(d, i):
    return ["red", "green", "blue", "white", "black"][(d + i) % 5]


def files(folder):
    return {name: (folder / name).read_bytes() for name in FINAL}


def test_a_run_writes_its_folder_and_scores(tmp_path):
    result = pipelines.run(
        "qa", data=list(library()), model="extractive", chunker="tokens:21", k=1, out=tmp_path / "run",
        metrics=["f1", "answer_recall"],
    )  # fmt: skip
    assert (result.examples, result.documents, result.scored) == (12, 3, 12)
    assert result.scores["answer_recall"] == 100.0
    assert set(result.scores.signatures) == {"f1", "answer_recall"}
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["chunker"] == {"name": "tokens", "size": 21, "stride": None, "unit": "words"}
    assert record["spec"]["retriever"]["name"] == "evidence"
    assert record["format"] == 6
    prediction = result.predictions[0]
    (start, end), *_ = prediction.shown_spans
    text = next(library()).document.text
    assert "Room00 holds the red chest" in text[start:end]


def test_the_same_run_again_makes_no_request_and_changes_nothing(tmp_path):
    arguments = {"data": list(library()), "model": "extractive", "out": tmp_path / "run", "metrics": ["f1"]}
    pipelines.run("qa", **arguments)
    before = files(tmp_path / "run")
    again = pipelines.run("qa", **arguments)
    assert (again.new_requests, again.resumed) == (0, 12)
    assert files(tmp_path / "run") == before


def test_another_run_in_the_same_folder_is_refused(tmp_path):
    arguments = {"data": list(library()), "model": "extractive", "out": tmp_path / "run", "metrics": ["f1"]}
    pipelines.run("qa", **arguments)
    with pytest.raises(UserError, match="k: 10 there, 2 now"):
        pipelines.run("qa", k=2, **arguments)


@pytest.fixture(scope="module")
def frail(tmp_path_factory):
    """A folder with a reader and rows, the files of an undisturbed run, and what that run asked."""
    folder = tmp_path_factory.mktemp("frail")
    (folder / "frail.py").write_text(FRAIL, encoding="utf-8")
    rows = [
        {"id": e.id, "document": e.document.text, "question": e.query, "answers": list(e.references)} for e in library()
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    notes = folder / "asked.txt"
    assert start_run(folder, folder / "whole", notes).returncode == 0
    return folder, files(folder / "whole"), notes.read_text(encoding="utf-8").splitlines()


def start_run(folder, out, notes, engine="local"):
    """Run in the folder of the reader's notes: their path, a part of each request's digest, must stay the same."""
    command = [sys.executable, "-m", "longdoc", "run", "qa", "--data", str(folder / "rows.jsonl"), "--out", str(out)]
    command += ["--model", f"frail:Frail:notes={notes.name}", "--metric", "f1", "--engine", engine]
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    return subprocess.run(command, env=environment, cwd=notes.parent, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("dies_at", "workers"),
    [(5, 4), *(pytest.param(*one, marks=pytest.mark.slow) for one in ((1, 4), (1, 1), (5, 1), (11, 1), (11, 4)))],
)
def test_a_killed_run_is_resumed_and_ends_with_the_same_files(frail, tmp_path, dies_at, workers):
    folder, whole, undisturbed = frail
    notes, out = tmp_path / "asked.txt", tmp_path / "killed"
    (tmp_path / "asked.txt.kill").write_text(str(dies_at), encoding="utf-8")
    assert start_run(folder, out, notes).returncode == -signal.SIGKILL
    assert not (out / "scores.json").exists()
    (tmp_path / "asked.txt.kill").unlink()
    assert start_run(folder, out, notes, f"local:workers={workers}").returncode == 0
    assert files(out) == whole
    assert notes.read_text(encoding="utf-8").splitlines() == undisturbed  # no request was made twice


def test_a_request_whose_reply_was_logged_but_not_used_is_not_made_again(tmp_path):
    arguments = {"data": list(library()), "model": "extractive", "out": tmp_path / "run", "metrics": ["f1"]}
    pipelines.run("qa", **arguments)
    before = files(tmp_path / "run")
    for name in ("journal.jsonl", *FINAL):
        (tmp_path / "run" / name).unlink()
    again = pipelines.run("qa", **arguments)
    assert (again.new_requests, again.resumed) == (0, 0)
    assert files(tmp_path / "run") == before


def test_rows_without_references_get_predictions_and_are_not_scored(tmp_path):
    data = [Example("a", Document("d", "The cat sat on the mat."), "Where did the cat sit?")]
    result = pipelines.run("qa", data=data, model="extractive", out=tmp_path / "run", metrics=["f1"])
    assert result.predictions[0].prediction
    assert (dict(result.scores), dict(result.scores.not_computed)) == ({}, {"f1": "not scored: no references"})


def test_limit_and_sample_choose_examples(tmp_path):
    arguments = {"data": list(library()), "model": "extractive", "metrics": ["f1"]}
    first = pipelines.run("qa", limit=5, out=tmp_path / "first", **arguments)
    assert [p.id for p in first.predictions] == ["q-0-0", "q-0-1", "q-0-2", "q-0-3", "q-1-0"]
    sampled = pipelines.run("qa", sample=3, out=tmp_path / "drawn", **arguments)
    assert sampled.documents == 3


@for_each(
    ("mistake", "message"),
    [
        ({"k": 0}, "k must be a whole number of at least 1, got 0"),
        ({"limit": 10**20}, "limit is a whole number that is too large; give one of at most 4,294,967,295"),
        ({"seed": -(10**20)}, "seed is a whole number that is too large; give one of at most 4,294,967,295"),
        ({"k": -3}, "k must be"),
        ({"k": 3, "budget": "100 tokens"}, "k and budget cannot be given together"),
        ({"limit": 2, "sample": 2}, "limit and sample cannot be given together"),
        ({"retriever": "tfdif"}, "unknown retriever 'tfdif'; did you mean tfidf"),
        ({"chunker": "tokens:siz=3"}, "unknown parameter of chunker tokens: 'siz'; did you mean size"),
        ({"strategy": "stuf"}, "unknown strategy 'stuf'; did you mean stuff"),
        ({"metrics": ["f2"]}, "unknown metric 'f2'; did you mean f1"),
        ({"order": "length"}, 'order must be "score" or "document"'),
        ({"retriever": "all", "k": 3}, "selects every chunk, so k=3 has no effect"),
        ({"model": "extractive,device=cuda"}, "unknown parameter of reader extractive: 'device'"),
        ({"prompt": "{question} {document}"}, "unknown part of a prompt template 'question'"),
        ({"prompt": "{query}"}, "must contain {document} exactly once"),
        ({"prompt": " "}, "prompt is empty: leave it out, or give it a value"),
        ({"chunker": ""}, "chunker is empty"),
        ({"order": ""}, "order is empty"),
        ({"budget": "3 tokens"}, "a budget of 3 tokens is used up by the question"),
        ({"device": "cuda"}, "unknown argument 'device'; now model=\"MODEL,device=cuda\""),
    ],
)
def test_a_mistake_is_refused_with_what_to_type(tmp_path, mistake, message):
    with pytest.raises(UserError, match=message):
        pipelines.run("qa", **{"data": list(library()), "model": "extractive", "out": tmp_path / "run"} | mistake)


def test_an_unknown_task_suggests_the_nearest(tmp_path):
    with pytest.raises(UserError, match="unknown task 'narativeqa'; did you mean narrativeqa"):
        pipelines.run("narativeqa")


def test_a_budget_bounds_the_prompt_as_the_reader_counts(tmp_path):
    arguments = {"data": list(library()), "model": "extractive", "chunker": "tokens:20", "metrics": ["f1"]}
    result = pipelines.run("qa", budget="70 tokens", out=tmp_path / "run", **arguments)
    shown = pipelines.prompt(
        "qa", "q-0-0", data=list(library()), model="extractive", chunker="tokens:20", budget="70 tokens"
    )
    assert [len(p.selected) for p in result.predictions] == [3] * 12
    assert (shown.tokens, shown.truncated_tokens) == (64, 0)


def test_a_dry_run_counts_and_makes_no_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dry = pipelines.dry_run("qa", data=list(library()), model="extractive", chunker="tokens:20", k=2)
    assert (dry.documents, dry.examples, dry.requests) == (3, 12, 12)
    assert (dry.prompt_tokens, dry.longest_prompt) == (12 * 44, 44)
    assert list(tmp_path.iterdir()) == []


def test_truncation_keeps_the_beginning_and_counts_the_truncated_tokens(tmp_path):
    arguments = {"data": list(library()), "model": "extractive", "metrics": ["f1"]}
    result = pipelines.run("qa", chunker="truncate:100", out=tmp_path / "run", **arguments)
    words = len(next(library()).document.text.split())
    assert {p.truncated_tokens for p in result.predictions} == {words + 4 - 100}
    assert {p.shown_spans[0][0] for p in result.predictions} == {0}
    assert result.truncated == {"examples": 12, "tokens": 12 * (words + 4 - 100)}


@pytest.mark.parametrize("order", ["score", "document"])
def test_selected_chunks_are_in_the_requested_order(tmp_path, order):
    result = pipelines.run(
        "qa", data=list(library()), model="extractive", chunker="tokens:20", k=5, order=order, out=tmp_path / "run",
        metrics=["f1"],
    )  # fmt: skip
    for prediction in result.predictions:
        starts = [start for start, _, _ in prediction.selected]
        scores = [score for _, _, score in prediction.selected]
        assert starts == sorted(starts) if order == "document" else scores == sorted(scores, reverse=True)


def test_ask_answers_from_a_file_with_passages_and_their_places(tmp_path):
    path = tmp_path / "house.txt"
    text = next(library()).document.text.replace(". ", ".\n")
    path.write_text(text, encoding="utf-8")
    answer = pipelines.ask(path, "What does Room012 hold?", chunker="tokens:14", k=2)
    assert "blue chest" in answer.text or "blue chest" in answer.passages[0].text
    for passage in answer.passages:
        assert text[passage.start : passage.end] == passage.text
        assert text.splitlines()[passage.line - 1].startswith(passage.text.split()[0])


def test_scores_of_lists_and_of_mappings_agree():
    lists = pipelines.score("f1", ["a cat", "dog"], [["cat"], ["a mouse"]])
    by_id = pipelines.score("f1", {"x": "a cat", "y": "dog"}, {"y": ["a mouse"], "x": ["cat"]})
    assert lists == by_id == {"f1": 50.0}
    assert {"f1", "exact_match", "rouge-l"} <= pipelines.score("narrativeqa", ["cat"], [["cat"]]).keys()
    with pytest.raises(UserError, match="without a prediction: y; unknown: z"):
        pipelines.score("f1", {"x": "a", "z": "b"}, {"x": ["a"], "y": ["b"]})
    with pytest.raises(UserError, match="2 predictions but 1 lists"):
        pipelines.score("f1", ["a", "b"], [["a"]])


def test_a_metric_that_was_missing_is_computed_when_the_run_is_started_again(tmp_path, monkeypatch):
    from pipelines.metrics.exact_match import ExactMatch

    arguments = {
        "data": list(library()),
        "model": "extractive",
        "out": tmp_path / "run",
        "metrics": ["f1", "exact_match"],
    }
    with monkeypatch.context() as patched:
        patched.setattr(ExactMatch, "prepare", _missing)
        first = pipelines.run("qa", **arguments)
    assert "exact_match" not in first.scores
    assert dict(first.scores.not_computed) == {"exact_match": "its files are missing: get them"}
    again = pipelines.run("qa", **arguments)
    assert again.new_requests == 0
    assert "exact_match" in again.scores
    assert "exact_match" in pipelines.rescore(tmp_path / "run")["scores"]


def _missing(self):
    from pipelines.metrics import NotComputable

    raise NotComputable("its files are missing: get them")


@for_each(
    ("mistake", "message"),
    [
        ({"engine": "locl"}, "unknown engine 'locl'"),
        ({"engine": "local:workers=0"}, "workers must be at least 1"),
        ({"retriever": "tfidfs"}, "unknown retriever"),
        ({"metrics": ["f2"]}, "unknown metric"),
        ({"order": "rank"}, 'order must be "score" or "document"'),
        ({"prompt": "rows"}, "unknown form of prompt"),
        ({"query": "middle"}, 'query must be "centroid"'),
        ({"max_new_tokens": 0}, "max_new_tokens must be a whole number"),
    ],
)
@for_each("verb", [pipelines.run, pipelines.dry_run, pipelines.ablate, pipelines.plan_ablation])
def test_wrong_arguments_are_refused_before_the_data_are_read(tmp_path, verb, mistake, message):
    axis = {"seed": [1, 2]} if "abl" in verb.__name__ else {}
    with pytest.raises(UserError, match=message):
        verb("qa", data=tmp_path / "nowhere.jsonl", model="extractive", **axis, **mistake)


def test_a_path_where_no_run_can_be_is_refused_before_the_data_are_read(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    arguments = {"data": tmp_path / "nowhere.jsonl", "model": "extractive"}
    with pytest.raises(UserError, match=r"thesis\.txt is a file"):
        pipelines.run("qa", out=tmp_path / "thesis.txt", **arguments)
    with pytest.raises(UserError, match=r"thesis\.txt is a file"):
        pipelines.ablate("qa", out=tmp_path / "thesis.txt", k=[1, 2], **arguments)
    with pytest.raises(UserError, match=r"holds other files and no run\.json"):
        pipelines.run("qa", out=tmp_path, **arguments)


def test_wrong_arguments_of_ask_are_refused_before_any_document_is_read(tmp_path):
    with pytest.raises(UserError, match="unknown retriever"):
        pipelines.ask(tmp_path / "nowhere.pdf", "Who?", retriever="tfidfs")
    with pytest.raises(UserError, match="k must be a whole number"):
        pipelines.ask(tmp_path / "nowhere.pdf", "Who?", k=0)


def test_a_recipe_is_looked_up_before_the_data_are_read(tmp_path):
    arguments = {"data": tmp_path / "nowhere.jsonl", "model": "linear", "out": tmp_path / "out"}
    with pytest.raises(UserError, match="unknown recipe"):
        pipelines.train("style_change", recipe="linaer", **arguments)
