"""`longdoc ask` with a chat model behind a server: how options change the requests and the output."""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from pipelines.cli.main import main
from pipelines.prompts.ask_words import NOT_FOUND_TEXT
from tests import api_server
from tests.api_server import ApiServer

chat = partial(api_server.chat, usage=(400, 2))  # as many tokens as the prompts have
RunLongdoc = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(lambda request, times: chat("Anna Berg keeps the bees [1]."))
    yield server
    server.close()


@pytest.fixture
def longdoc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: ApiServer
) -> RunLongdoc:
    """Runs the command in a folder with three files: its exit code, its output and its error output."""
    (tmp_path / "bees.txt").write_text("Anna Berg keeps the bees. " * 12, encoding="utf-8")
    (tmp_path / "mill.md").write_text("# Mill\n\nTom Roth keeps the mill.\n", encoding="utf-8")
    (tmp_path / "wine.md").write_text("# Wine\n\nIda Wolf keeps the wine, and bees.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def run(*words: str, fields: str = "max_retries=0") -> tuple[int, str, str]:
        model = f"openai:m,{fields},base_url={server.url}"
        arguments = [
            "longdoc",
            "ask",
            "bees.txt",
            "mill.md",
            "wine.md",
            "Who keeps the bees?",
            "--model",
            model,
            *words,
        ]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(str(ended.value.code or 0)), printed.out, printed.err

    return run


def labels(prompt: str) -> list[str]:
    return [line.strip("= ") for line in prompt.splitlines() if line.startswith("=== [") and "NUMBER" not in line]


BEES, WINE, MILL = "bees.txt, line 1", "wine.md, line 1, section Wine", "mill.md, line 1, section Mill"


@pytest.mark.parametrize(
    ("options", "passages"),
    [
        ((), [[f"[1] {BEES}", f"[2] {WINE}", f"[3] {MILL}"]]),
        (("-k", "1"), [[f"[1] {BEES}"]]),
        (("--order", "document"), [[f"[1] {BEES}", f"[2] {MILL}", f"[3] {WINE}"]]),
        (("--order", "document", "-k", "2", "--retriever", "last"), [[f"[1] {MILL}", f"[2] {WINE}"]]),
        (("--budget", "270 tokens"), [[f"[1] {BEES}"]]),
        (("--strategy", "vote"), [[f"[1] {BEES}"], [f"[2] {WINE}"], [f"[3] {MILL}"]]),
        (("--strategy", "map_reduce", "-k", "2"), [[], [f"[1] {BEES}"], [f"[2] {WINE}"]]),
        (("--strategy", "refine", "-k", "2"), [[f"[1] {BEES}"], [f"[2] {WINE}"]]),
    ],
)
def test_options_decide_which_passages_are_sent(
    longdoc: RunLongdoc, server: ApiServer, options: tuple[str, ...], passages: list[list[str]]
) -> None:
    code, printed, _ = longdoc(*options)
    assert code == 0
    assert sorted(labels(prompt) for prompt in server.prompts) == passages
    assert printed.startswith("Anna Berg keeps the bees")
    assert {request.body["max_tokens"] for request in server.received} == {512}


def test_the_models_limit_decides_how_many_passages_are_sent(longdoc: RunLongdoc, server: ApiServer) -> None:
    code, printed, _ = longdoc(fields="max_retries=0,max_input_tokens=305")
    assert (code, printed.startswith("Anna Berg keeps the bees")) == (0, True)
    assert [labels(prompt) for prompt in server.prompts] == [[f"[1] {BEES}", f"[2] {WINE}"]]
    assert [request.body["max_tokens"] for request in server.received] == [512]


def test_an_own_prompt_and_length_are_sent(longdoc: RunLongdoc, server: ApiServer) -> None:
    code, printed, _ = longdoc("--prompt", "{document}\nQ: {query}", "-k", "1", "--max-new-tokens", "7")
    assert (code, server.received[0].body["max_tokens"]) == (0, 7)
    assert server.prompts[0].startswith("=== [1] bees.txt, line 1 ===\nAnna Berg")
    assert server.prompts[0].endswith("=== end of the passages ===\nQ: Who keeps the bees?")
    assert "\n[1] bees.txt, line 1\n" in printed


def test_cited_passages_come_first_and_the_others_are_named(longdoc: RunLongdoc, server: ApiServer) -> None:
    server.answer = lambda request, times: chat("Ida Wolf keeps bees too [2], says [7].")
    _, printed, _ = longdoc()
    assert [line for line in printed.splitlines() if line and not line.startswith("     ")] == [
        "Ida Wolf keeps bees too [2], says [7].",
        "[2] wine.md, line 1, section Wine",
        "    # Wine Ida Wolf keeps the wine, and bees.",
        "Not cited: [1] bees.txt, line 1; [3] mill.md, line 1, section Mill",
        "warning: the answer cites [7], but only 3 passages were shown",
    ]
    _, printed, _ = longdoc("--json")
    assert json.loads(printed)["citations"] == [{"number": 2, "file": "wine.md", "location": "line 1, section Wine"}]


def test_a_missing_and_a_cut_answer_say_what_to_type(longdoc: RunLongdoc, server: ApiServer) -> None:
    server.answer = lambda request, times: chat(NOT_FOUND_TEXT)
    code, printed, _ = longdoc()
    assert (code, printed.splitlines()[0]) == (0, NOT_FOUND_TEXT)
    assert "on the command line -k 6" in printed
    server.answer = lambda request, times: chat("Anna [1], who", finish="length")
    assert "on the command line --max-new-tokens 1024" in longdoc()[1]


def test_the_prompt_is_printed_to_the_letter_and_nothing_is_asked(longdoc: RunLongdoc, server: ApiServer) -> None:
    code, printed, errors = longdoc("--show-prompt", "-k", "2")
    assert (code, server.received) == (0, [])
    longdoc("-k", "2")
    assert printed == server.prompts[0] + "\n"
    assert errors.endswith(" tokens; nothing was asked)\n")


def test_a_missing_server_is_reported_in_one_line(longdoc: RunLongdoc, server: ApiServer) -> None:
    server.close()
    code, printed, errors = longdoc()
    assert (code, printed) == (2, "")
    assert errors.splitlines()[-1].endswith("(does the server run, and is base_url its address?)")
