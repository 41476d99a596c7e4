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
from pipelines.engine.planning.files.price_file import priced_reader, read_prices
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


def write_prices(folder: Path, name: str, text: str | None = None) -> Path:
    path = folder / name
    path.write_text(FILES[name] if text is None else text, encoding="utf-8")
    return path


def examples() -> list[Example]:
    return [
        Example(str(n), Document("d", "The lamp is in the mill. " * 300), f"Question {n}?", ("it",)) for n in (1, 2)
    ]


def dry_run(model: Any) -> Any:
    return pipelines.dry_run("qa", data=examples(), model=model, chunker="whole", max_new_tokens=5)


@pytest.mark.parametrize("name", FILES)
def test_every_format_holds_the_same_prices(name: str, tmp_path: Path) -> None:
    assert read_prices(write_prices(tmp_path, name)) == {"small": SMALL, "anthropic:large": LARGE}


def test_a_reader_gets_the_prices_of_its_model(tmp_path: Path) -> None:
    path = write_prices(tmp_path, "prices.yaml")
    assert priced_reader(f"openai:small,prices={path}").prices == SMALL
    assert priced_reader({"name": "anthropic:large", "prices": path}).prices == LARGE
    assert priced_reader("extractive") == models.get("extractive")
    with pytest.raises(UserError, match=r"prices.yaml: unknown model 'large'; known: small; a line is like MODEL: "):
        priced_reader(f"openai:large,prices={path}")  # the file has another API's


def test_a_dry_run_costs_what_the_file_says(tmp_path: Path) -> None:
    path = write_prices(tmp_path, "prices.yaml")
    dry_run_with_prices = dry_run({"name": "openai", "model": "small", "prices": SMALL})
    assert dry_run(f"openai:small,prices={path}").price == dry_run_with_prices.price is not None
    assert dry_run("openai:small").price is None


def test_a_model_without_an_api_has_no_prices(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"^extractive is not a model behind an API, so it has no prices: leave prices="
    ):
        dry_run({"name": "extractive", "prices": write_prices(tmp_path, "prices.yaml")})


@for_each(
    ("name", "text", "problem"),
    [
        ("p.yaml", "small: {input: 1, output: 1, cache: 1}", "small: unknown kind 'cache'; did you mean cached"),
        ("p.yaml", "small: {input: -1, output: 1}", "p.yaml: small: input must be a number of at least 0"),
        ("p.yaml", "small: {input: .nan, output: 1}", "p.yaml: small: input must be a number of at least 0"),
        ("p.yaml", "small: {input: yes, output: 1}", "p.yaml: small: input must be a number of at least 0"),
        ("p.yaml", "small: {input: 1}", "p.yaml: small must have output"),
        ("p.yaml", "small: 3", "p.yaml: small needs its prices"),
        ("p.yaml", "small: {input: 1, output: 1}\nsmall: {input: 2, output: 1}", ", line 2: small is given twice"),
        ("p.yaml", "small: {input: 1, output: 1}\nopenai:small: {input: 2, output: 1}",
         "openai:small and small are two names of one model"),
        ("p.yaml", "{}", "p.yaml has no models"),
        ("p.json", '{"small": {"input": 1, "input": 2, "output": 1}}', "has the key 'input' twice"),
        ("p.toml", "[small]\ninput = 1\n[small]\noutput = 1", "p.toml is not valid TOML: "),
        ("p.csv", "model,input,output\nsmall,1,1\nsmall,1,2\n", "p.csv:3: small is given twice"),
        ("p.csv", "model,input,output,cash\nsmall,1,1,1\n", "unknown column 'cash'; did you mean cached"),
        ("p.csv", "model,input,output\nsmall,much,1\n", "p.csv:2: input must be a number, the price of"),
        ("p.csv", "model,input,output\n,1,1\n", "p.csv:2: the row has no model"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused_in_a_line(name: str, text: str, problem: str, tmp_path: Path) -> None:
    path = write_prices(tmp_path, name, text)
    with pytest.raises(UserError) as error:
        dry_run(f"openai:small,prices={path}")
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_the_command_line_takes_the_file(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"document": "The lamp is in the mill.", "question": "Where?", "answers": ["the mill"]}\n')
    model = f"openai:small,prices={write_prices(tmp_path, 'prices.csv')}"
    result = CliRunner().invoke(app, ["run", "qa", "--data", str(rows), "--model", model, "--dry-run", "--json"])
    assert result.exit_code == 0, result.output
    estimate = json.loads(result.stdout)
    assert estimate["price"]["least"] == pytest.approx(estimate["prompt_tokens"] * 0.5 / 1e6)
