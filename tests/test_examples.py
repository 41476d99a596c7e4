"""The notebooks of `examples/` run from the first cell to the last, without network, and say what they should."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import api_server, documents

EXAMPLES = documents.ROOT / "examples"
REPLY = "The lease ends in May 2031 [1]."


@pytest.fixture
def server() -> Iterator[api_server.ApiServer]:
    """A server that says the same to everyone."""
    made = api_server.ApiServer(lambda request, times: api_server.chat(REPLY))
    yield made
    made.close()


def executed(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the cells of a notebook show, as text."""
    nbformat = pytest.importorskip("nbformat", reason="pip install nbclient ipykernel (extra dev)")
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel (extra dev)")
    pytest.importorskip("ipykernel", reason="pip install ipykernel (extra dev)")
    monkeypatch.setenv("PYTHONPATH", str(documents.ROOT))
    monkeypatch.setenv("LONGDOC_CACHE", str(folder / "cache"))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return "\n".join(shown(one) for cell in notebook.cells for one in cell.get("outputs", ()))


def shown(output: Any) -> str:
    """The text of one output, its HTML where it has some."""
    data = output.get("data", {})
    return str(output.get("text") or data.get("text/html") or data.get("image/svg+xml") or data.get("text/plain"))


@pytest.mark.slow
def test_the_ablation_for_a_paper_ends_with_its_table_and_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = executed("ablation_for_a_paper.ipynb", tmp_path, monkeypatch)
    assert "8 cells (8 new)" in said
    assert r"\begin{tabular}" in said
    assert "<svg" in said
    assert (tmp_path / "runs" / "paper" / "report.html").is_file()


def test_own_documents_are_answered_by_an_api_with_citations_that_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: api_server.ApiServer
) -> None:
    monkeypatch.setenv("LONGDOC_MODEL", f"openai:gpt-4o-mini,base_url={server.url}/v1")
    said = executed("own_documents_with_an_api.ipynb", tmp_path, monkeypatch)
    assert "4,200 euros" in said, "the answer without a model"
    assert "Answer the question at the end from the numbered passages" in said, "the prompt"
    assert f"{REPLY}\n[1] notes/lease.md line 1, sections Lease – Duration" in said
    assert len(server.received) == 4, "one question, three rows; to show a prompt sends nothing"


def test_the_notebooks_are_stored_without_outputs_of_an_api() -> None:
    text = (EXAMPLES / "own_documents_with_an_api.ipynb").read_text(encoding="utf-8")
    assert '"outputs": []' in text and "output_type" not in text
    assert os.environ.get("HOME", "/nowhere") not in text
