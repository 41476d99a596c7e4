"""Film scripts: the kinds of rows, where a name ends and its script begins, types in all spellings, HTML."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.layouts.character_types import (
    HERO,
    LABELS,
    VILLAIN,
    canonical,
    character,
    without_tags,
)
from pipelines.benchmarks.muld.tasks import DATASETS
from pipelines.records import Example

SCRIPT = (
    "FADE IN:\n\nEXT. MILL - DAY\n\n   ANNA BERG (V.O.)\nWho broke the wheel?\n\n"
    + "".join(f"   TOM\nNot me, Anna, {n} times not me.\n\n" for n in range(40))
    + "   ANNA\nTom Lund!\n\nAnna Berg runs."
)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def load(path: Path) -> sources.Dataset:
    return sources.load("character_types", DATASETS["character_types"], path)


def examples_of(path: Path) -> list[tuple[str, tuple[str, ...], str]]:
    return [(example.query, example.references, example.document.text) for example in load(path).examples()]


def write_annotations(folder: Path, *types: tuple[str, str]) -> Path:
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "scripts" / "mill.txt").write_text(SCRIPT, encoding="utf-8")
    row = {"film": "The Mill", "script": "scripts/mill.txt"}
    return write(folder / "labels.jsonl", [{**row, "character": who, "character_type": what} for who, what in types])


def test_annotations_beside_their_scripts_share_the_script(tmp_path: Path) -> None:
    write_annotations(tmp_path, ("Anna", "Hero"), ("Tom", "Villain/Antagonist"))
    first, second = load(tmp_path).examples()
    assert (first.id, first.query, first.references) == ("test-1", "Anna", (HERO,))
    assert (second.id, second.query, second.references) == ("test-2", "Tom", (VILLAIN,))
    assert first.document is second.document
    assert (first.document.text, first.document.title) == (SCRIPT, "The Mill")
    assert load(tmp_path).fingerprint["documents"]["files"] == 1


def test_folders_named_for_splits_tell_their_annotations_apart(tmp_path: Path) -> None:
    for split, name in (("train", "Tom"), ("test", "Anna")):
        (tmp_path / "data" / split).mkdir(parents=True)
        write_annotations(tmp_path / "data" / split, (name, "Hero"))
    for split, name in (("train", "Tom"), ("test", "Anna")):
        data = sources.load("character_types", DATASETS["character_types"], tmp_path / "data", split)
        assert [one.query for one in data.examples()] == [name]


def test_other_types_are_dropped_and_counted(tmp_path: Path) -> None:
    data = load(write_annotations(tmp_path, ("Anna", "Hero"), ("Tom", "Sidekick of Hero"), ("Ida", "Mentor")))
    assert [example.query for example in data.examples()] == ["Anna"]
    assert data.warnings == [
        "rows dropped, because their character is of a type that MuLD leaves out: 2 (labels.jsonl:2, labels.jsonl:3)"
    ]


def test_an_unknown_type_is_refused_with_file_and_row(tmp_path: Path) -> None:
    write_annotations(tmp_path, ("Anna", "Hero"), ("Tom", "Villian"))
    with pytest.raises(UserError, match=r"character type in labels\.jsonl:2: 'Villian'.*Villain/Antagonist"):
        list(load(tmp_path).examples())


@pytest.mark.parametrize(
    ("spelling", "label"),
    [
        ("Hero", HERO),
        ("protagonist", HERO),
        ("Hero / Protagonist", HERO),
        ("VILLAIN", VILLAIN),
        ("Antagonist", VILLAIN),
        ("villain/antagonist", VILLAIN),
        ("Spouse/Partner/Lover of Hero", None),
        ("No Applicable Type", None),
        ("Supporting role character of Villain", None),
        ("Sidekick", None),
    ],
)
def test_types_are_read_in_every_spelling(spelling: str, label: str | None) -> None:
    assert canonical(spelling, "row 1") == label
    assert label is None or label in LABELS


@pytest.mark.parametrize(
    ("front", "name"),
    [
        ("Anna\n", "Anna"),
        ("Anna Berg\n\n", "Anna Berg"),
        ("Anna: \n", "Anna"),
        ("Character: Anna\n", "Anna"),
        ("Anna ", "Anna"),
        ("Anna Berg ", "Anna Berg"),
        ("Is Anna the hero or the villain? ", "Anna"),
        ("What type of character is Tom Lund?\n", "Tom Lund"),
        ('Is "Tom" a Hero/Protagonist or a Villain/Antagonist? ', "Tom"),
        ("\ufeffTom\n", "Tom"),
    ],
)
def test_a_name_before_a_script_is_separated_from_it(tmp_path: Path, front: str, name: str) -> None:
    file = write(tmp_path / "test.json", [{"input": front + SCRIPT, "output": ["Hero"], "metadata": ""}])
    ((query, references, text),) = examples_of(file)
    assert (query, references) == (name, (HERO,))
    assert text.strip() == SCRIPT


@pytest.mark.parametrize(
    "name",
    [
        "Zelda",
        "ZELDA ZAP",
        "FBI Agent Carl",
        "Agent ANNA",
        "ANNA WEBER",
        "HAL 9000",
        "Dr. Henry Walton 'Indiana' Jones, Jr. of Princeton",
        "The Man in the Yellow Rain Hat",
        "Who's Anna",
    ],
)
def test_the_first_line_is_the_name_also_where_the_script_never_mentions_it(tmp_path: Path, name: str) -> None:
    rows = [{"input": f"{name}\n{SCRIPT}", "output": ["Villain/Antagonist"]}]
    assert examples_of(write(tmp_path / "test.json", rows)) == [(name, (VILLAIN,), SCRIPT)]


def test_a_name_that_the_script_never_mentions_is_reported_with_its_row(tmp_path: Path) -> None:
    rows = [{"input": f"{name}\n{SCRIPT}", "output": "Hero"} for name in ("Anna", "Zelda")]
    data = load(write(tmp_path / "test.json", rows))
    assert [example.query for example in data.examples()] == ["Anna", "Zelda"]
    assert data.warnings == ["rows kept whose script never mentions the name on their first line: 1 (test.json:2)"]


@pytest.mark.parametrize(
    "line", ["FADE IN:", "Fade up on a mill.", "INT. MILL - DAY", "EXT . MILL", " ".join(map(str, range(13)))]
)
def test_a_first_line_that_opens_a_script_or_is_too_long_is_not_a_name(tmp_path: Path, line: str) -> None:
    data = load(write(tmp_path / "test.json", [{"input": f"{line}\nNo bread today.", "output": "Hero"}]))
    assert list(data.examples()) == []
    assert data.warnings == ["rows left out, because nothing tells the character from the script: 1 (test.json:1)"]


def test_a_mark_in_the_middle_of_a_script_does_not_end_the_name(tmp_path: Path) -> None:
    text = f"The wheel.\n\ufeff{SCRIPT}"
    ((query, _, _),) = examples_of(write(tmp_path / "test.json", [{"input": f"Tom\n{text}", "output": "Hero"}]))
    assert query == "Tom"


def test_a_name_in_the_field_character_is_taken_whole_however_long(tmp_path: Path) -> None:
    name = "Michael Enslin, the man who stays in the room of Tom Lund"
    row = {"document": SCRIPT, "character": name, "label": "hero"}
    assert examples_of(write(tmp_path / "rows.jsonl", [row])) == [(name, (HERO,), SCRIPT)]


def test_rows_of_one_script_share_it(tmp_path: Path) -> None:
    rows = [{"input": f"{name}\n{SCRIPT}", "output": label} for name, label in (("Anna", "Hero"), ("Tom", "Villain"))]
    first, second = load(write(tmp_path / "test.json", rows)).examples()
    assert first.document is second.document
    assert [first.references, second.references] == [(HERO,), (VILLAIN,)]


def test_a_row_without_a_name_is_left_out_and_named(tmp_path: Path) -> None:
    data = load(write(tmp_path / "test.json", [{"input": SCRIPT, "output": "Hero"}]))
    assert list(data.examples()) == []
    assert data.warnings == ["rows left out, because nothing tells the character from the script: 1 (test.json:1)"]


def test_a_wrong_label_of_mulds_rows_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = [{"input": f"Anna\n{SCRIPT}", "output": label} for label in (["Hero"], ["Herro"])]
    with pytest.raises(UserError, match=r"test\.json:2"):
        list(load(write(tmp_path / "test.json", rows)).examples())


@pytest.mark.parametrize("name_field", [{"character": "Anna"}, {"question": "Anna"}])
def test_own_rows_are_read_with_their_labels_mapped(tmp_path: Path, name_field: dict[str, str]) -> None:
    rows = [{"id": "a1", "document": SCRIPT, **name_field, "label": "Protagonist"}, {"document": SCRIPT, **name_field}]
    labelled, unlabelled = load(write(tmp_path / "rows.jsonl", rows)).examples()
    assert (labelled.id, labelled.query, labelled.references) == ("a1", "Anna", (HERO,))
    assert unlabelled.references == ()


def test_a_script_that_is_html_becomes_text(tmp_path: Path) -> None:
    page = (
        "<html><head><title>Mill</title><style>b {}</style></head><body><pre>\n<b>   ANNA\n</b>No &amp; no.\n</pre>"
        "<script>x = '<b>';</script><p>Tom &lt;3</p></body></html>"
    )
    stripped = without_tags(page)
    assert stripped.split() == ["ANNA", "No", "&", "no.", "Tom", "<3"]
    rows = [{"input": f"Anna {page}", "output": "Hero"}, {"input": f"Tom\n{page}", "output": "Villain"}]
    first, second = load(write(tmp_path / "test.json", rows)).examples()
    assert (first.query, second.query) == ("Anna", "Tom")
    assert first.document is second.document
    assert first.document.text == stripped
    plain = [{"document": "A < b and b > c", "character": "Anna", "label": "hero"}]
    ((_, _, text),) = examples_of(write(tmp_path / "plain.jsonl", plain))
    assert text == "A < b and b > c"


def test_a_missing_or_empty_script_is_refused_with_its_row(tmp_path: Path) -> None:
    row = {"script": "scripts/lost.txt", "character": "Anna", "character_type": "Hero"}
    with pytest.raises(UserError, match=r"labels\.jsonl:1: the document .* does not exist"):
        load(write(tmp_path / "labels.jsonl", [row]))
    with pytest.raises(UserError, match=r"test\.json:1: the document is empty"):
        list(load(write(tmp_path / "test.json", [{"input": " ", "output": "Hero"}])).examples())


def test_the_name_in_a_long_question_is_the_one_most_mentioned() -> None:
    assert character("Does the Mill of Tom Lund make Anna a villain, by and large, in the end?", SCRIPT) == "Anna"
    assert character("who is it in the end of all of this?", SCRIPT) == "who is it in the end of all of this?"


def test_the_real_annotations_are_read(realdata: Path) -> None:
    data = load(realdata / "character_archetype")
    examples: list[Example] = list(data.examples())
    labels = [example.references[0] for example in examples]
    assert (len(examples), labels.count(HERO), labels.count(VILLAIN)) == (89, 55, 34)
    assert len({example.document.id for example in examples}) == 47
    assert "194 (" in data.warnings[0]
