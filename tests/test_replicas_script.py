"""The launch script of `examples/` starts a server on each GPU, waits for health, runs the command, stops them."""

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests import documents, patience

SCRIPT = documents.ROOT / "examples" / "vllm_replicas.sh"
FAKE = f"""#!{sys.executable}
import os, sys, time
sys.path.insert(0, {str(documents.ROOT)!r})
from tests.api_server import Answer, ApiServer, chat
port = int(sys.argv[sys.argv.index("--port") + 1])
print("GPU", os.environ["CUDA_VISIBLE_DEVICES"], *sys.argv[1:], flush=True)
if "--broken" in sys.argv:
    sys.exit("CUDA out of memory")
server = ApiServer(lambda request, times: chat(f"from {{port}}", wait=0.05), {{"/health": Answer(b"", 503)}}, port)
time.sleep(0.3)
server.pages["/health"] = Answer(b"")
time.sleep({patience.SECONDS})
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables for the script: a PATH with a fake vLLM, and the first of two free ports in a row."""
    folder = tmp_path / "bin"
    folder.mkdir()
    fake = folder / "vllm"
    fake.write_text(FAKE, encoding="utf-8")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    settings = {"PATH": f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}", "GPUS": "0 3", "EVERY": "0.1"}
    return {**os.environ, **settings, "PORT": str(two_ports()), "LOGS": str(tmp_path / "logs"), "NO_PROXY": "127.0.0.1"}


def two_ports() -> int:
    """The first of two free ports in a row."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def run_script(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(SCRIPT), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience.SECONDS,
        check=False,
    )


def is_open(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_a_run_uses_a_server_on_each_gpu_and_the_servers_are_stopped(
    environment: dict[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "rows.jsonl"
    lines = ({"id": f"q{i}", "document": f"Room{i}.", "question": f"Room{i}?", "answer": "x"} for i in range(6))
    data.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    port, out = int(environment["PORT"]), tmp_path / "run"
    options = ["--data", str(data), "--metric", "f1", "--k", "1", "--out", str(out)]
    process = run_script(environment, "some/model", sys.executable, "-m", "longdoc", "run", "qa", *options)
    assert process.returncode == 0, process.stderr
    predictions = [json.loads(line) for line in (out / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["prediction"] for row in predictions} == {f"from {port}", f"from {port + 1}"}
    log = (tmp_path / "logs" / f"vllm-{port + 1}.log").read_text(encoding="utf-8")
    serve = f"serve some/model --max-model-len 32768 --host 127.0.0.1 --port {port + 1}"
    assert log.splitlines()[0] == f"GPU 3 {serve}"
    assert not is_open(port)
    assert not is_open(port + 1)


def test_a_server_that_does_not_start_is_named_with_the_end_of_its_log(environment: dict[str, str]) -> None:
    process = run_script({**environment, "SERVER_ARGS": "--broken"}, "some/model", "echo", "never")
    assert process.returncode == 1
    assert process.stdout == ""
    assert f"the server on port {environment['PORT']} did not become healthy" in process.stderr
    assert process.stderr.splitlines()[-1] == "CUDA out of memory"


def test_without_a_command_the_script_prints_its_usage(environment: dict[str, str]) -> None:
    process = run_script(environment, "some/model")
    assert process.returncode == 2
    assert "examples/vllm_replicas.sh MODEL COMMAND" in process.stderr
