"""The notebooks of `examples/` run to the last cell without a network, and the script for job arrays does its work."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli import main
from pipelines.results.lost_evidence.stages import STAGES
from tests import api_server, documents

EXAMPLES = documents.ROOT / "examples"
REPLY = "The lease ends in May 2031 [1]."


@pytest.fixture
def server() -> Iterator[api_server.ApiServer]:
    """A server that sends the same reply to every request."""
    server = api_server.ApiServer(lambda request, times: api_server.chat(REPLY))
    yield server
    server.close()


def executed(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Execute a notebook; return the outputs of its cells as text."""
    nbformat = pytest.importorskip("nbformat", reason="pip install nbclient ipykernel (extra dev)")
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel (extra dev)")
    pytest.importorskip("ipykernel", reason="pip install ipykernel (extra dev)")
    monkeypatch.setenv("PYTHONPATH", str(documents.ROOT))
    monkeypatch.setenv("LONGDOC_CACHE", str(folder / "cache"))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return outputs(notebook.cells)


def outputs(cells: Iterable[Any]) -> str:
    """The outputs of cells as text."""
    return "\n".join(shown(output) for cell in cells for output in cell.get("outputs", ()))


def stored_blame() -> str:
    """The output of `blame` that the notebook of the ablation is stored with."""
    cells = json.loads((EXAMPLES / "ablation_for_a_paper.ipynb").read_text(encoding="utf-8"))["cells"]
    (blame,) = (cell for cell in cells if cell["cell_type"] == "code" and "longdoc.blame" in "".join(cell["source"]))
    return "".join("".join(output["text"]) for output in blame["outputs"])


def stored_outputs(cells: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The outputs that a notebook is stored with."""
    return (output for cell in cells for output in cell.get("outputs", ()))


def shown(output: Any) -> str:
    """The text of one output: its HTML if it has any."""
    data = output.get("data", {})
    return str(output.get("text") or data.get("text/html") or data.get("image/svg+xml") or data.get("text/plain"))


@pytest.mark.slow
def test_the_ablation_for_a_paper_ends_with_its_table_and_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = executed("ablation_for_a_paper.ipynb", tmp_path, monkeypatch)
    assert "8 cells (8 new)" in text
    assert r"\begin{tabular}" in text
    assert "<svg" in text
    assert (tmp_path / "runs" / "paper" / "report.html").is_file()
    assert stored_blame().rstrip() in text, "the notebook is stored with another output of blame: execute it again"
    cells = json.loads((EXAMPLES / "ablation_for_a_paper.ipynb").read_text(encoding="utf-8"))["cells"]
    stored = "".join(
        "".join(output["data"]["text/html"])
        for output in stored_outputs(cells)
        if "text/html" in output.get("data", ())
    )
    rows = re.findall(r"<tr>.*</tr>", stored)
    assert len(rows) > 20
    assert [row for row in rows if row not in text] == [], "stored with other figures"


def test_the_notebook_is_stored_with_the_stages_that_blame_has_now() -> None:
    lines = stored_blame().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  gold evidence")) + 1
    assert [line[2:30].rstrip() for line in lines[first : first + len(STAGES)]] == list(STAGES.values())
    assert lines[first + len(STAGES)].endswith(" examples have gold evidence")


@pytest.mark.slow
def test_own_documents_are_answered_by_an_api_with_citations_that_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: api_server.ApiServer
) -> None:
    monkeypatch.setenv("LONGDOC_MODEL", f"openai:gpt-4o-mini,base_url={server.url}/v1")
    text = executed("own_documents_with_an_api.ipynb", tmp_path, monkeypatch)
    assert "4,200 euros" in text, "the answer without a model"
    assert "Answer the question at the end from the numbered passages" in text, "the prompt"
    assert f"{REPLY}\n[1] notes/lease.md line 1, sections Lease – Duration" in text
    assert len(server.received) == 4, "one question, three rows; to show a prompt sends nothing"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two_inspect_logs", "two_lm_eval_runs"])
def test_two_logs_of_another_harness_end_with_a_sentence_for_a_paper(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "two_inspect_logs":
        pytest.importorskip("inspect_ai", reason="pip install .[inspect]")
    text = executed(f"{name}.ipynb", tmp_path, monkeypatch)
    sentence = text.rstrip().splitlines()[-1]
    assert re.fullmatch(r"On \d+ questions about \d+ documents, \w+ went from .* 95% interval .*; p = 0\.0.*", sentence)
    *_, last = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    stored = "".join(last["outputs"][0]["text"]).rstrip()
    assert stored == sentence, "the notebook is stored with another sentence: execute it again"
    assert (tmp_path / "report.html").is_file()


def test_the_notebooks_are_stored_without_outputs_of_an_api() -> None:
    text = (EXAMPLES / "own_documents_with_an_api.ipynb").read_text(encoding="utf-8")
    assert '"outputs": []' in text and "output_type" not in text
    assert f"{Path.home()}/" not in text or Path.home() == Path("/")


def slurm(folder: Path, *arguments: str, **variables: str) -> list[str]:
    """The words of the `longdoc` command that the script for job arrays starts, with the variables that SLURM sets."""
    commands = folder / "commands"
    commands.mkdir(exist_ok=True)
    for name, line in (("srun", 'exec "$@"'), ("longdoc", 'for word in longdoc "$@"; do printf "%s\\0" "$word"; done')):
        (commands / name).write_text(f"#!/bin/sh\n{line}\n")
        (commands / name).chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SHARDS"))}
    process = subprocess.run(
        ["bash", str(EXAMPLES / "slurm_array.sh"), *arguments], cwd=folder, capture_output=True, text=True, check=True,
        env=environment | {"PATH": f"{commands}:{os.environ['PATH']}"} | variables,
    )  # fmt: skip
    return process.stdout.split("\0")[:-1]


def test_the_script_for_job_arrays_makes_the_shards_of_a_run_and_merges_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def run_command(words: list[str]) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as exited:
            main.main()
        captured = capsys.readouterr()
        return int(str(exited.value.code)), captured.out + captured.err

    rows = [{"id": n, "document": f"The lease {n} ends in May.", "question": "When?", "answer": "May"} for n in "abc"]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = ("qa", "--data", "rows.jsonl", "--model", "lead", "--metric", "f1")
    for number in "12":
        words = slurm(tmp_path, "runs/one", *task, SLURM_ARRAY_TASK_ID=number, SLURM_ARRAY_TASK_COUNT="2")
        assert run_command(words)[0] == 0
    Path("runs/one-shards/2/scores.json").unlink()  # as if it had been killed
    code, printed = run_command(slurm(tmp_path, "runs/one"))
    again = f"longdoc run {' '.join(task)} --shard 2/2 --out runs/one-shards/2 --no-report"
    assert (code, f"runs/one-shards/2 (shard 2/2) is not finished: {again}\n" in printed) == (2, True), printed
    words = slurm(tmp_path, "runs/one", *task, SLURM_ARRAY_TASK_ID="2", SLURM_ARRAY_TASK_COUNT="1", SHARDS="2")
    assert words == again.split()
    assert "of them finished earlier" in run_command(words)[1]
    assert run_command(slurm(tmp_path, "runs/one"))[0] == 0
    assert Path("runs/one/report.html").is_file()


def test_the_script_for_job_arrays_has_no_syntax_errors_and_prints_its_usage() -> None:
    script = str(EXAMPLES / "slurm_array.sh")
    check = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
    assert (check.returncode, check.stderr) == (0, "")
    without_arguments = subprocess.run(["bash", script], capture_output=True, text=True)
    assert (without_arguments.returncode, without_arguments.stderr[:6]) == (2, "usage:")
