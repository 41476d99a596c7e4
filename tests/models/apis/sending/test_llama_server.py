"""A GGUF file as the model: a server is started for it, answers, and ends; each failure has a message of one line."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import models
from longdoc.allowed_code import marked_with_file
from longdoc.errors import UserError
from models.apis.openai import Openai
from models.apis.sending import llama_server
from models.requests import Generate
from tests import patience
from tests.llama_server import FakeLlamaServer

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlamaServer]:
    fake = FakeLlamaServer(tmp_path / "bin")
    monkeypatch.setenv("PATH", fake.path)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LLAMA_ARG_CTX_SIZE", raising=False)
    yield fake
    llama_server.end_servers()


def gguf(path: Path, text: str = "GGUF tokenizer.chat_template") -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_server_is_started_once_for_a_file_and_ends(
    fake: FakeLlamaServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = gguf(tmp_path / "small.gguf")
    first, second = models.get(file), models.get(f"{file}:thinking=off,system=Short.")
    assert isinstance(first, Openai) and isinstance(second, Openai)
    assert (first.model, first.context_window, first.slots) == ("small.gguf", 8192, 1)
    assert (second.thinking, second.system, second.urls) == ("off", "Short.", first.urls)
    (reply,) = first.reply([Generate("Who?", 4)])
    assert reply.value == "x"
    assert capsys.readouterr().err.splitlines() == [
        "longdoc: Starting llama-server with small.gguf (0 MB).",
        "longdoc: The server's context window is 8,192 tokens; longer prompts are shortened to fit.",
    ]
    (start,) = fake.starts
    port = first.urls[0].removesuffix("/v1").rpartition(":")[2]
    assert start.split()[1:] == ["-m", file, "--alias", "small.gguf", "--host", "127.0.0.1", "--port", port]
    llama_server.end_servers()
    patience.until(lambda: patience.state(fake.processes[0]) in ("", "Z"), "the server ends")
    models.get(file)
    assert len(fake.starts) == 2


def test_files_of_one_name_are_other_models(fake: FakeLlamaServer, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    readers = [models.get(gguf(tmp_path / "small.gguf")), models.get(gguf(tmp_path / "other" / "small.gguf", "GGUF 2"))]
    digests = [reader.file for reader in readers if isinstance(reader, Openai)]
    assert len(set(digests)) == 2 and all(re.fullmatch(r"[0-9a-f]{16}", str(digest)) for digest in digests)


def test_the_user_s_settings_of_the_server_apply(
    fake: FakeLlamaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_ARG_CTX_SIZE", "512")
    reader = models.get(gguf(tmp_path / "small.gguf"))
    assert isinstance(reader, Openai) and reader.context_window == 512


def test_the_log_of_a_server_that_ends_becomes_a_message_with_the_remedy(fake: FakeLlamaServer, tmp_path: Path) -> None:
    expected = {
        "gguf_init_from_reader: invalid magic characters: 'hell', expected 'GGUF'": "f.gguf is not a GGUF file: give "
        "one, or a folder of transformers",
        "load_model: failed to load model\nerror loading model: tensor 'blk.2.ffn_up.weight' data is not within the "
        "file bounds, model is corrupted or incomplete": "f.gguf is incomplete: download it (all its parts) again",
        "gguf_init_from_reader: failed to read key-value pairs": "f.gguf is incomplete: download it (all its parts) "
        "again",
        "invalid magic characters: 'vers', expected 'GGUF'": "f.gguf is a Git LFS pointer: run git lfs pull",
        "invalid magic characters: '<!DO', expected 'GGUF'": "f.gguf is a web page: download the file itself",
        "illegal split file idx: 1 (file: f.gguf), model must be loaded with the first split": "f.gguf is a part of a "
        "model, and its parts are mixed up or have other names: download them all again, into one folder, and keep "
        "their names (-00001-of-00003.gguf)",
        "error loading model: unknown model architecture: 'new'": "f.gguf is a model of the architecture new, which "
        "this llama-server does not know: install a newer llama.cpp, or take another model",
        "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 9": "there is no room in memory "
        "for f.gguf and its context: take a file of fewer bits (Q4_K_M) or a smaller model, or set "
        "LLAMA_ARG_CTX_SIZE=2048",
        "hello\nerror: bad day": "llama-server ended without loading f.gguf (error: bad day)",
    }
    for log, message in expected.items():
        with pytest.raises(UserError, match=f"^{re.escape(message)}$"):
            models.get(gguf(tmp_path / "f.gguf", log))
    assert llama_server._started == {}


def test_a_model_without_a_chat_template_is_read_with_a_note(
    fake: FakeLlamaServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models.get(gguf(tmp_path / "base.gguf", "GGUF"))
    assert "base.gguf has no chat template, so its prompts are written as ChatML" in capsys.readouterr().err


def test_a_model_that_cannot_be_started_is_refused_before_a_server_is_started(
    fake: FakeLlamaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = gguf(tmp_path / "f.gguf", "GGUF" * 500_000)
    with pytest.raises(UserError, match=r"^there is no file .*none\.gguf: give the path of a GGUF file$"):
        models.get(str(tmp_path / "none.gguf"))
    with pytest.raises(UserError, match=rf"^{re.escape(str(tmp_path))} is a folder of GGUF files: .* model='{file}'$"):
        models.get(str(tmp_path))
    with pytest.raises(UserError, match=r"^run\.yaml names the model .*, and files may not start .* model='.*f\.gguf'"):
        models.get(marked_with_file(file, "run.yaml"))
    monkeypatch.setattr(llama_server, "_free_memory", lambda: 1_000_000)
    with pytest.raises(UserError, match=r"^f\.gguf has 2 MB, and 1 MB of memory are free: take .* server='localhost"):
        models.get(file)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match=r"^f\.gguf is read by llama-server, which is not on the PATH: install llama"):
        models.get(file)
    assert fake.starts == []


def test_a_model_in_parts_is_read_from_the_first_whichever_is_given(fake: FakeLlamaServer, tmp_path: Path) -> None:
    first, second = (gguf(tmp_path / f"big-0000{part}-of-00003.gguf") for part in (1, 2))
    with pytest.raises(UserError, match=r"is one of 3 parts, and big-00003-of-00003\.gguf is not beside it: fetch all"):
        models.get(second)
    gguf(tmp_path / "big-00003-of-00003.gguf")
    models.get(second)
    assert fake.starts[0].split()[2] == first


ENDS = {
    "the program ends": "",
    "an error": "raise RuntimeError",
    "Ctrl-C": f"os.kill(os.getpid(), {int(signal.SIGINT)})",
    "a closed terminal": f"os.kill(os.getpid(), {int(signal.SIGHUP)})",
    "the kernel": f"os.kill(os.getpid(), {int(signal.SIGKILL)})",
}


def test_the_server_ends_with_the_program_whatever_ends_it(fake: FakeLlamaServer, tmp_path: Path) -> None:
    file = gguf(tmp_path / "small.gguf")
    for name, line in ENDS.items():
        code = f"import os, models; models.get({file!r}); {line}"
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
        process = fake.processes[-1]
        patience.until(lambda process=process: patience.state(process) in ("", "Z"), f"the server ends after {name}")
    assert len(fake.starts) == len(ENDS)
