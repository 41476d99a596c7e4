"""A GGUF file as a model: llama.cpp's `llama-server`, found on the PATH, reads it until the command or program ends.

Only a model that the user types, or passes in Python, starts it. Its own environment variables say how it runs
(LLAMA_ARG_CTX_SIZE, LLAMA_ARG_N_PARALLEL, LLAMA_ARG_THREADS …).
"""

import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NamedTuple

from longdoc import interrupts
from longdoc.allowed_code import file_of
from longdoc.errors import UserError
from longdoc.files import expanded
from longdoc.messages import note
from models.apis.sending.addresses import problem_of
from models.hub import sampled

PROGRAM = "llama-server"
# One window of 8,192 tokens: of a new model's whole context, 131,072 tokens, the cache may be larger than the weights.
SETTINGS = {"LLAMA_ARG_CTX_SIZE": "8192", "LLAMA_ARG_N_PARALLEL": "1", "LLAMA_ARG_JINJA": "1"}
SECONDS = 600.0  # until the server answers
WITHOUT_LONGDOC = "start llama-server yourself and give server='localhost:8080'"
SMALLER = "take a file of fewer bits (Q4_K_M) or a smaller model, or set LLAMA_ARG_CTX_SIZE=2048"
FAULTS = {  # what the server's log says, and what to type
    r"invalid magic characters: 'vers'": "{file} is a Git LFS pointer: run git lfs pull",
    r"invalid magic characters: '<": "{file} is a web page: download the file itself",
    r"invalid magic": "{file} is not a GGUF file: give one, or a folder of transformers",
    r"(?:invalid|illegal) split file": "{file} is a part of a model, and its parts are mixed up or have other names: "
    "download them all again, into one folder, and keep their names (-00001-of-00003.gguf)",
    r"not within the file bounds|failed to read": "{file} is incomplete: download it (all its parts) again",
    r"unknown model architecture: '([^']*)'": "{file} is a model of the architecture {0}, which this llama-server does "
    "not know: install a newer llama.cpp, or take another model",
    r"allocate|out of memory|bad_alloc": f"there is no room in memory for {{file}} and its context: {SMALLER}",
}
TEMPLATE = b"tokenizer.chat_template"
HEAD = 64_000_000  # bytes of a file that hold all its fields, even with a vocabulary of a million words
_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")


class _Server(NamedTuple):
    process: "subprocess.Popen[bytes]"
    url: str


_started: dict[Path, _Server] = {}  # by the file that each reads
_lock = threading.Lock()


def served_reader(path: str, arguments: Mapping[Any, Any]) -> dict[str, Any]:
    """The reader, as a mapping, for a GGUF file: the server is started unless this program has started it before.

    The address is in a list, as it is another one each time; `file` tells models of one name apart. Raises `UserError`.
    """
    if (file := file_of(path)) is not None:
        raise UserError(
            f"{file} names the model {path}, and files may not start programs, here llama-server: give model={path!r} "
            "yourself"
        )
    parts = _parts(expanded(path).resolve())
    first = parts[0]
    with _lock:
        interrupts.at_end.callback(end_servers)
        if first not in _started or _started[first].process.poll() is not None:
            _started[first] = _start(parts)
        url = _started[first].url
    digest = sha256(sampled(first)).hexdigest()[:16]
    return {"name": "openai", "model": first.name, "base_url": (url,), "file": digest, **arguments}


@atexit.register
def end_servers() -> None:
    """End the servers that were started, and wait until they have ended."""
    while _started:
        _end(_started.popitem()[1].process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def _start(parts: list[Path]) -> _Server:
    """A server that answers. Raises `UserError`."""
    path, size = parts[0], sum(part.stat().st_size for part in parts)
    if (program := shutil.which(PROGRAM)) is None:
        raise UserError(
            f"{path.name} is read by llama-server, which is not on the PATH: install llama.cpp, or load the file into "
            "Ollama and give model='ollama:NAME'"
        )
    if (free := _free_memory()) is not None and size > free:
        raise UserError(
            f"{path.name} has {_amount(size)}, and {_amount(free)} of memory are free: {SMALLER}, or {WITHOUT_LONGDOC}"
        )
    with socket.socket() as free_port:
        free_port.bind(("127.0.0.1", 0))
        port = str(free_port.getsockname()[1])
    parent = [sys.executable, "-I", str(Path(__file__).with_name("ended_with_parent.py"))]
    command = [program, "-m", str(path), "--alias", path.name, "--host", "127.0.0.1", "--port", port]
    note(f"Starting llama-server with {path.name} ({_amount(size)}).")
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(  # noqa: S603  # nosec B603  # the user's own program
            [*parent, *command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=SETTINGS | os.environ,
            start_new_session=True,  # at Ctrl-C what is under way is awaited
        )
        server = _Server(process, f"http://127.0.0.1:{port}/v1")
        try:
            _wait(server, path, log)
        except BaseException:
            _end(process)
            raise
    if not _has_chat_template(path):
        note(
            f"{path.name} has no chat template, so its prompts are written as ChatML: a model for chats answers better."
        )
    return server


def _has_chat_template(path: Path) -> bool:
    """Whether the head of a GGUF file holds a chat template."""
    with path.open("rb") as file:
        return TEMPLATE in file.read(HEAD)


def _wait(server: _Server, path: Path, log: IO[bytes]) -> None:
    """Wait until the server answers. Raises `UserError` that says why it does not."""
    end = time.monotonic() + SECONDS
    while problem := problem_of(server.url, 1.0):
        if server.process.poll() is not None:
            log.seek(0)
            raise UserError(_fault(path, log.read().decode("utf-8", "replace")))
        if time.monotonic() > end:
            raise UserError(f"llama-server did not load {path.name} in {SECONDS:.0f} s ({problem}): {WITHOUT_LONGDOC}")
        time.sleep(0.1)


def _fault(path: Path, log: str) -> str:
    """Why a server ended, by its log."""
    for pattern, text in FAULTS.items():
        if match := re.search(pattern, log):
            return text.format(*match.groups(), file=path.name)
    lines = [line for line in log.splitlines() if "error" in line.lower()] or log.splitlines()
    return f"llama-server ended without loading {path.name} ({lines[0] if lines else 'it said nothing'})"


def _parts(path: Path) -> list[Path]:
    """The files of a model, which may be in parts. Raises `UserError` where one is missing."""
    match = _PART.search(path.name)
    if match is None:
        names = [path.name]
    else:
        names = [f"{path.name[: match.start()]}-{i + 1:05}-of-{match[2]}.gguf" for i in range(int(match[2]))]
    missing = [name for name in names if not path.with_name(name).is_file()]
    if missing and match:
        raise UserError(f"{path.name} is one of {len(names)} parts, and {missing[0]} is not beside it: fetch all parts")
    if missing:
        raise UserError(f"there is no file {path}: give the path of a GGUF file")
    return [path.with_name(name) for name in names]


def _free_memory() -> int | None:
    """The bytes that programs can have; None where the system does not say (other than Linux)."""
    try:
        match = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) * 1024 if match else None


def _amount(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
