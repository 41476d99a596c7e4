"""Texts and their translations in files beside each other."""

from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from longdoc.links import follow_links
from pipelines import sources
from pipelines.benchmarks.muld.tasks import DATASETS

SRT = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n2\n00:00:03,000 --> 00:00:04,000\n{}\n"


def load(data: Path) -> sources.Dataset:
    return sources.load("opensubtitles", DATASETS["opensubtitles"], data, "test")


def read(data: Path) -> tuple[list[tuple[str, str, tuple[str, ...]]], list[str]]:
    dataset = load(data)
    return [(e.id, e.document.text, e.references) for e in dataset.examples()], dataset.warnings


def write(folder: Path, **files: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name.replace("__", "-").replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_a_pair_of_text_files_is_one_example(tmp_path: Path) -> None:
    film = write(tmp_path / "film", en_txt="One.\n\nTwo.\n", de_txt=b"\xef\xbb\xbfEins.\r\n\r\nZwei.\r\n\r\n")
    assert read(film) == ([("film", "One.\n\nTwo.", ("Eins.\n\nZwei.",))], [])
    (example,) = load(film).examples()
    assert dict(example.meta) == {"source": "en.txt", "target": "de.txt"}


def test_a_folder_of_folders_has_a_pair_in_each(tmp_path: Path) -> None:
    write(tmp_path / "b", english__b_txt="One.", german__b_txt="Eins.")
    write(tmp_path / "a", a_en_txt="Two.", a_de_txt="Zwei.")
    write(tmp_path / "notes", README_txt="Nothing to translate.")
    assert [(name, text) for name, text, _ in read(tmp_path)[0]] == [("a", "Two."), ("b", "One.")]


def test_pairs_in_one_folder_are_matched_by_the_rest_of_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", one_en_txt="1", one_de_txt="eins", two_en_txt="2", two_de_txt="zwei")
    assert read(folder)[0] == [("x-one", "1", ("eins",)), ("x-two", "2", ("zwei",))]


def test_a_single_translation_belongs_to_every_text(tmp_path: Path) -> None:
    folder = write(tmp_path / "g", english__kjv_txt="1", english__web_txt="one", german_txt="eins")
    assert read(folder)[0] == [("g-kjv", "1", ("eins",)), ("g-web", "one", ("eins",))]


def test_sides_may_be_named_for_any_pair_of_languages(tmp_path: Path) -> None:
    assert read(write(tmp_path / "x", source_txt="un", target_txt="uno"))[0] == [("x", "un", ("uno",))]
    with pytest.raises(UserError, match=r"which are translations|name them source\.txt and target\.txt"):
        load(write(tmp_path / "y", fr_txt="un", es_txt="uno"))


def test_texts_that_cannot_be_paired_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", one_en_txt="1", two_de_txt="2", three_de_txt="3")
    with pytest.raises(UserError, match=r"the translation of one\.en\.txt: three\.de\.txt, two\.de\.txt"):
        load(folder)


def test_texts_with_different_numbers_of_lines_are_a_pair_of_documents(tmp_path: Path) -> None:
    examples, warnings = read(write(tmp_path / "x", en_txt="a\nb\nc\n", de_txt="ab\nc"))
    assert examples == [("x", "a\nb\nc", ("ab\nc",))]
    assert warnings == ["pairs with different numbers of lines, taken as whole documents: 1 (en.txt 3, de.txt 2)"]


def test_western_texts_may_be_in_windows_1252_and_hold_entities(tmp_path: Path) -> None:
    examples, warnings = read(
        write(tmp_path / "x", en_txt="that &amp; this", de_txt="da&szlig; f\xfcr \x93S\x94".encode("latin-1"))
    )
    assert examples[0][1:] == ("that & this", ("daß für “S”",))
    entities = "files had HTML entities (such as &szlig;), which were decoded"
    assert warnings == [
        f"{entities}: 2 (en.txt, de.txt)",
        "files are not UTF-8 and were read as Windows-1252: 1 (de.txt)",
    ]


def test_other_encodings_are_refused_with_the_command_that_converts_them(tmp_path: Path) -> None:
    for name, content in (
        ("ru_txt", "Привет".encode("cp1251")),
        ("de_srt", SRT.format("F\xfcr", "x").encode("latin-1")),
    ):
        folder = tmp_path / name
        write(folder, **{"en_" + name[-3:]: SRT.format("For", "x"), name: content})
        with pytest.raises(UserError, match=r"is not UTF-8.*iconv -f"):
            read(folder)


def test_subtitles_are_aligned_by_time(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "film",
        film_en_srt=SRT.format("<i>One</i>\nmore.", "Two.") + "\n3\n00:01:00,000 --> 00:01:01,000\nMusic\n",
        film_de_srt=SRT.format("Eins\nmehr.", "Zwei."),
    )
    examples, warnings = read(folder)
    assert examples == [("film", "One more.\nTwo.", ("Eins mehr.\nZwei.",))]
    reason = "subtitles left out, because nothing is shown at their time in the other language"
    assert warnings == [f"{reason}: 1 (film 00:01:00,000)"]


def test_subtitles_of_another_version_of_the_film_are_refused(tmp_path: Path) -> None:
    later = SRT.replace("00:00:", "00:30:")
    folder = write(tmp_path / "film", en_srt=SRT.format("One", "Two"), de_srt=later.format("Eins", "Zwei"))
    with pytest.raises(UserError, match=r"en\.srt and de\.srt are not of the same version of a film"):
        read(folder)


ENGLISH = "The lamp is on the table.\nIt was not you.\nWhat have you seen?\n"
GERMAN = "Die Lampe steht auf dem Tisch.\nDu bist es nicht gewesen.\nWas hast du gesehen?\n"


def test_two_files_with_equally_many_lines_are_a_pair_whatever_their_names(tmp_path: Path) -> None:
    films = tmp_path / "films"
    write(films / "a", en_txt=ENGLISH, de_txt=GERMAN)
    write(films / "b", film_txt=GERMAN, original_txt=ENGLISH)
    write(films / "c", one_en_txt=ENGLISH, one_txt=GERMAN)
    write(films / "d", two_txt=ENGLISH, two_de_txt=GERMAN)
    examples, warnings = read(films)
    assert [name for name, _, _ in examples] == ["a", "b", "c", "d"]
    assert {(text, references) for _, text, references in examples} == {(ENGLISH.rstrip(), (GERMAN.rstrip(),))}
    names = "b: original.txt, film.txt, c: one.en.txt, one.txt, d: two.txt, two.de.txt"
    assert warnings == [f"pairs found by equal numbers of lines, with the English one as the text: 3 ({names})"]


def test_two_files_of_subtitles_are_distinguished_by_their_words(tmp_path: Path) -> None:
    files = {"x_srt": SRT.format("Das ist die Lampe.", "Nein."), "y_srt": SRT.format("That is the lamp.", "No.")}
    assert read(write(tmp_path / "film", **files))[0] == [
        ("film", "That is the lamp.\nNo.", ("Das ist die Lampe.\nNein.",))
    ]


def test_a_pair_among_more_files_is_found_by_its_lines_and_the_others_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", a_txt=ENGLISH, b_txt=GERMAN, notes_txt="One line of notes.", LICENSE_txt="Free.")
    examples, warnings = read(folder)
    assert [(name, references) for name, _, references in examples] == [("x-a", (GERMAN.rstrip(),))]
    assert "files left out, because no other file is their translation: 1 (x/notes.txt)" in warnings


@pytest.mark.parametrize(
    "files",
    [
        {"a_txt": ENGLISH, "b_txt": ENGLISH},
        {"a_txt": GERMAN, "b_txt": GERMAN},
        {"a_en_txt": ENGLISH, "b_txt": ENGLISH},
        {"a_txt": ENGLISH, "b_txt": GERMAN, "c_txt": GERMAN},
    ],
)
def test_files_with_equally_many_lines_that_no_words_tell_apart_are_refused_by_name(
    tmp_path: Path, files: dict[str, str]
) -> None:
    names = ", ".join(sorted(name.replace("_", ".") for name in files))
    with pytest.raises(
        UserError, match=rf"{names} have equal numbers of lines; name a text and its translation film\.en"
    ):
        load(write(tmp_path / "x", **files))


def test_folders_and_files_without_a_pair_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "a", en_txt="One.", de_txt="Eins.", notes_txt="Hm.")
    write(tmp_path / "b", film_txt="a\nb", other_txt="c")
    write(tmp_path / "c", pictures_png="")
    write(tmp_path / "d" / "deeper", en_txt="Two.", de_txt="Zwei.")
    examples, warnings = read(tmp_path)
    assert [name for name, _, _ in examples] == ["a", "d-deeper"]
    assert warnings == [
        "files left out, because no other file is their translation: 3 (a/notes.txt, b/film.txt, b/other.txt)",
        "folders left out, because they have no text with its translation: 2 (b, c)",
    ]


@pytest.mark.parametrize("files", [{"film_txt": "a\nb", "other_txt": "c"}, {"film_txt": "a"}, {"de_txt": "a"}])
def test_a_folder_without_a_translation_is_no_folder_of_own_documents(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(UserError, match=r"has no text with its translation; it has: .*Name the two files en\.txt"):
        load(write(tmp_path / "x", **files))


def test_a_text_with_its_translation_in_rows_beside_it_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", film_txt="One.", film_jsonl='{"answers": ["Eins."]}\n')
    assert [(text, references) for _, text, references in read(folder)[0]] == [("One.", ("Eins.",))]


def test_each_folder_is_read_once_wherever_links_lead(tmp_path: Path) -> None:
    write(tmp_path / "a", en_txt="One.", de_txt="Eins.")
    write(tmp_path / "elsewhere" / "film", en_txt="Two.", de_txt="Zwei.")
    films = tmp_path / "films"
    films.mkdir()
    (tmp_path / "a" / "loop").symlink_to(films, target_is_directory=True)
    for name, place in (("one", "a"), ("two", "elsewhere/film"), ("three", "a")):
        (films / name).symlink_to(tmp_path / place, target_is_directory=True)
    with pytest.raises(UserError, match=r"films/one leads out of .*films by a link, to .*/a: .* add --follow-links"):
        load(films)
    with follow_links():
        assert [name for name, _, _ in read(films)[0]] == ["one", "two"]


def test_a_text_alone_has_no_reference(tmp_path: Path) -> None:
    assert read(write(tmp_path / "x", en_txt="One.\n"))[0] == [("en", "One.\n", ())]


def test_the_files_are_the_fingerprint(tmp_path: Path) -> None:
    film = write(tmp_path / "film", en_txt="One.", de_txt="Eins.")
    before = load(film).fingerprint
    assert [file["name"] for file in before["files"]] == ["de.txt", "en.txt"]
    write(film, de_txt="Zwei.")
    assert load(film).fingerprint != before


def test_real_films_are_aligned_and_genesis_is_a_pair_of_documents(realdata: Path) -> None:
    examples, warnings = read(realdata / "translation_en_de" / "films")
    assert [(name, text.count("\n") + 1, r[0].count("\n") + 1) for name, text, r in examples] == [
        ("almanya", 913, 913),
        ("jenseits", 1082, 1082),
    ]
    assert warnings == []
    examples, warnings = read(realdata / "translation_en_de" / "genesis")
    assert [(name, text.count("\n") + 1, r[0].count("\n") + 1) for name, text, r in examples] == [
        ("genesis-kjv", 3935, 1582),
        ("genesis-web", 3694, 1582),
    ]
    assert "wüst und leer" in examples[0][2][0] and "daß" in examples[0][2][0]
    assert len(warnings) == 3


def test_every_film_below_a_real_folder_is_read(realdata: Path) -> None:
    examples, warnings = read(realdata / "translation_en_de")
    assert [name for name, _, _ in examples] == ["films-almanya", "films-jenseits", "genesis-kjv", "genesis-web"]
    assert not any("left out" in warning for warning in warnings)


def test_a_real_film_with_meaningless_names_is_paired_the_right_way(realdata: Path, tmp_path: Path) -> None:
    films = realdata / "translation_en_de" / "films"
    names = {"almanya": ("en", "de"), "jenseits": ("english-jenseits", "german-jenseits")}
    for film, (english, german) in names.items():
        sides = [(films / film / f"{name}.txt").read_bytes() for name in (german, english)]
        write(tmp_path / film, a_txt=sides[0], b_txt=sides[1])
    assert [(one.id, dict(one.meta)["source"]) for one in load(tmp_path).examples()] == [
        ("almanya", "b.txt"),
        ("jenseits", "b.txt"),
    ]
