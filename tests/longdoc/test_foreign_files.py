"""Whatever a parser raises about a file of others is an error of that file, in one line."""

import errno
from pathlib import Path

import pytest

from longdoc import foreign_files
from longdoc.errors import RepliesAwaited, UserError
from pipelines import documents, sources, tasks
from tests.attacks.fuzz.targets.data import CONTRACT, QMSUM
from tests.foreign_files import lines
from tests.turns import for_each


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
    with pytest.raises(UserError) as refused, foreign_files.parsing("a.pdf"):
        raise error
    assert str(refused.value) == f"a.pdf cannot be read ({problem}): it may be damaged; fetch or copy it again"
    assert refused.value.__cause__ is error


@for_each(
    "error",
    [UserError("a.pdf is encrypted"), RepliesAwaited("wait"), OSError(errno.ENOSPC, "full"), KeyboardInterrupt()],
)
def test_what_says_itself_what_to_do_stays(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, foreign_files.parsing("a.pdf"):
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
def test_rows_whose_layout_fails_are_an_error_of_their_file(tmp_path: Path, task: str, row: object) -> None:
    (tmp_path / "rows.jsonl").write_bytes(lines(row))
    with pytest.raises(UserError, match=r"rows\.jsonl cannot be read \(.*\): it may be damaged"):
        list(sources.load(task, tasks.get(task).dataset, tmp_path / "rows.jsonl").examples())
