"""Prices of many models in one file: YAML, JSON, TOML or CSV, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import models
import pipelines
from longdoc.errors import UserError
from pipelines.cli.main import app
from pipelines.engine.planning.files.price_file import read_prices, with_prices
from pipelines.records import Document, Example
from tests.turns import for_each

SMALL = {"input": 0.5, "output": 2.0, "cached": 0.05}
LARGE = {"input": 4.0, "output": 20.0, "cached": 0.4, "cache_write": 5.0}
FILES = {
    "prices.yaml": "small: {input: 0.5, output: 2.0, cached: 0.05}\n"
    "anthropic:large:\n  input: 4\n  output: 20\n  cached: 0.4\n  cache_write: 5\n",
    "prices.json": json.dumps({"small": SMALL, "anthropic:large": LARGE}),
    "prices.toml": "[small]\ninput = 0.5\noutput = 2.0\ncached = 0.05\n"
    '["anthropic:large"]\ninput = 4\noutput = 20\ncached = 0.4\ncache_write = 5\n',
    "prices.csv": "model,input,output,cached,cache_write\nsmall,0.5,2,0.05,\nanthropic:large,4,20,0.4,5\n",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")


def written(folder: Path, name: str, text: str | None = None) -> Path:
    path = folder / name
    path.write_text(FILES[name] if text is None else text, encoding="utf-8")
    return path


def examples() -> list[Example]:
    return [
        Example(str(n), Document("d", "The lamp is in the mill. " * 300), f"Question {n}?", ("it",)) for n in (1, 2)
    ]


def dry(model: Any, prices: Path | None) -> Any:
    return pipelines.dry_run("qa", data=examples(), model=model, chunker="whole", max_new_tokens=5, prices_from=prices)


@pytest.mark.parametrize("name", FILES)
def test_every_format_holds_the_same(name: str, tmp_path: Path) -> None:
    assert read_prices(written(tmp_path, name)) == {"small": SMALL, "anthropic:large": LARGE}


def test_a_reader_gets_the_prices_of_its_model(tmp_path: Path) -> None:
    path = written(tmp_path, "prices.yaml")
    assert with_prices(models.get("openai:small"), path).prices == SMALL
    assert with_prices(models.get("anthropic:large"), path).prices == LARGE
    assert with_prices(models.get("extractive"), path) == models.get("extractive")
    with pytest.raises(UserError, match=r"prices.yaml: unknown model 'large'; known: small; a line is like MODEL: "):
        with_prices(models.get("openai:large"), path)  # the file has another API's


def test_a_dry_run_costs_what_the_file_says(tmp_path: Path) -> None:
    path = written(tmp_path, "prices.yaml")
    assert dry("openai:small", path).price == dry({"name": "openai", "model": "small", "prices": SMALL}, None).price
    assert dry("openai:small", None).price is None


def test_prices_given_twice_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "prices.yaml")
    with pytest.raises(UserError, match=r"^openai:small has prices= of its own: leave these out, or the file "):
        dry({"name": "openai", "model": "small", "prices": SMALL}, path)


@for_each(
    ("name", "text", "problem"),
    [
        ("p.yaml", "small: {input: 1, output: 1, cache: 1}", "small: unknown kind 'cache'; did you mean cached"),
        ("p.yaml", "small: {input: -1, output: 1}", "p.yaml: small: input is a number of at least 0"),
        ("p.yaml", "small: {input: .nan, output: 1}", "p.yaml: small: input is a number of at least 0"),
        ("p.yaml", "small: {input: yes, output: 1}", "p.yaml: small: input is a number of at least 0"),
        ("p.yaml", "small: {input: 1}", "p.yaml: small: output missing"),
        ("p.yaml", "small: 3", "p.yaml: small needs its prices"),
        ("p.yaml", "small: {input: 1, output: 1}\nsmall: {input: 2, output: 1}", ", line 2: small is given twice"),
        ("p.yaml", "small: {input: 1, output: 1}\nopenai:small: {input: 2, output: 1}",
         "openai:small and small are two names of one model"),
        ("p.yaml", "extractive: {input: 1, output: 1}", "extractive is no model behind an API"),
        ("p.yaml", "{}", "p.yaml names no model"),
        ("p.json", '{"small": {"input": 1, "input": 2, "output": 1}}', "has the key 'input' twice"),
        ("p.toml", "[small]\ninput = 1\n[small]\noutput = 1", "p.toml is no TOML: "),
        ("p.csv", "model,input,output\nsmall,1,1\nsmall,1,2\n", "p.csv:3: small is given twice"),
        ("p.csv", "model,input,output,cash\nsmall,1,1,1\n", "unknown column 'cash'; did you mean cached"),
        ("p.csv", "model,input,output\nsmall,much,1\n", "p.csv:2: input is a number, for a million tokens, got 'much'"),
        ("p.csv", "model,input,output\n,1,1\n", "p.csv:2: a row needs its model"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused_in_a_line(name: str, text: str, problem: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(UserError) as error:
        dry("extractive", path)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_the_command_line_takes_the_file(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"document": "The lamp is in the mill.", "question": "Where?", "answers": ["the mill"]}\n')
    typed = ["run", "qa", "--data", str(rows), "--model", "openai:small", "--dry-run", "--json"]
    result = CliRunner().invoke(app, [*typed, "--prices", str(written(tmp_path, "prices.csv"))])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["price"]["least"] == pytest.approx(found["prompt_tokens"] * 0.5 / 1e6)
