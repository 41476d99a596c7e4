"""Truncation, the baselines of SCROLLS and ZeroSCROLLS: only the document is truncated, exact to the token."""

import json
from pathlib import Path
from typing import Any

import pytest

import models
import pipelines
from longdoc.errors import UserError
from models.tokenizer import Subwords
from pipelines.benchmarks.scrolls import tasks as scrolls
from pipelines.benchmarks.zero_scrolls import tasks as zero_scrolls

STORY = " ".join(f"Anna kept lamp {n} in the mill, and Tom mended the wheel." for n in range(2_500))
QUESTION = "What did Anna keep?"
OPTIONS = " (A) Tom\n (B) a lamp\n (C) the mill\n (D) a wheel"
NOTICE = "... [The rest of the text is omitted]\n\n"
BOUNDS = (256, 512, 1_024, 2_048, 4_096, 8_192, 16_384)


def scrolls_row(name: str) -> tuple[dict[str, Any], str, str]:
    """A row, and the text before and after its document."""
    has_query = scrolls.DATASETS[name].has_query
    before = f"{QUESTION}\n\n{OPTIONS}\n\n" if name == "quality" else f"{QUESTION}\n\n" if has_query else ""
    return {"id": "a", "pid": "a_0", "input": before + STORY, "output": "a lamp"}, before, ""


def zero_scrolls_row(name: str) -> tuple[dict[str, Any], str, str]:
    before, query = "Read this.\n\nText:\n", ""
    if zero_scrolls.DATASETS[name].has_query:
        query = f"Question:\n{QUESTION}\n{OPTIONS}\n\n" if name == "quality" else f"Question:\n{QUESTION}\n\n"
    after = f"\n\n{query}Answer:\n"
    end = len(before + STORY)
    row = {
        "id": "a",
        "pid": "a_0",
        "input": before + STORY + after,
        "output": "B",
        "document_start_index": len(before),
        "document_end_index": end,
        "query_start_index": end + 2,
        "query_end_index": end + 2 + len(query),
        "truncation_seperator": NOTICE,
    }
    return row, before, after


def prompt_of(folder: Path, task: str, row: dict[str, Any], **arguments: Any) -> Any:
    split = "validation" if task.startswith("scrolls/") else "test"
    (folder / f"{split}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return pipelines.prompt(task, "a", data=folder, metrics="f1", **arguments)


def document_part(text: str, before: str, after: str) -> str:
    """The document's part of a prompt."""
    assert text.startswith(before) and text.endswith(after)
    return text[len(before) : len(text) - len(after)]


def one_token_more(document: str, tokenizer: Path) -> str:
    return STORY[
        : min(end for end in Subwords.load(tokenizer).ends(STORY[: len(document) + 100]) if end > len(document))
    ]


@pytest.mark.parametrize("name", scrolls.DATASETS)
def test_a_scrolls_task_keeps_query_and_options_and_loses_the_document_s_tail(
    name: str, tmp_path: Path, tiny_t5: Path
) -> None:
    row, before, _ = scrolls_row(name)
    reader = {"name": "seq2seq", "model": str(tiny_t5), "max_input_tokens": 20_000}
    prompt = prompt_of(tmp_path, f"scrolls/{name}", row, chunker="truncate:256", model=reader)
    document = document_part(prompt.text, before, "")
    count = models.get(reader).count
    assert document and STORY.startswith(document)
    assert prompt.tokens == count([prompt.text])[0] == 256 < count([before + one_token_more(document, tiny_t5)])[0]
    assert prompt.truncated_tokens == count([STORY])[0] - count([document])[0]
    assert prompt.spans == ((0, len(document)),)


@pytest.mark.parametrize("name", zero_scrolls.DATASETS)
def test_a_zero_scrolls_task_keeps_all_but_the_documents_tail_and_has_the_notice(
    name: str, tmp_path: Path, tiny_t5: Path
) -> None:
    row, before, after = zero_scrolls_row(name)
    reader = {"name": "seq2seq", "model": str(tiny_t5), "max_input_tokens": 20_000}
    prompt = prompt_of(tmp_path, f"zero_scrolls/{name}", row, chunker="truncate:256", model=reader)
    ending = NOTICE + after.removeprefix("\n\n")
    document = document_part(prompt.text, before, ending)
    count = models.get(reader).count
    assert document and STORY.startswith(document)
    assert (
        prompt.tokens
        == count([prompt.text])[0]
        <= 256
        < count([before + one_token_more(document, tiny_t5) + ending])[0]
    )
    whole = prompt_of(
        tmp_path, f"zero_scrolls/{name}", row, chunker="whole", model={**reader, "max_input_tokens": 99_999}
    )
    assert (whole.text, whole.truncated_tokens) == (row["input"], 0)


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_limit_of_the_papers_is_exact_to_the_token(bound: int, tmp_path: Path, tiny_t5: Path) -> None:
    row, before, after = zero_scrolls_row("qasper")
    reader = {"name": "seq2seq", "model": str(tiny_t5), "max_input_tokens": 20_000}
    prompt = prompt_of(tmp_path, "zero_scrolls/qasper", row, chunker=f"truncate:{bound}", model=reader)
    ending = NOTICE + after.removeprefix("\n\n")
    document = document_part(prompt.text, before, ending)
    assert prompt.tokens <= bound < models.get(reader).count([before + one_token_more(document, tiny_t5) + ending])[0]


def test_without_a_bound_the_models_own_limit_applies(tmp_path: Path, tiny_t5: Path, tiny_led: Path) -> None:
    row, before, _ = scrolls_row("quality")
    for folder, limit in ((tiny_t5, 48 - 1), (tiny_led, 128 - 2)):
        reader = {"name": "seq2seq", "model": str(folder)}
        prompt = prompt_of(tmp_path, "scrolls/quality", row, chunker="whole", model=reader)
        document = document_part(prompt.text, before, "")
        count = models.get(reader).count
        assert document
        assert prompt.tokens == limit < count([before + one_token_more(document, folder)])[0]


def test_a_users_template_is_truncated_at_a_word(tmp_path: Path, tiny_led: Path) -> None:
    row, _, _ = scrolls_row("qmsum")
    reader = {"name": "seq2seq", "model": str(tiny_led)}
    spare = []
    for bound in range(100, 106):
        arguments = {"chunker": f"truncate:{bound}", "model": reader}
        assert prompt_of(tmp_path, "scrolls/qmsum", row, **arguments).tokens == bound
        own = prompt_of(tmp_path, "scrolls/qmsum", row, prompt="{query} \n\n{document}", **arguments)
        assert STORY[len(document_part(own.text, f"{QUESTION} \n\n", ""))] == " "
        spare.append(bound - own.tokens)
    assert max(spare) > 0 == min(spare)


def test_retrieval_over_the_same_reader_keeps_the_same_parts(tmp_path: Path, tiny_t5: Path) -> None:
    row, before, after = zero_scrolls_row("qasper")
    reader = {"name": "seq2seq", "model": str(tiny_t5), "max_input_tokens": 20_000}
    arguments = {"chunker": "sentences:30", "retriever": "bm25", "k": 3, "model": reader}
    prompt = prompt_of(tmp_path, "zero_scrolls/qasper", row, **arguments)
    assert document_part(prompt.text, before, after) == "\n".join(STORY[start:end] for start, end in prompt.spans)
    assert (len(prompt.spans), prompt.truncated_tokens) == (3, 0)
    tight = {**reader, "max_input_tokens": prompt.tokens}  # one token short: the end token counts there
    shorter = prompt_of(tmp_path, "zero_scrolls/qasper", row, **{**arguments, "model": tight})
    assert shorter.truncated_tokens > 0 and shorter.tokens < prompt.tokens
    assert shorter.text.endswith(NOTICE + after.removeprefix("\n\n"))


@pytest.mark.parametrize("limit", [100, 101, 128])
def test_the_middle_is_cut_as_the_benchmarks_codes_cut_it(limit: int, tmp_path: Path, tiny_led: Path) -> None:
    row, _, _ = scrolls_row("qmsum")
    reader = {"name": "seq2seq", "model": str(tiny_led)}  # whose own limit is 128
    tokenizer = Subwords.load(tiny_led).tokenizer
    prompt = prompt_of(tmp_path, "scrolls/qmsum", row, chunker=f"truncate:{limit},side=middle", model=reader)
    ids = tokenizer.encode(row["input"]).ids
    halves = ids[: limit // 2], ids[-(limit - limit // 2) :]
    assert prompt.text == "".join(tokenizer.decode(half, skip_special_tokens=True) for half in halves)
    head, tail = prompt.spans
    assert prompt.text == f"{QUESTION}\n\n" + STORY[slice(*head)] + STORY[slice(*tail)]
    assert (head[0], tail[1]) == (0, len(STORY)) and prompt.truncated_tokens > 9_000
    larger = prompt_of(tmp_path, "scrolls/qmsum", row, chunker="truncate:9000,side=middle", model=reader)
    assert prompt_of(tmp_path, "scrolls/qmsum", row, chunker="truncate:side=middle", model=reader) == larger
    assert larger.tokens <= 126 and (larger.spans == prompt.spans) == (limit == 128)


def test_a_run_that_cuts_the_tail_has_no_side_in_its_record(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"data": "sample", "model": "lead", "limit": 2, "retriever": "all", "metrics": "f1"}
    pipelines.run("narrativeqa", chunker="truncate:40", out=tmp_path / "tail", **arguments)
    record = json.loads((tmp_path / "tail" / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["chunker"] == {"name": "truncate", "tokens": 40}
    pipelines.run("narrativeqa", chunker="truncate:40,side=tail", out=tmp_path / "tail", **arguments)
    with pytest.raises(UserError, match="side"):
        pipelines.run("narrativeqa", chunker="truncate:40,side=middle", out=tmp_path / "tail", **arguments)


def test_a_run_that_cuts_the_middle_shows_both_ends_and_is_resumed(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {
        "data": "sample",
        "model": "lead",
        "retriever": "all",
        "metrics": "f1",
        "out": tmp_path,
    }
    arguments["chunker"] = "truncate:40,side=middle"
    pipelines.run("narrativeqa", limit=1, **arguments)
    requests = (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    resumed = pipelines.run("narrativeqa", limit=2, **arguments)
    assert (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()[:1] == requests
    assert resumed.recipe.startswith("truncate:40,side=middle → ")
    for prediction in resumed.predictions:
        (start, head), (tail, end) = prediction.shown_spans
        assert (start, end) == prediction.selected[0][:2] and 0 < head < tail < end and prediction.tokens_in == 40
