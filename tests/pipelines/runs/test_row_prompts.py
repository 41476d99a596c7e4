"""ZeroSCROLLS runs: the wording's origin is recorded, tags are removed, the document's centroid is the query."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import pipelines
from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.benchmarks.zero_scrolls.prompts import WORDING
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.records import Document, Example
from tests.pipelines.runs.test_truncation import zero_scrolls_row

MILL = "The mill stood by the river. Anna kept a lamp in the mill. Yes. Tom mended the wheel of the mill by the river."
BARE = [Example("a", Document("d", MILL), "What did Anna keep?", ("a lamp",))]


@dataclass
class Says(Reader):
    """Gives one answer to everything and records the prompts."""

    says: str = "a lamp"
    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    prompts: list[str] = field(default_factory=list)

    def count(self, texts: Any) -> list[int]:
        return count_words(texts)

    def reply(self, requests: Any) -> list[Reply]:
        self.prompts += [request.prompt.text for request in requests]
        return [Reply(self.says) for _ in requests]


def write_rows(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def spec(result: Any) -> Any:
    return json.loads((result.folder / "run.json").read_text(encoding="utf-8"))["spec"]


def test_a_published_prompt_is_recorded_and_does_not_mark_scores(tmp_path: Path) -> None:
    row, _, _ = zero_scrolls_row("qasper")
    reader = Says("B")
    result = pipelines.run(
        "zero_scrolls/qasper", data=write_rows(tmp_path, row), model=reader, chunker="whole", out=tmp_path / "run",
        metrics="f1_ascii",
    )  # fmt: skip
    assert reader.prompts == [row["input"]]
    assert spec(result)["prompt"] == {
        "form": "row", "wording": "published", "summary": False, "own": None, "separator": "\n",
    }  # fmt: skip
    assert result.scores.signatures and not any(
        "own wording" in signature for signature in result.scores.signatures.values()
    )


def test_our_own_wording_is_recorded_and_marks_the_scores_also_when_scored_again(tmp_path: Path) -> None:
    result = pipelines.run("zero_scrolls/squality", data=BARE, model=Says(), out=tmp_path / "run")
    prompt = spec(result)["prompt"]
    assert (prompt["wording"], prompt["own"]["response"]) == ("own", WORDING["squality"].response)
    assert set(result.scores.signatures) >= {"rouge1", "geometric_mean"}
    assert all(signature.endswith("|prompt:own wording") for signature in result.scores.signatures.values())
    assert pipelines.rescore(tmp_path / "run")["signatures"] == dict(result.scores.signatures)


def test_scores_of_the_selection_are_not_marked(tmp_path: Path) -> None:
    data = [Example("a", Document("d", MILL), "What did Anna keep?", ("a lamp",), evidence=((29, 58),))]
    result = pipelines.run("zero_scrolls/qasper", data=data, model=Says(), out=tmp_path / "run")
    is_marked = {
        name: signature.endswith("|prompt:own wording") for name, signature in result.scores.signatures.items()
    }
    assert is_marked == {"f1_ascii": True, **dict.fromkeys(EVIDENCE_NAMES, False)}


def test_rows_built_with_our_wording_are_marked_too(tmp_path: Path) -> None:
    row, _, _ = zero_scrolls_row("squality")
    shift = len(ours := WORDING["squality"].instruction) - len("Read this.")
    row["input"] = ours + row["input"].removeprefix("Read this.")
    row |= {name: row[name] + shift for name in row if name.endswith("_index")}
    plan = make_plan("zero_scrolls/squality", data=write_rows(tmp_path, row), model=Says(), seed=0)
    assert spec_of(plan)["prompt"]["wording"] == "own"


def test_data_with_prompts_in_some_rows_only_are_refused(tmp_path: Path) -> None:
    carrying = Example("b", Document("e", "Tom."), meta={"before": "Read.\n\n", "after": "\nAnswer:", "truncation": ""})
    with pytest.raises(UserError, match="example 'a' has no prompt of its own"):
        pipelines.run("zero_scrolls/qasper", data=[carrying, *BARE], model=Says(), metrics="f1", out=tmp_path / "run")


def test_the_answer_is_extracted_from_its_tags_and_the_log_keeps_the_reply(tmp_path: Path) -> None:
    reply = "He says so, thus <answer>a lamp</answer> it is"
    reader = Says(reply)
    result = pipelines.run(
        "zero_scrolls/qasper", data=BARE, model=reader, prompt="tags", metrics="f1_ascii", out=tmp_path / "run"
    )
    assert [prediction.prediction for prediction in result.predictions] == ["a lamp"]
    assert reader.prompts[0].endswith("\n\nAnswer: <answer>")
    assert json.loads((tmp_path / "run" / "requests.jsonl").read_text(encoding="utf-8"))["value"] == reply


def test_a_users_template_gets_the_rows_instruction(tmp_path: Path) -> None:
    row, _, _ = zero_scrolls_row("qasper")
    reader = Says()
    arguments = {"prompt": "{instruction} | {query} | {document}", "model": reader, "chunker": "truncate:12"}
    shown = pipelines.prompt("zero_scrolls/qasper", "a", data=write_rows(tmp_path, row), **arguments)
    assert shown.text == "Read this. | What did Anna keep?\n\n | Anna kept lamp 0"
    bare = pipelines.prompt("zero_scrolls/qasper", "a", data=BARE, model=reader, prompt="{instruction}|{document}")
    assert bare.text == f"{WORDING['qasper'].instruction}|{MILL}"


def test_impossible_forms_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown form of prompt 'chats'; did you mean chat"):
        pipelines.prompt("zero_scrolls/qasper", "a", data=BARE, model=Says(), prompt="chats")
    with pytest.raises(UserError, match="prompt='row' needs rows with prompts, which qa does not have"):
        pipelines.prompt("qa", "a", data=BARE, model=Says(), prompt="row")


def test_a_document_without_a_question_is_ranked_by_its_own_centroid(tmp_path: Path) -> None:
    data = [Example("a", Document("d", MILL), references=("a mill",))]
    arguments: dict[str, Any] = {"data": data, "model": Says(), "chunker": "sentences:8", "retriever": "tfidf", "k": 1}
    with pytest.raises(UserError, match=r"gov_report asks no question.*query='centroid' or retriever='first'"):
        pipelines.run("zero_scrolls/gov_report", **arguments)
    result = pipelines.run("zero_scrolls/gov_report", **arguments, query="centroid", out=tmp_path / "run")
    (prediction,) = result.predictions
    from sklearn.feature_extraction.text import TfidfVectorizer

    chunks = split("sentences:8", MILL)
    vectors = TfidfVectorizer().fit_transform([text for text, _, _ in chunks]).toarray()
    best = int((vectors @ vectors.mean(axis=0)).argmax())
    assert prediction.selected == (
        (*chunks[best][1:], pytest.approx((vectors @ vectors.mean(axis=0)).max(), abs=1e-6)),
    )
    assert spec(result)["query"] == "centroid"
    assert "tfidf by centroid k=1" in result.recipe


def split(chunker: str, text: str) -> list[tuple[str, int, int]]:
    import chunkers

    return [(chunk.text, chunk.start, chunk.end) for chunk in chunkers.get(chunker).split(text)]


def test_the_centroid_replaces_a_question_where_there_is_one() -> None:
    more = [*BARE, Example("b", BARE[0].document, "Who?", ("Tom",))]
    arguments: dict[str, Any] = {"data": more, "model": Says(), "chunker": "sentences:8", "retriever": "bm25", "k": 2}
    spans = [
        pipelines.prompt("qa", name, **arguments, query=query).spans
        for query in ("centroid", None)
        for name in ("a", "b")
    ]
    assert spans[0] == spans[1] and spans[2] != spans[0]
    assert "query" not in spec_of(make_plan("qa", seed=0, **arguments))
    assert spec_of(make_plan("qa", seed=0, query="centroid", **arguments))["query"] == "centroid"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"retriever": "first"}, "the retriever first cannot rank by the document's centroid: give retriever='tfidf'"),
        ({"retriever": "hybrid:[first,tfidf]"}, "the retriever hybrid cannot rank"),
        ({"chunker": "whole"}, "the retriever all cannot rank"),
        ({"query": "centre"}, "query must be \"centroid\" or left out .*, got 'centre'"),
    ],
)
def test_an_impossible_centroid_query_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.prompt("qa", "a", data=BARE, model=Says(), **({"query": "centroid"} | arguments))


def test_the_command_line_takes_a_centroid_query(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pipelines.cli.main import app

    row = {"id": "a", "document": MILL, "question": "What did Anna keep?", "answers": ["a lamp"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    command = ["prompt", "qa", "a", "--data", str(tmp_path / "rows.jsonl"), "--model", "extractive", "--set",
               "query=centroid", "--chunker", "sentences:8", "-k", "1"]  # fmt: skip
    app(command, standalone_mode=False)
    assert capsys.readouterr().out.splitlines()[0].startswith("What did Anna keep? ")
