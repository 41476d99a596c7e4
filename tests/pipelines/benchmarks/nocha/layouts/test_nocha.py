"""NoCha's claims with the texts of their books beside them."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks


def row(index: int, label: Any, book: str = "gulls", **more: Any) -> dict[str, Any]:
    return {"book_title": book, "claim": f"Claim {index}.", "type": label, "index": index, **more}


def load(folder: Path, *rows: dict[str, Any], texts: tuple[str, ...] = ("gulls.txt", "owls.txt")) -> sources.Dataset:
    (folder / "claims.json").write_text(json.dumps(rows))
    for name in texts:
        (folder / name).write_text(f"The text of {name}.")
    return sources.load("nocha", tasks.get("nocha").dataset, folder)


def test_claims_are_grouped_by_book_and_named_by_index_and_label(tmp_path: Path) -> None:
    data = load(tmp_path, row(1, True), row(2, "False", "owls"), row(1, False), row(2, "True", "owls"))
    examples = list(data.examples())
    assert [(one.id, one.document.title, one.references) for one in examples] == [
        ("1-true", "gulls", ("TRUE",)),
        ("1-false", "gulls", ("FALSE",)),
        ("2-false", "owls", ("FALSE",)),
        ("2-true", "owls", ("TRUE",)),
    ]
    assert examples[0].document is examples[1].document
    assert (examples[0].document.text, examples[0].query) == ("The text of gulls.txt.", "Claim 1.")
    assert examples[0].meta["pair"] == examples[1].meta["pair"] != examples[2].meta["pair"]
    assert data.warnings == []


def test_a_claim_without_the_other_of_its_pair_is_counted(tmp_path: Path) -> None:
    data = load(tmp_path, row(1, True), row(2, True), row(2, False))
    assert len(list(data.examples())) == 3
    assert data.warnings == ["claims without the other of their pair: 1 (1-true)"]


def test_a_row_may_name_its_file(tmp_path: Path) -> None:
    (example,) = load(tmp_path, row(1, True, file="owls.txt")).examples()
    assert example.document.text == "The text of owls.txt."


def test_missing_texts_are_named_and_the_pickle_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "classic_books.pkl").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(
        UserError, match=r"text of 2 books is missing: eels, gulls .* a pickle, which is code and never"
    ):
        load(tmp_path, row(1, True), row(2, True, "eels"), texts=())
    with pytest.raises(UserError, match="is a pickle, which could run code, so it is never loaded"):
        sources.load("nocha", tasks.get("nocha").dataset, tmp_path / "classic_books.pkl")
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([row(1, "perhaps")], "the type of a claim must be true or false, got 'perhaps'"),
        ([row(1, True), row(1, True)], "two examples have the id '1-true'"),
        (
            [row(1, True), {**row(1, False), "claim": ""}],
            "a claim of NoCha needs book_title, claim, type, index; found",
        ),
        ([row(1, True, file="../gulls.txt")], "must be the name of a file beside the claims"),
    ],
)
def test_malformed_claims_are_refused(tmp_path: Path, rows: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        list(load(tmp_path, *rows).examples())
