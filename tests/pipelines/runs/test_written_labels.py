"""Labels, classes and authors from models that only write; the server answers in the requested form, or sloppily."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.benchmarks.muld.layouts.character_types import LABELS
from tests import tiny_models
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat, failure

HERO, VILLAIN = LABELS
GOLD = {"Anna": HERO, "Tom": VILLAIN, "Zelda": HERO}
AUTHORS = ("the mill", "HELLO!!!", "Furthermore")  # the words by which the server knows who wrote a paragraph


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[str], str]], ApiServer]]:
    """Start a server that answers each prompt with the text that a function writes."""
    servers: list[ApiServer] = []

    def start(write: Callable[[str], str]) -> ApiServer:
        def answer(request: ReceivedRequest, times: int) -> Answer:
            return chat(write(request.prompt), usage=None)

        servers.append(ApiServer(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def model(server: ApiServer, **fields: Any) -> dict[str, Any]:
    return {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0} | fields


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def film(tmp_path: Path) -> Path:
    text = "\n\n".join(f"EXT. TOWN - DAY {i}\n\nANNA\nLook.\n\nTOM\nNo.\n\nZELDA\nWhy?" for i in range(30))
    kinds = {HERO: "Hero", VILLAIN: "Villain/Antagonist"}
    rows = [{"document": text, "character": name, "label": kinds[label]} for name, label in GOLD.items()]
    return write_rows(tmp_path / "film.jsonl", rows)


def character(prompt: str) -> str:
    return next(name for name in GOLD if f"Character: {name}\n" in prompt)


STYLES: dict[str, Callable[[str], str]] = {
    "exact": lambda label: label,
    "markup": lambda label: f"**{label}**",
    "sentence": lambda label: f"Based on these scenes, the character is the {label.lower()} of the film.",
    "lead": lambda label: f"Label: {label}\n\nThe other label does not fit.",
    "json": lambda label: f"```json\n{json.dumps({'label': label})}\n```",
    "quoted": lambda label: f"“{label}”.",
}


@pytest.mark.parametrize("style", STYLES)
def test_character_types_run_with_a_model_that_only_writes(style: str, film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: STYLES[style](GOLD[character(prompt)]))
    result = pipelines.run("character_types", data=film, model=model(server), out=tmp_path / "run")
    assert [prediction.prediction for prediction in result.predictions] == [HERO, VILLAIN, HERO]
    assert result.scores["accuracy"] == result.scores["macro_f1"] == 100
    for request in server.received:
        assert request.prompt.endswith(f"\n\nWrite one of these labels and nothing else:\n{HERO}\n{VILLAIN}")
        assert request.body["max_tokens"] >= 32 + 2 * 4
        assert request.body["response_format"]["type"] == "json_schema"
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert spec["strategy"] == {"name": "label", "by": "generation"}
    assert "labels" not in spec  # they are the task's


def test_replies_without_a_label_are_wrong_counted_and_reported(film: Path, serve: Any, tmp_path: Path) -> None:
    replies = {"Anna": HERO, "Tom": f"{HERO}\n{VILLAIN}", "Zelda": "I cannot say whether she is the Hero/Protagonist."}
    server = serve(lambda prompt: replies[character(prompt)])
    result = pipelines.run("character_types", data=film, model=model(server), out=tmp_path / "run")
    assert [prediction.prediction for prediction in result.predictions] == list(replies.values())
    assert [prediction.outputs for prediction in result.predictions] == [{}, {"no label": 1}, {"no label": 1}]
    assert result.scores["accuracy"] == pytest.approx(100 / 3)
    assert "2 of 3 outputs name no label, or several" in str(result)
    scored = json.loads((tmp_path / "run" / "scores.json").read_text(encoding="utf-8"))
    assert scored["outputs"] == {"no label": {"outputs": 2, "examples": 2}}


def test_a_server_that_takes_a_schema_is_sent_the_labels(film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: json.dumps({"label": GOLD[character(prompt)]}) if "labels" in prompt else "x")
    result = pipelines.run("character_types", data=film, model=model(server, structured=True), out=tmp_path / "run")
    assert result.scores["accuracy"] == 100
    form = server.received[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["properties"] == {"label": {"type": "string", "enum": list(LABELS)}}
    arguments = {"data": film.parent / "qa.jsonl", "model": model(server, structured=True)}
    write_rows(arguments["data"], [{"document": f"x ? {name}\n", "question": "Who?", "answer": "x"} for name in GOLD])
    pipelines.run("qa", out=tmp_path / "qa", **arguments)
    assert "response_format" not in server.received[-1].body


OPTION_ROW = {"document": "The landlord keeps the roof.", "question": "Who?", "options": ["Ann", "Bob"], "answer": "B"}


@pytest.mark.parametrize("strategy", ["stuff", "vote", "refine", "map_reduce", "chain_of_thought", "iterative"])
def test_a_schema_limits_replies_to_letters_and_the_answer_is_the_option(
    strategy: str, serve: Any, tmp_path: Path
) -> None:
    server = serve(lambda prompt: json.dumps({"label": "B"}) if "Write the letter" in prompt else "They think.")
    data = write_rows(tmp_path / "rows.jsonl", [OPTION_ROW])
    result = pipelines.run("qa", data=data, model=model(server), strategy=strategy, out=tmp_path / "run")
    assert [prediction.prediction for prediction in result.predictions] == ["Bob"]
    forms = [request.body["response_format"] for request in server.received if "response_format" in request.body]
    assert forms and all(form["json_schema"]["schema"]["properties"]["label"]["enum"] == ["A", "B"] for form in forms)
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["served"]["choices"] == ["schema"]
    assert record["spec"]["model"]["structured"] is None


def test_tags_and_a_user_s_own_prompt_have_no_schema(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: "<answer>B</answer>" if "<answer>" in prompt else "B")
    data = write_rows(tmp_path / "rows.jsonl", [OPTION_ROW])
    for prompt in ("tags", "{query} {options} {document}"):
        result = pipelines.run("qa", data=data, model=model(server), prompt=prompt, out=tmp_path / prompt[:4])
        assert [prediction.prediction for prediction in result.predictions] == ["Bob"]
    assert all("response_format" not in request.body for request in server.received)


def test_a_server_without_schemas_is_noted_once_and_recorded_and_a_resumed_run_ends_alike(
    film: Path, tmp_path: Path, capsys: Any
) -> None:
    def answer(request: ReceivedRequest, times: int) -> Answer:
        if "response_format" in request.body:
            return failure(400, "This response_format type is unavailable now")
        return chat(GOLD[character(request.prompt)], usage=None)

    server = ApiServer(answer)
    arguments = {"data": film, "model": model(server, concurrency=1), "report": False}
    first = pipelines.run("character_types", out=tmp_path / "run", **arguments)
    (tmp_path / "run" / "journal.jsonl").unlink()
    for name in ("predictions.jsonl", "scores.json"):
        (tmp_path / "run" / name).rename(tmp_path / name)
    second = pipelines.run("character_types", out=tmp_path / "run", **arguments)
    server.close()
    assert (len(server.received), second.new_requests) == (4, 0)  # one was refused
    assert [one.prediction for one in second.predictions] == [one.prediction for one in first.predictions]
    for name in ("predictions.jsonl", "scores.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / name).read_bytes()
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["served"]["choices"] == ["words"]
    assert capsys.readouterr().err.count("does not accept a JSON schema") == 1


def test_a_dry_run_counts_the_answers_room_and_the_price(film: Path, serve: Any) -> None:
    server = serve(lambda prompt: HERO)
    arguments = {"data": film, "model": model(server, prices={"input": 1.0, "output": 100.0})}
    dry = pipelines.dry_run("character_types", **arguments)
    assert (dry.requests, dry.all_rounds, server.received) == (3, None, [])
    assert dry.output_tokens is not None and dry.output_tokens >= 3 * (32 + 2 * 4)
    assert dry.price is not None and dry.price.most == pytest.approx(
        (dry.prompt_tokens + 100 * dry.output_tokens) / 1_000_000
    )


@pytest.mark.parametrize("strategy", ["label", "pairs", "label:by=likelihood"])
def test_a_reader_that_cannot_follow_a_prompt_is_refused_with_what_fits(strategy: str, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", [{"input": "One.\nTwo.", "output": "1,1"}])
    task = "style_change" if strategy == "pairs" else "character_types"
    suggestion = {"label": r"'label:by=generation'$", "pairs": r"'authors'$"}.get(strategy, "")
    with pytest.raises(
        UserError, match=f"which the reader 'extractive' does not answer; choose one that fits: .*{suggestion}"
    ):
        pipelines.run(task, data=rows, model="extractive", strategy=strategy, out=tmp_path / "run")


def test_given_arguments_are_not_replaced(film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: HERO)
    with pytest.raises(UserError, match=r"makes Compare requests, .* one that fits: strategy='authors'$"):
        pipelines.run("style_change", data=film, model=model(server), strategy="pairs", out=tmp_path / "run")
    arguments = {"data": film, "model": model(server), "out": tmp_path / "run"}
    with pytest.raises(UserError, match=r"makes Classify requests, .* one that fits: strategy='label:by=generation'$"):
        pipelines.run("character_types", strategy="label:likelihood", **arguments)
    with pytest.raises(UserError, match="character_types has its own labels, Hero/Protagonist, Villain/Antagonist"):
        pipelines.run("character_types", strategy="label:labels=[a,b]", **arguments)
    pipelines.run("character_types", max_new_tokens=7, **arguments)
    assert {request.body["max_tokens"] for request in server.received} == {7}


MAILS = {"Cheap pills now": "spam", "Lunch at one": "ham", "Win a ship": "spam"}


def mails(folder: Path, splits: tuple[str, ...] = ("train", "test")) -> Path:
    for split in splits:
        write_rows(folder / f"{split}.jsonl", [{"document": text, "label": label} for text, label in MAILS.items()])
    write_rows(folder / "test.jsonl", [{"document": "Lunch at two, not a pill", "label": "ham"}])
    return folder


def test_classes_are_those_of_the_training_rows(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: "The label is *Ham*.")
    result = pipelines.run("classify", data=mails(tmp_path / "mails"), model=model(server), out=tmp_path / "run")
    assert (result.scores["accuracy"], result.predictions[0].prediction) == (100, "ham")
    prompt_end = "Document:\nLunch at two, not a pill\n\nWrite one of these labels and nothing else:\nham\nspam"
    assert server.prompts == [f"Say to which class a document belongs.\n\n{prompt_end}"]
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert spec["labels"] == ["ham", "spam"]


def test_classes_are_never_read_from_the_rows_that_are_scored(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: "ham")
    folder = mails(tmp_path / "mails", splits=())
    problem = "lists the labels of a training split, .*; give data= a folder with train and test files, or strategy="
    with pytest.raises(UserError, match=problem):
        pipelines.run("classify", data=folder / "test.jsonl", model=model(server), out=tmp_path / "run")
    with pytest.raises(UserError, match=problem):
        pipelines.run("classify", data=folder, model=model(server), out=tmp_path / "run")
    assert server.received == []
    arguments = {"data": folder / "test.jsonl", "model": model(server), "strategy": "label:labels=[spam,ham]"}
    assert pipelines.run("classify", out=tmp_path / "run", **arguments).scores["accuracy"] == 100
    assert server.prompts[0].endswith(":\nspam\nham")


def test_rows_with_options_are_asked_to_choose_between_them(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: prompt.splitlines()[-1])
    row = {"document": "Lunch at two", "label": "ham", "options": ["spam", "ham"]}
    rows = write_rows(tmp_path / "rows.jsonl", [row])
    assert pipelines.run("classify", data=rows, model=model(server), out=tmp_path / "run").scores["accuracy"] == 100


def test_labels_that_leave_the_prompt_no_room_are_refused_at_once(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: "class 12")
    rows = [{"document": f"Mail {number}", "label": f"class {number}"} for number in range(10_000)]
    write_rows(tmp_path / "mails" / "train.jsonl", rows)
    write_rows(tmp_path / "mails" / "test.jsonl", rows[12:13])
    arguments = {"data": tmp_path / "mails", "out": tmp_path / "run"}
    with pytest.raises(
        UserError, match=r"the list of 10,000 labels takes [\d,]+ tokens, and the prompt has at most [\d,]+: give"
    ):
        pipelines.run("classify", model=model(server, window=8_000), **arguments)
    assert pipelines.run("classify", model=model(server), **arguments).scores["accuracy"] == 100


def test_t5_is_told_the_classes_of_the_training_rows_too(tiny_t5: Path, tmp_path: Path) -> None:
    arguments = {"model": f"{tiny_t5},max_input_tokens=120,deterministic=true"}
    result = pipelines.run("classify", data=mails(tmp_path / "mails"), out=tmp_path / "run", **arguments)
    assert list(json.loads(result.predictions[0].notes["probabilities"])) == ["ham", "spam"]


def paragraph(author: int, number: int) -> str:
    return f"{AUTHORS[author - 1]} and so on, {number} times."


def style_rows(path: Path, *documents: tuple[int, ...]) -> Path:
    rows = [
        {"input": "\n".join(paragraph(a, i) for i, a in enumerate(authors)), "output": ",".join(map(str, authors))}
        for authors in documents
    ]
    return write_rows(path, rows)


def author_lines(prompt: str) -> list[tuple[int, int]]:
    """(number, author) of each paragraph that a prompt asks for, authors as they are numbered in it."""
    first, last = map(int, re.findall(r"from (\d+) to (\d+) write", prompt)[0])
    shown = dict(re.findall(r"^\[(\d+)\] (.*)$", prompt, re.MULTILINE))
    quotations = {int(a): words for a, words in re.findall(r'^Author (\d): "(.*)"$', prompt, re.MULTILINE)}
    numbers = {word: a for a, words in quotations.items() for word in AUTHORS if word in words}
    lines = []
    for number in range(first, last + 1):
        word = next(word for word in AUTHORS if word in shown[str(number)])
        lines.append((number, numbers.setdefault(word, len(numbers) + 1)))
    return lines


FORMS: dict[str, Callable[[list[tuple[int, int]]], str]] = {
    "exact": lambda lines: "\n".join(f"{n}: {a}" for n, a in lines),
    "named": lambda lines: "Here they are:\n\n" + "\n".join(f"**Paragraph {n}**: Author {a}" for n, a in lines),
    "brackets": lambda lines: "\n".join(f"- [{n}] (author {a})" for n, a in lines),
    "table": lambda lines: "| number | author |\n|---|---|\n" + "\n".join(f"| {n} | {a} |" for n, a in lines),
    "json": lambda lines: json.dumps({str(n): a for n, a in lines}),
    "bare": lambda lines: ",".join(str(a) for _, a in lines),
}
DOCUMENTS = ((1, 1, 2, 2, 1, 3, 3, 1, 2), (1, 1), (1,), tuple(1 + i // 7 % 3 for i in range(40)))


@pytest.mark.parametrize("form", FORMS)
def test_style_change_runs_with_a_model_that_only_writes(form: str, serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: FORMS[form](author_lines(prompt)))
    rows = style_rows(tmp_path / "rows.jsonl", *DOCUMENTS)
    result = pipelines.run("style_change", data=rows, model=model(server), out=tmp_path / "run")
    assert [p.prediction for p in result.predictions] == [",".join(map(str, authors)) for authors in DOCUMENTS]
    assert result.scores["macro_f1"] == 75  # there is no fourth author
    assert result.scores["changes_macro_f1"] == result.scores["multi_author_macro_f1"] == 100
    assert len(server.received) == 3  # none for a document of one paragraph
    assert {request.body["max_tokens"] for request in server.received} == {532}


def test_windows_are_linked_by_an_overlap_and_a_quotation_of_each_author(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: FORMS["exact"](author_lines(prompt)))
    authors = tuple(1 + i // 7 % 3 for i in range(40))
    rows = style_rows(tmp_path / "rows.jsonl", authors)
    arguments = {"strategy": "authors:paragraphs=8,overlap=2", "data": rows, "model": model(server)}
    result = pipelines.run("style_change", out=tmp_path / "run", **arguments)
    assert result.predictions[0].prediction == ",".join(map(str, authors))
    assert len(server.received) == 5
    second = server.prompts[1]
    quoted = 'Author 1: "the mill and so on, 0 times."\nAuthor 2: "HELLO!!! and so on, 7 times."\n\nDocument:\n[7] '
    assert f"wrote each paragraph of a document.\n\n{quoted}" in second
    assert "\n[7] (author 1) the mill and so on, 6 times.\n[8] (author 2) HELLO" in second
    assert "\n[16] Furthermore and so on, 15 times.\n\nThe numbered paragraphs above" in second
    assert "[6]" not in second and "[17]" not in second


def test_windows_keep_within_the_reader_s_limit_and_the_output_s_length(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: FORMS["exact"](author_lines(prompt)))
    authors = tuple(1 + i // 7 % 3 for i in range(60))
    rows = style_rows(tmp_path / "rows.jsonl", authors)
    narrow = model(server, max_input_tokens=320)
    result = pipelines.run("style_change", data=rows, model=narrow, out=tmp_path / "run")
    assert result.predictions[0].prediction == ",".join(map(str, authors))
    assert result.predictions[0].truncated_tokens == 0
    assert len(server.received) > 4
    server.received.clear()
    arguments = {"data": rows, "model": model(server), "max_new_tokens": 132}  # ten lines
    result = pipelines.run("style_change", out=tmp_path / "short", **arguments)
    assert result.predictions[0].prediction == ",".join(map(str, authors))
    assert len(server.received) == 6


def test_paragraphs_left_out_numbered_twice_or_wrongly_are_counted(serve: Any, tmp_path: Path) -> None:
    replies = iter(["1: 1\n2: 1\n2: 2\n4: 9\n5: 2\n9: 1", "", "I am not able to tell.", "1: 2\n2: 2\n3: 4\n4: 2\n5: 4"])
    server = serve(lambda prompt: next(replies))
    rows = style_rows(tmp_path / "rows.jsonl", (1, 1, 1, 1, 1), (1, 1, 1, 1, 2), (1, 1, 1, 2, 2), (1, 1, 2, 2, 2))
    arguments = {"data": rows, "model": model(server, concurrency=1), "out": tmp_path / "run"}
    result = pipelines.run("style_change", **arguments)
    by_prediction = {p.prediction: p for p in result.predictions}
    assert sorted(p.prediction for p in result.predictions) == ["1,1,1,1,1", "1,1,1,1,1", "1,1,1,1,2", "1,1,2,1,2"]
    sloppy = by_prediction["1,1,1,1,2"]
    assert sloppy.notes == {
        "changes": "0,0,0,1",
        "multi_author": "1",
        "remark": "3 of 5 paragraphs have the author of the one before: 1 left out, 1 with two authors, 1 with an "
        "author beyond the last; 1 numbers of other paragraphs",
    }
    counts = sorted((p.outputs for p in result.predictions), key=str)
    assert counts == [{"empty": 1}, {"no author": 1}, {"no author": 1}, {}]
    assert "2 of 4 outputs leave paragraphs without an author" in str(result)


def test_a_run_of_authors_is_resumed_from_its_log(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda prompt: FORMS["exact"](author_lines(prompt)))
    rows = style_rows(tmp_path / "rows.jsonl", *DOCUMENTS)
    arguments = {"strategy": "authors:paragraphs=8", "data": rows, "model": model(server), "out": tmp_path / "run"}
    pipelines.run("style_change", **arguments)
    predictions = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    requests_before = len(server.received)
    log = tmp_path / "run" / "requests.jsonl"
    log.write_text("".join(log.read_text(encoding="utf-8").splitlines(keepends=True)[:-2]), encoding="utf-8")
    for name in ("journal.jsonl", "predictions.jsonl", "scores.json"):
        (tmp_path / "run" / name).unlink()
    pipelines.run("style_change", **arguments)
    assert (tmp_path / "run" / "predictions.jsonl").read_bytes() == predictions
    assert len(server.received) == requests_before + 2


def test_authors_are_not_trained(tmp_path: Path, tiny_t5: Path) -> None:
    rows = style_rows(tmp_path / "data" / "train.jsonl", *DOCUMENTS)
    arguments = {"data": rows.parent, "model": str(tiny_t5), "out": tmp_path / "trained", "strategy": "authors"}
    with pytest.raises(UserError, match="train with strategy='pairs' instead"):
        pipelines.train("style_change", **arguments)


def test_n_paragraphs_take_at_most_four_n_pairs_with_a_reader_that_scores(tmp_path: Path, tiny_t5: Path) -> None:
    authors = tuple(1 + i % 3 for i in range(24))
    rows = style_rows(tmp_path / "rows.jsonl", authors)
    arguments = {"data": rows, "model": f"{tiny_t5},max_input_tokens=100"}
    bounded = pipelines.dry_run("style_change", **arguments)
    assert bounded.pairs is not None and bounded.pairs.pairs[1] <= 4 * 24
    with_all_candidates = pipelines.dry_run("style_change", strategy="pairs:candidates=1000", **arguments)
    assert with_all_candidates.pairs is not None and with_all_candidates.pairs.pairs[1] == 23 + 22 * 23 // 2


def test_a_chat_decoder_reads_the_labels_that_are_scored(film: Path, tmp_path: Path) -> None:
    (tmp_path / "qwen").mkdir()
    folder = tiny_models.qwen(tmp_path / "qwen", max_position_embeddings=400)
    arguments = {"data": film, "model": f"{folder},deterministic=true"}
    result = pipelines.run("character_types", out=tmp_path / "run", **arguments)
    assert set(json.loads(result.predictions[0].notes["probabilities"])) == set(LABELS)
    assert all(prediction.truncated_tokens == 0 for prediction in result.predictions)
    ending = f"\n\nWrite one of these labels and nothing else:\n{HERO}\n{VILLAIN}"
    assert pipelines.prompt("character_types", result.predictions[0].id, **arguments).text.endswith(ending)
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert (spec["strategy"], spec["max_new_tokens"]) == ({"name": "label", "listed": True}, 1)
    written = pipelines.dry_run("character_types", strategy="label:by=generation", **arguments)
    assert written.output_tokens is not None and written.output_tokens > 3 * 32


def test_real_scripts_and_a_model_that_knows_the_gold(realdata: Path, serve: Any, tmp_path: Path) -> None:
    data = realdata / "character_archetype"
    rows = [json.loads(line) for line in (data / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    gold = {row["character"]: row["character_type"].partition("/")[0] for row in rows[:60]}
    sentence = "In these scenes, **{}** is what the script makes of this character."

    def write(prompt: str) -> str:
        name = re.findall(r"Character: (.*)\n", prompt)[0]
        return sentence.format(next(label for label in LABELS if gold[name] in label))

    arguments = {"data": data, "model": model(serve(write), window=8_000), "limit": 12}
    result = pipelines.run("character_types", out=tmp_path / "run", **arguments)
    assert (result.scores["accuracy"], result.examples) == (100, 12)
    assert all(prediction.truncated_tokens == 0 for prediction in result.predictions)


def test_real_paragraphs_and_a_model_that_knows_where_authors_change(
    realdata: Path, serve: Any, tmp_path: Path
) -> None:
    data = realdata / "style_change" / "pan23_hard"
    changes = {}
    for truth in sorted(data.glob("truth-*.json")):
        lines = (data / f"{truth.stem.removeprefix('truth-')}.txt").read_text(encoding="utf-8").split("\n")
        paragraphs = [line.strip() for line in lines if line.strip()]
        changes |= dict(zip(paragraphs[1:], json.loads(truth.read_text(encoding="utf-8"))["changes"], strict=True))

    def write(prompt: str) -> str:
        shown = re.findall(r"^\[(\d+)\] (?:\(author (\d)\) )?(.*)$", prompt, re.MULTILINE)
        author, lines = 1, []
        for number, author_shown, text in shown:
            if author_shown:
                author = int(author_shown)
            elif number != "1" and changes[text.strip()]:
                author = 1 + author % 2
            lines += [] if author_shown else [f"{number}: {author}"]
        return "\n".join(lines)

    arguments = {"data": data, "model": model(serve(write), window=2_500), "limit": 20}
    result = pipelines.run("style_change", out=tmp_path / "run", **arguments)
    assert result.scores["changes_macro_f1"] == result.scores["multi_author_macro_f1"] == 100
    assert all(prediction.truncated_tokens == 0 for prediction in result.predictions)
