"""The cost of questions about one's own documents: tokens, prices, prompts that do not fit, ways left out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import longdoc
from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Generate, Reply, Request
from pipelines.cli.main import app
from pipelines.plugins.versus.cost_table import ConditionCost, CostTable
from pipelines.records import Document

PRICES = {"input": 1.0, "output": 10.0, "cached": 0.1}
PROMPT = "{document} {query}"
BEST = "best:encoder=none"  # how passages are chosen by default


@dataclass
class WordReader(Reader):
    """A chat model whose tokens are words, and that must not be asked."""

    supports = frozenset({Generate})
    is_chat = True
    max_input_tokens: int | None = None
    prices: Mapping[str, float] = field(default_factory=dict)

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        raise AssertionError("a request was sent")


def book(folder: Path, words: int = 2000, name: str = "book.txt") -> Path:
    path = folder / name
    path.write_text(" ".join(f"w{number:05}" + "." * (number % 20 == 19) for number in range(words)), encoding="utf-8")
    return path


def cost(document: Any, model: Any = None, **options: Any) -> CostTable:
    arguments = {"questions": 5, "budget": "300 words", "prompt": PROMPT, "max_new_tokens": 8, **options}
    return longdoc.cost(document, model=model or WordReader(), **arguments)


def by_name(table: CostTable) -> dict[str, ConditionCost]:
    return {one.way: one for one in table.ways}


def lines(table: CostTable) -> list[str]:
    return [" ".join(line.split()) for line in str(table).splitlines()]


def test_tokens_of_whole_documents_and_of_retrieval_are_those_of_their_prompts(tmp_path: Path) -> None:
    table = cost(book(tmp_path), budget=["300 words", "1000 words"])
    assert (table.documents, table.questions, table.left_out, table.not_run) == (1, 5, {}, {})
    whole, narrow, wide = table.ways
    assert whole == ConditionCost("whole document", 5, 2010, 5 * 2010, 5 * 8)
    assert narrow == ConditionCost(f"{BEST}, 300 words", 5, 311, 5 * 310 + 4, 5 * 8)  # four marks of text left out
    assert (wide.way, wide.prompt_tokens) == (f"{BEST}, 1000 words", 5053)
    assert lines(table)[:3] == [
        f"{table.model}: 5 questions about one document (nothing is sent)",
        "way requests tokens in a request tokens in tokens out at most",
        "whole document 5 2,010 10,050 40",
    ]
    assert lines(table)[-1] == "the model is not behind an API: its tokens have no prices"


def test_the_words_for_chat_models_are_counted_with_each_request(tmp_path: Path) -> None:
    path = book(tmp_path)
    whole = by_name(cost(path, prompt=None))["whole document"]
    row = {"document": path.read_text("utf-8"), "question": "one two three four five six seven eight nine ten"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row | {"id": "a", "answer": "it"}) + "\n", encoding="utf-8")
    prompt = longdoc.prompt(
        "qa", "a", data=tmp_path / "rows.jsonl", model=WordReader(), chunker="whole", retriever="all"
    )  # fmt: skip
    assert whole.request_tokens == prompt.tokens > 2010


def test_from_a_warm_cache_a_shared_beginning_costs_the_cached_price_after_the_first_request(tmp_path: Path) -> None:
    whole, narrow = cost(book(tmp_path), WordReader(prices=PRICES)).ways
    outputs = 40 * 10 / 1e6
    assert whole.cold == pytest.approx(10_050 / 1e6 + outputs)
    assert whole.warm == pytest.approx((10_050 - 0.9 * 4 * 2000) / 1e6 + outputs, rel=1e-3)
    assert narrow.cold == narrow.warm == pytest.approx(narrow.prompt_tokens / 1e6 + outputs)
    assert whole.batch is None


def test_a_whole_book_from_a_warm_cache_beats_retrieval_that_costs_more(tmp_path: Path) -> None:
    path = book(tmp_path)
    assert cost(path, WordReader(prices=PRICES), budget=["300 words", "1000 words"]).left_out == {
        f"{BEST}, 1000 words": "whole document"
    }
    assert cost(path, WordReader(prices=PRICES | {"cached": 1.0}), budget=["300 words", "1000 words"]).left_out == {}


def test_a_cache_holds_the_book_of_its_own_questions_alone(tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    book(folder, 2000, "one.txt")
    book(folder, 3000, "two.txt")
    table = cost(folder, WordReader(prices=PRICES))
    whole = by_name(table)["whole document"]
    assert (table.documents, whole.requests, whole.prompt_tokens) == (2, 10, 5 * 2010 + 5 * 3010)
    assert whole.warm == pytest.approx((25_100 - 0.9 * 4 * 5000) / 1e6 + 80 * 10 / 1e6, rel=1e-3)
    assert lines(table)[0].endswith("5 questions about each of 2 documents (nothing is sent)")


def test_batches_cost_half_at_providers_with_that_rule_alone(tmp_path: Path) -> None:
    path = book(tmp_path)
    model = {"name": "openai", "model": "m", "prices": PRICES}
    for way in cost(path, model).ways:
        assert way.cold is not None and way.batch == way.cold / 2
    local = cost(path, model | {"base_url": "http://127.0.0.1:8000/v1"})
    assert {way.batch for way in local.ways} == {None}
    assert "batch: not known; only OpenAI's and Anthropic's own batch files cost half" in lines(local)


def test_without_a_price_for_cached_tokens_there_is_no_warm_price(tmp_path: Path) -> None:
    table = cost(book(tmp_path), WordReader(prices={"input": 1.0, "output": 10.0}))
    assert {way.warm for way in table.ways} == {None}
    assert lines(table)[1].endswith("tokens out at most price cold")
    assert any(line.startswith("warm: not known; give the price of cached tokens too") for line in lines(table))


def test_ways_that_show_no_more_than_a_cheaper_one_are_left_out_and_named(tmp_path: Path) -> None:
    table = cost(book(tmp_path, 500), budget=["300 words", "1000 words", "3000 words"])
    assert [way.way for way in table.ways] == ["whole document", f"{BEST}, 300 words"]
    assert table.left_out == dict.fromkeys([f"{BEST}, 1000 words", f"{BEST}, 3000 words"], "whole document")
    assert (
        f"2 ways left out: whole document shows as much and costs no more than {BEST}, 1000 words; {BEST}, 3000 words"
        in lines(table)
    )


def test_a_way_over_the_window_is_marked_and_replaces_no_other(tmp_path: Path) -> None:
    table = cost(book(tmp_path), WordReader(max_input_tokens=1000), budget=["300 words", "1500 words"])
    ways = by_name(table)
    assert (ways["whole document"].request_tokens, ways["whole document"].cut) == (1000, 5)
    assert list(ways) == ["whole document", f"{BEST}, 300 words", f"{BEST}, 1500 words"]
    assert lines(table)[2] == "whole document (cut) 5 1,000 5,000 40"
    assert any(
        line.startswith(
            "whole document: 5 of 5 prompts are longer than the 1,000 tokens that the model takes; the longest loses "
            "1,010: "
        )
        for line in lines(table)
    )


def test_a_known_window_is_named_where_none_was_given(tmp_path: Path) -> None:
    path = book(tmp_path, 9000)
    (note, *_) = [one for one in cost(path, "openai:gpt-4").notes if "window" in one]
    assert note.startswith("whole document: a prompt of ")
    assert "does not fit into the window of gpt-4 (8,192 with the output)" in note
    assert note.endswith("--model 'openai:gpt-4,window=8192'")
    assert not [one for one in cost(path, "openai:gpt-4.1").notes if "window" in one]
    (unknown,) = [one for one in cost(path, "openai:m").notes if "window" in one]
    assert unknown.endswith("type --model 'openai:m,window=TOKENS'")


def test_a_model_without_prices_has_tokens_and_a_line_with_what_to_type(tmp_path: Path) -> None:
    table = cost(book(tmp_path), "openai:m")
    assert {(way.cold, way.warm, way.batch) for way in table.ways} == {(None, None, None)}
    assert "type --model 'openai:m,prices={" in lines(table)[-1]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"questions": 0}, "questions must be a whole number of at least 1, got 0"),
        ({"questions": True}, "questions must be a whole number of at least 1, got True"),
        ({"questions": 2**40}, "questions is a whole number that is too large"),
        ({"model": "none"}, "sends no requests, so there is nothing to count: give another model"),
        ({"budget": []}, r"budget=\[\] has no value"),
        ({"model": "openai:m,window=50"}, "fill the window of 50, which holds the prompt too: lower max_new_tokens"),
    ],
)
def test_invalid_arguments_are_refused(options: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=problem):
        cost(book(tmp_path), **options)


def test_documents_without_words_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    with pytest.raises(UserError, match=r"empty.txt is empty"):
        cost(tmp_path / "empty.txt")
    with pytest.raises(UserError, match=r"^blank contains no words: leave it out"):
        cost(Document("blank", " \n"))
    with pytest.raises(UserError, match=r"there is no document"):
        cost(None)


def test_the_command_prints_the_table_and_its_json(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("m: {input: 1, output: 10, cached: 0.1}\n", encoding="utf-8")
    command = ["cost", str(book(tmp_path)), "--questions", "5", "--model", f"openai:m,prices={prices}"]
    command += ["--budget", "300 words", "--max-new-tokens", "8"]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0, printed.output
    assert " ".join(printed.stdout.splitlines()[1].split()) == (
        "way requests tokens in a request tokens in tokens out at most price cold warm batch"
    )
    record = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    whole, narrow = record["ways"]
    assert whole["way"] == "whole document"
    assert whole["warm"] < whole["cold"] == pytest.approx(whole["prompt_tokens"] / 1e6 + 5 * 8 * 10 / 1e6)
    assert narrow["batch"] == narrow["cold"] / 2


def test_a_file_that_cannot_be_read_is_named_beside_the_others(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    command = ["cost", str(book(tmp_path)), str(tmp_path / "empty.txt"), "--model", "openai:m", "--questions", "2"]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 1
    assert "empty.txt is empty" in printed.stderr
    assert "2 questions about one document" in printed.stdout
