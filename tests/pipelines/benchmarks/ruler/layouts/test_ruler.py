"""RULER's rows: where the document and the question of a prompt are, and runs on them."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.benchmarks.ruler.layouts.ruler import spans_of

ASK = "Read the list. Say what it holds."
QUESTION = "Question: What is in it? Answer: In it are:"
PROMPTS = {  # prompts of our own in the forms of the tasks, with their documents and questions
    "needle": (
        f"{ASK}\nA gull sat.\nThe code of Ada is 17.\nWhat is the code of Ada? The code of Ada is",
        "A gull sat.\nThe code of Ada is 17.",
        "What is the code of Ada?",
    ),
    "example, lines": (
        f"{ASK}\n1. a 2. b\n{QUESTION}1. a\n{ASK}\n1. c 2. d\n{QUESTION}",
        "1. c 2. d",
        "What is in it?",
    ),
    "example, blank lines": (
        f" {ASK} x is 1. {QUESTION} x\n\n\n\n{ASK}\n\nA gull.\n y is 2.\n\n{QUESTION} ",
        "A gull.\n y is 2.",
        "What is in it?",
    ),
    "one line": (f"{ASK} aba ... cdc aba\n{QUESTION}", "aba ... cdc aba", "What is in it?"),
    "documents": (
        f"{ASK}\n\nThese are all.\n\nDocument 1:\nA gull.\n\nDocument 2:\nA mill.\n\n{ASK}\n\nQuestion: Who? Answer:",
        "Document 1:\nA gull.\n\nDocument 2:\nA mill.",
        "Who?",
    ),
    "no question": ("A gull sat there.", "A gull sat there.", ""),
}


@pytest.mark.parametrize("form", PROMPTS)
def test_document_and_question_follow_from_the_form_of_a_prompt(form: str) -> None:
    prompt, document, question = PROMPTS[form]
    spans = spans_of(prompt)
    assert (prompt[slice(*spans.document)], prompt[slice(*spans.query)]) == (document, question)


def write(file: Path, *rows: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def row(index: int, form: str = "needle", **fields: Any) -> dict[str, Any]:
    return {"index": index, "input": PROMPTS[form][0], "outputs": ["17", "gull"], "length": 30, **fields}


def examples(path: Path) -> list[Any]:
    return list(sources.load("ruler/vt", tasks.get("ruler/vt").dataset, path, "validation").examples())


def test_a_row_is_an_example_with_all_outputs_as_references(tmp_path: Path) -> None:
    first, second = examples(write(tmp_path / "validation.jsonl", row(0), row(7, answer_prefix=" so")))
    prompt, document, question = PROMPTS["needle"]
    assert (first.id, second.id, first.references) == ("0", "7", ("17", "gull"))
    assert (first.document.text, first.query, first.evidence) == (document, question, ())
    assert first.meta["before"] + document + first.meta["after"] == prompt
    assert second.meta["after"] == first.meta["after"] + " so"


def test_a_row_may_say_where_its_document_its_question_and_its_evidence_are(tmp_path: Path) -> None:
    prompt = PROMPTS["needle"][0]
    edges = {"document_start_index": 34, "document_end_index": 45, "query_start_index": 69, "query_end_index": 93}
    (example,) = examples(write(tmp_path / "validation.jsonl", row(0, **edges, evidence=[[36, 40]])))
    assert (
        (example.document.text, example.query)
        == (prompt[34:45], prompt[69:93])
        == ("A gull sat.", PROMPTS["needle"][2])
    )
    assert example.evidence == ((2, 6),)
    overlapping = {**edges, "query_start_index": 40}
    with pytest.raises(
        UserError, match=r"validation.jsonl:1: the document \(34 to 45\) and after it the query \(40 to"
    ):
        examples(write(tmp_path / "validation.jsonl", row(0, **overlapping)))
    with pytest.raises(UserError, match=r"evidence must be a list of \[start, end\], got 7"):
        examples(write(tmp_path / "validation.jsonl", row(0, **edges, evidence=7)))
    with pytest.raises(UserError, match=r"evidence must be \[start, end\] in the document \(34 to 45\), got \[1, 2\]"):
        examples(write(tmp_path / "validation.jsonl", row(0, **edges, evidence=[[1, 2]])))


def test_a_chat_model_is_asked_by_the_row_s_prompt(tmp_path: Path) -> None:
    data = write(tmp_path / "validation.jsonl", row(0), row(1, "needle", outputs=["18", "gull"]))
    prompts: list[str] = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return "17, and a GULL"

    result = pipelines.run("ruler/niah_multivalue", data=data, model=answer, out=tmp_path / "run", report=False)
    assert result.scores["string_match_all"] == 75.0
    assert prompts[0] == PROMPTS["needle"][0]
    assert result.signatures["string_match_all"] == "string_match_all|compared:contained, lower case|references:share"


def test_rows_without_outputs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the row needs outputs; found index, input, outputs, length"):
        examples(write(tmp_path / "validation.jsonl", row(0, outputs=[])))


def test_the_prompt_of_a_run_is_the_row_s_to_the_letter_and_passages_take_the_document_s_place(tmp_path: Path) -> None:
    data = write(tmp_path / "4096" / "niah_single_1" / "validation.jsonl", row(0))
    write(tmp_path / "4096" / "vt" / "validation.jsonl", row(0))
    arguments = {"data": tmp_path / "4096", "model": "lead"}
    assert pipelines.prompt("ruler/niah_single_1", "0", **arguments).text == PROMPTS["needle"][0]
    prompt = pipelines.prompt("ruler/niah_single_1", "0", **arguments, chunker="lines:size=6", retriever="bm25", k=1)
    assert prompt.text == PROMPTS["needle"][0].replace("A gull sat.\n", "")
    result = pipelines.run("ruler/niah_single_1", data=data, model="copy", out=tmp_path / "run", report=False)
    assert result.scores["string_match_all"] == 100.0
    assert result.signatures["string_match_all"].startswith("string_match_all|")


@pytest.mark.parametrize("length", [4096, 16384])
def test_every_row_of_ruler_s_generator_is_taken_apart_and_put_together_again_to_the_letter(
    length: int, realdata: Path
) -> None:
    folders = [path for path in (realdata / "ruler" / str(length)).iterdir() if path.is_dir()]
    assert len(folders) == {4096: 6, 16384: 4}[length]
    for folder in folders:
        rows = [json.loads(line) for line in (folder / "validation.jsonl").read_text().splitlines()]
        dataset = sources.load("ruler/vt", tasks.get("ruler/vt").dataset, folder, "validation")
        for example, fields in zip(dataset.examples(), rows, strict=True):
            prompt, document = fields["input"], example.document.text
            assert example.meta["before"] + document + example.meta["after"] == prompt
            assert len(document) > 0.7 * len(prompt), folder.name
            assert example.query in prompt.splitlines()[-1]
            assert example.query[-1] in "?."
            assert all(output in document for output in fields["outputs"])
            assert "Answer:" not in document
            assert not any(output in example.query for output in fields["outputs"])
