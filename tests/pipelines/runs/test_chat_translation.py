"""Films translated by chat models behind a server that follows the prompt, well or badly."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

LINES = 700
CHARACTERS = 3.3  # a token of the server's
EN = [f"At {n % 7}. I have seen the mill by the river {n} times." if n % 11 else "" for n in range(1, LINES + 1)]
DE = [f"Um {n % 7}. Ich habe die Mühle am Fluss {n} Mal gesehen." if n % 11 else "" for n in range(1, LINES + 1)]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    folder = tmp_path / "films" / "mill"
    folder.mkdir(parents=True)
    (folder / "en.txt").write_text("\n".join(EN), encoding="utf-8")
    (folder / "de.txt").write_text("\n".join(DE), encoding="utf-8")
    return folder.parent


@pytest.fixture
def serve() -> Iterator[Callable[..., ApiServer]]:
    """Start a server that translates the lines of a prompt in some style and stops at the requested length."""
    servers: list[ApiServer] = []

    def start(style: Callable[[list[tuple[int, str]]], str], translations: dict[str, str]) -> ApiServer:
        def answer(request: ReceivedRequest, times: int) -> Answer:
            text = style([(number, translations[line]) for number, line in lines_of(request.prompt)])
            length = int(request.body["max_tokens"] * CHARACTERS)
            usage = (len(request.prompt) // 4, int(min(len(text), length) / CHARACTERS))
            return chat(text[:length], finish="length" if len(text) > length else "stop", usage=usage)

        servers.append(ApiServer(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def lines_of(prompt: str) -> list[tuple[int, str]]:
    """The lines that a prompt shows with their numbers; without numbers where it asks for none."""
    shown = prompt.partition("ubtitles:\n")[2].partition("\n\nEvery line")[0].partition("\n\nWrite")[0]
    numbered = "Every line above has a number" in prompt
    numbers_and_lines = [line.split(": ", 1) if numbered else ("0", line) for line in shown.split("\n")]
    return [(int(number), line.strip()) for number, line in numbers_and_lines]


def exact(lines: list[tuple[int, str]]) -> str:
    return "\n".join(f"{number}: {text}" for number, text in lines)


STYLES: dict[str, Callable[[list[tuple[int, str]]], str]] = {
    "exact": exact,
    "another order": lambda lines: exact(lines[::-1]),
    "from zero": lambda lines: exact([(number - 1, text) for number, text in lines]),
    "doubled": lambda lines: exact(lines) + "\n\n" + exact(lines),
    "Markdown": lambda lines: "\n".join(f"- **{number}.** {text}" for number, text in lines),
    "fence": lambda lines: f"Here you are:\n\n```\n{exact(lines)}\n```\n\nShall I go on?",
    "blank lines": lambda lines: exact(lines).replace("\n", "\n\n"),
    "no numbers": lambda lines: "\n".join(text for _, text in lines),
    "every third left out": lambda lines: exact([one for one in lines if one[0] % 3 or len(lines) < 3]),
    "in one line": lambda lines: " ".join(text for _, text in lines),
    "first two joined": lambda lines: exact(lines).replace("\n2:", "", 1) if len(lines) > 2 else exact(lines),
}


def run(film: Path, server: ApiServer, out: Path, **arguments: Any) -> Any:
    model = {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0}
    return pipelines.run("opensubtitles", data=film, model=model, out=out, metrics=["bleu-4"], **arguments)


@pytest.mark.parametrize("style", [style for style in STYLES if style != "first two joined"])
def test_seven_hundred_lines_go_in_and_seven_hundred_come_out(
    style: str, film: Path, serve: Any, tmp_path: Path
) -> None:
    server = serve(STYLES[style], dict(zip(EN, DE, strict=True)))
    result = run(film, server, tmp_path / "run")
    (prediction,) = result.predictions
    assert prediction.prediction.split("\n") == DE
    assert result.scores["bleu-4"] == pytest.approx(100)
    assert "lines lost" not in result.outputs
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert spec["strategy"] == {"name": "numbered_lines"}
    assert (spec["chunker"]["size"], spec["chunker"]["unit"]) == (284, "reader")


def test_no_output_of_a_whole_film_is_cut_at_its_length(film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(exact, dict(zip(EN, DE, strict=True)))
    result = run(film, server, tmp_path / "run")
    assert result.outputs == {}
    assert result.warnings == ()
    assert len(server.received) == len(set(server.prompts)) < LINES / 20


def test_lines_that_are_joined_do_not_shift_others(film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(STYLES["first two joined"], dict(zip(EN, DE, strict=True)))
    (prediction,) = run(film, server, tmp_path / "run").predictions
    lines = prediction.prediction.split("\n")
    assert len(lines) == LINES
    wrong = [n for n, (line, german) in enumerate(zip(lines, DE, strict=True)) if line != german]
    assert wrong == [n for n in wrong if lines[n].startswith(DE[n])]  # the first of two, with the second behind it


def test_lines_that_never_come_are_counted_and_reported(film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(
        lambda lines: exact([(n, t) for n, t in lines if "100 Mal" not in t and "200 Mal" not in t]),
        dict(zip(EN, DE, strict=True)),
    )
    result = run(film, server, tmp_path / "run")
    (prediction,) = result.predictions
    assert prediction.notes == {"lines_lost": "100, 200"}
    assert [n for n, line in enumerate(prediction.prediction.split("\n"), 1) if not line and n % 11] == [100, 200]
    assert result.outputs["lines lost"] == {"outputs": 2, "examples": 1}
    assert any(one.startswith("2 lines are lost: asked for one by one") for one in result.warnings)


def test_a_strategy_that_is_given_stays_and_its_chunks_have_room_too(film: Path, serve: Any, tmp_path: Path) -> None:
    server = serve(STYLES["no numbers"], dict(zip(EN, DE, strict=True)))
    result = run(film, server, tmp_path / "run", strategy="map:keep_lines=true")
    (prediction,) = result.predictions
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert spec["chunker"]["size"] == int(512 / 1.3) == 393
    assert prediction.prediction.split("\n") == DE
    assert "ended at length" not in result.outputs


def test_a_real_film_scores_as_its_translation_scored_against_itself(
    realdata: Path, serve: Any, tmp_path: Path
) -> None:
    films = realdata / "translation_en_de" / "films"
    translations: dict[str, str] = {}
    file_pairs = (
        ("almanya/en.txt", "almanya/de.txt"),
        ("jenseits/english-jenseits.txt", "jenseits/german-jenseits.txt"),
    )
    for english, german in file_pairs:
        lines_by_language = ((films / name).read_text(encoding="utf-8-sig").split("\n") for name in (english, german))
        translations = dict(zip(*(map(str.strip, lines) for lines in lines_by_language), strict=True)) | translations
    result = run(films, serve(exact, translations), tmp_path / "run")
    assert [re.sub(r"[^\n]", "", prediction.prediction).count("\n") + 1 for prediction in result.predictions] == [
        913,
        1082,
    ]
    assert result.scores["bleu-4"] > 99  # 100 but for equal lines that are translated in two ways
    assert result.outputs == {}
