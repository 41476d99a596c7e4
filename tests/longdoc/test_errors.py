"""Errors of the system, and of parsers about a user's file, are one line."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from longdoc import errors
from longdoc.errors import OneLine, RepliesAwaited, UserError, error_with_hint
from longdoc.optional import NotInstalled
from pipelines import documents, sources, tasks
from tests.attacks.fuzz.targets.data import CONTRACT, QMSUM
from tests.foreign_files import lines
from tests.turns import for_each

WRONG_CODE = 'import longdoc; longdoc.run("narrativeqa", data="sample", retriever="no_such_retriever")'
MESSAGE = "unknown retriever 'no_such_retriever'"


def in_ipython(code: str) -> list[str]:
    """The lines that IPython's shell prints for a cell, as a notebook shows them."""
    pytest.importorskip("IPython", reason="IPython is not installed")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    printed: list[str] = []
    shell._showtraceback = lambda kind, error, lines: printed.extend("\n".join(lines).splitlines())  # as ipykernel does
    shell.run_cell(code)
    return printed


def test_an_error_the_user_can_fix_is_one_line_in_a_notebook() -> None:
    (line,) = in_ipython(WRONG_CODE)
    assert line.startswith(f"UserError: {MESSAGE}")


def test_other_errors_keep_their_traceback_in_a_notebook() -> None:
    lines = in_ipython("1 / 0")
    assert len(lines) > 1
    assert any("ZeroDivisionError" in line for line in lines)


def test_plain_python_still_prints_the_traceback() -> None:
    process = subprocess.run([sys.executable, "-c", WRONG_CODE], capture_output=True, text=True, check=False)
    assert process.stderr.startswith("Traceback (most recent call last):")
    assert MESSAGE in process.stderr.splitlines()[-1]


@pytest.mark.parametrize("error_type", [UserError, RepliesAwaited])
def test_the_error_is_named_in_a_single_line(error_type: type[OneLine]) -> None:
    assert error_type("first\nsecond \x1b[2J")._render_traceback_() == [f"{error_type.__name__}: first second ␛[2J"]


def test_a_missing_extra_is_one_line_that_names_the_command() -> None:
    (line,) = NotInstalled("torch", "neural", "the model")._render_traceback_()
    assert line.startswith("NotInstalled: ")
    assert "pip install" in line


def test_a_limit_on_the_size_of_files_is_named_with_its_command() -> None:
    error = OSError(errno.EFBIG, os.strerror(errno.EFBIG), "runs/a/requests.jsonl")
    assert error_with_hint(error) == (
        "runs/a/requests.jsonl: File too large: raise the limit on the size of a file (ulimit -f), or name a place on "
        "another disk"
    )
    assert error_with_hint(OSError(errno.EBADF, "x")) is None and error_with_hint(ValueError()) is None


@for_each(
    ("error", "problem"),
    [
        (IndexError("list index out of range"), "list index out of range"),
        (KeyError("name"), "KeyError 'name'"),
        (AssertionError(), "AssertionError"),
        (MemoryError(), "MemoryError"),
        (ValueError("two\nlines " + "x" * 500), "two lines " + "x" * 150 + "…"),
        (OSError("bad data"), "bad data"),
    ],
)
def test_an_error_of_any_kind_names_the_file_in_one_line(error: Exception, problem: str) -> None:
    with pytest.raises(UserError) as refused, errors.parsing("a.pdf"):
        raise error
    assert str(refused.value) == f"a.pdf cannot be read ({problem}): it may be damaged; fetch or copy it again"
    assert refused.value.__cause__ is error


@for_each(
    "error",
    [UserError("a.pdf is encrypted"), RepliesAwaited("wait"), OSError(errno.ENOSPC, "full"), KeyboardInterrupt()],
)
def test_an_error_that_says_what_to_do_is_left_unchanged(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, errors.parsing("a.pdf"):
        raise error
    assert raised.value is error


@for_each(("suffix", "module"), [(".pdf", "pdf"), (".docx", "docx"), (".epub", "epub"), (".html", "html")])
def test_a_document_whose_parser_fails_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, module: str
) -> None:
    from importlib import import_module

    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"x")
    monkeypatch.setattr(import_module(f"pipelines.documents.{module}"), "read", lambda path: [][1])
    with pytest.raises(UserError, match=rf"a{suffix} cannot be read \(list index out of range\): it may be damaged"):
        documents.read(path, cache=False)


SPANS = {"nda-1": {"choice": "Entailment", "spans": 5}}


@for_each(
    ("task", "row"),
    [
        ("scrolls/qmsum", {**QMSUM, "specific_query_list": [{"query": "q", "answer": "a", "relevant_text_span": 5}]}),
        (
            "scrolls/contract_nli",
            {
                **CONTRACT,
                "documents": [{**CONTRACT["documents"][0], "annotation_sets": [{"annotations": SPANS}]}],
            },
        ),
    ],
)
def test_rows_with_an_invalid_layout_are_an_error_that_names_their_file(tmp_path: Path, task: str, row: object) -> None:
    (tmp_path / "rows.jsonl").write_bytes(lines(row))
    with pytest.raises(UserError, match=r"rows\.jsonl cannot be read \(.*\): it may be damaged"):
        list(sources.load(task, tasks.get(task).dataset, tmp_path / "rows.jsonl").examples())
