"""Scripts are matched with summaries, characters are found in both, annotators are merged."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.benchmarks.muld.builders._films import Summaries, Summary, Title, cues, is_same_title, role
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources

SCRIPT = """INT. HOUSE - NIGHT

                    VERA
     Where is the lamp, Karl?

KARL BRANDT (V.O.) (CONT'D)
I took it.

HARRY: Where have they gone?
SIR TOBY (O.S.): Away.

  THE GIRL AND DR. ENGEL
Who?
CUT TO:
EXT. STREET
Nobody is here: all are gone.
"""


def build(source: Path, out: Path, **fields: Any) -> Built:
    return pipelines.build("character_set", source, out=out, **{"test": 0.0, "validation": 0.0, **fields})


def write(folder: Path, annotations: list[tuple[str, str, str, str]], **files: list[dict[str, Any]]) -> Path:
    """A folder with one film, unless `files` has others."""
    plot = {"title": "The Lamp (1999 film)", "summary": "Vera seeks what Karl Brandt hid. The girl helps.", "cast": []}
    fields = ("title", "character", "annotator", "type")
    small_sources.jsonl(folder / "scripts.jsonl", files.get("scripts", [{"title": "Lamp, The", "script": SCRIPT}]))
    small_sources.jsonl(folder / "summaries.jsonl", files.get("summaries", [plot]))
    small_sources.jsonl(
        folder / "annotations.jsonl", [dict(zip(fields, annotation, strict=True)) for annotation in annotations]
    )
    return folder


def test_names_come_from_cues_without_remarks_and_scene_headings() -> None:
    assert cues(SCRIPT) == ["Vera", "Karl Brandt", "Harry", "Sir Toby", "The Girl", "Dr. Engel"]


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("Ann Lee as Dr. Vera Moss, a surgeon", "Dr. Vera Moss"),
        ("Ann Lee as Vera: who seeks", "Vera"),
        ("Bo Ek as Karl – the thief", "Karl"),
        ("Vera Moss", "Vera Moss"),
        ("Dallas Aston", "Dallas Aston"),
    ],
)
def test_a_line_of_a_cast_list_names_its_role(entry: str, name: str) -> None:
    assert role(entry) == name


@pytest.mark.parametrize(
    ("name", "other_name", "equal"),
    [
        ("VERA", "Vera Moss", True),
        ("Dr. Moss", "Vera Moss", True),
        ("Dr. Vera Moss", "vera moss", True),
        ("Anna Moss", "Vera Moss", False),
        ("Ver", "Vera", False),
    ],
)
def test_forms_of_a_name_are_one_character(name: str, other_name: str, equal: bool) -> None:
    assert is_same_title(name, other_name) is is_same_title(other_name, name) is equal


@pytest.mark.parametrize(
    ("title", "other_title", "fit"),
    [
        ("The Limey", "Limey, The", True),
        ("The Limey", "Limey,-The", True),
        ("Fantastic Four (2005 film)", "fantastic four", True),
        ("Sense & Sensibility", "Sense and Sensibility", True),
        ("Amélie", "Amelie", True),
        ("Fair Game (2010 film)", "Fair Game (1995 film)", False),
        ("Fair Game (2010 film)", "Fair Game (2011 film)", True),
        ("Rocky II", "Rocky III", False),
    ],
)
def test_titles_are_compared_without_articles_accents_and_brackets(title: str, other_title: str, fit: bool) -> None:
    first, second = Title.of(title), Title.of(other_title)
    assert (first.key == second.key and first.fits(second)) is fit


def matched_summary(title: str, *plots: tuple[str, str]) -> str | None:
    summaries = Summaries()
    for name, text in plots:
        summaries.add(Summary(Title.of(name), text, ()))
    match = summaries.match(Title.of(title), SCRIPT)
    return match[0].text if match else None


def test_a_summary_is_matched_by_title_and_then_by_the_names_that_it_shares() -> None:
    vera, both, none = "Vera seeks.", "Vera meets Harry and Karl.", "A ship sinks."
    assert matched_summary("The Lamp", ("Lamp (film)", vera)) == vera
    assert matched_summary("The Lamp", ("Lamp (film)", none)) is None
    assert matched_summary("The Lamp", ("The Boat", both)) is None
    assert matched_summary("The Lamp", ("Lamp (film)", vera), ("Lamp (novel)", both)) == both
    assert matched_summary("The Lamp", ("Lamp (film)", vera), ("Lamp (novel)", "Harry sings.")) is None


def test_a_title_nearly_alike_needs_two_names_and_the_same_numbers() -> None:
    assert matched_summary("Judgement Day 2", ("Judgment Day 2", "Vera meets Harry.")) == "Vera meets Harry."
    assert matched_summary("Judgement Day 2", ("Judgment Day 2", "Vera sleeps.")) is None
    assert matched_summary("Judgement Day 2", ("Judgment Day 3", "Vera meets Harry.")) is None


def test_candidates_are_names_of_cues_and_cast_that_the_plot_has() -> None:
    cast = ("Vera Moss", "Lamp", "Toby")
    summary = Summary(Title.of("x"), "Vera and Toby met Karl; the girl was the lamp of Ms. Moss.", cast)
    assert summary.candidates(SCRIPT, cues(SCRIPT)) == ["Vera", "Karl Brandt", "Sir Toby", "Vera Moss", "Toby"]


def test_a_row_has_the_character_on_a_line_before_the_script(tmp_path: Path) -> None:
    built = build(write(tmp_path / "films", [("The Lamp", "Vera", "one", "Hero")]), tmp_path / "set")
    assert small_sources.read(built.folder / "train.jsonl") == [
        {
            "input": f"Vera\n{SCRIPT}",
            "output": "Hero/Protagonist",
            "metadata": {"character": "Vera", "title": "Lamp, The"},
        }
    ]


def test_annotators_are_merged_and_dropped_characters_are_counted_by_reason(tmp_path: Path) -> None:
    votes = {
        "Vera": ["Protagonist", "Hero", "Mentor"],
        "Karl Brandt": ["Villain", "Antagonist", "Villain/Antagonist"],
        "KARL": ["Hero", "Villain"],
        "The Girl": ["Mentor", "Sidekick", "Mentor"],
        "Harry": ["Hero"],
    }
    annotations = [("Lamp", name, f"a{n}", kind) for name, kinds in votes.items() for n, kind in enumerate(kinds)]
    annotations += [("The Boat", "Ahab", "a0", "Villain"), ("Lamp", "vera", "a2", "Hero")]
    built = build(write(tmp_path / "films", annotations), tmp_path / "set")
    rows = small_sources.read(built.folder / "train.jsonl")
    assert [(row["metadata"]["character"], row["output"]) for row in rows] == [
        ("Vera", "Hero/Protagonist"),
        ("Karl Brandt", "Villain/Antagonist"),
    ]
    assert (built.manifest["read"], built.manifest["dropped"]) == (
        6,
        {
            "characters of a film without a script": 1,
            "characters of another type": 1,
            "characters that are not named by cue or cast list and in the plot": 1,
            "characters whose annotators tie": 1,
        },
    )
    assert built.manifest["notes"] == {"candidates": 3, "scripts": 1}


def test_films_of_one_title_are_distinguished_by_their_years(tmp_path: Path) -> None:
    scripts = [{"title": "Lamp", "year": year, "script": f"VERA\nIt is {year}."} for year in (1940, 1999)]
    summaries = [{"title": "Lamp", "year": year, "summary": "Vera lives.", "cast": []} for year in (1940, 1999)]
    annotations = [("Lamp (1999 film)", "Vera", "one", "Hero"), ("Lamp (1940 film)", "Vera", "one", "Villain")]
    source = write(tmp_path / "films", annotations, scripts=scripts, summaries=summaries)
    rows = small_sources.read(build(source, tmp_path / "set").folder / "train.jsonl")
    assert [(row["input"], row["output"]) for row in rows] == [
        ("Vera\nVERA\nIt is 1940.", "Villain/Antagonist"),
        ("Vera\nVERA\nIt is 1999.", "Hero/Protagonist"),
    ]


def test_characters_of_a_script_without_a_summary_are_counted(tmp_path: Path) -> None:
    scripts = [{"title": "Lamp", "script": SCRIPT}, {"title": "Boat", "script": SCRIPT}]
    annotations = [("Lamp", "Vera", "one", "Hero"), ("Boat", "Vera", "one", "Hero")]
    built = build(write(tmp_path / "films", annotations, scripts=scripts), tmp_path / "set")
    assert built.manifest["dropped"] == {"characters of a script without a summary": 1}
    assert built.manifest["notes"]["scripts without a summary of that title and those names"] == 1


def test_scripts_are_read_from_files_and_html_becomes_text(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "lamp.html").write_text("<html><pre><b>VERA</b>\nWhere &amp; when?</pre></html>", "utf-8")
    scripts = [{"title": "Lamp", "script_path": "texts/lamp.html"}]
    built = build(write(folder, [("Lamp", "Vera", "one", "Hero")], scripts=scripts), tmp_path / "set")
    (row,) = small_sources.read(built.folder / "train.jsonl")
    assert "<" not in row["input"]
    assert "VERA\nWhere & when?" in row["input"]
    assert "texts/lamp.html" in [file["name"] for file in built.manifest["sources"]["files"]]


def test_all_characters_of_a_film_are_in_one_split_that_the_seed_decides(tmp_path: Path) -> None:
    built = pipelines.build("character_set", small_sources.films(tmp_path / "films"), out=tmp_path / "set", test=0.4)
    films = {
        path.stem: [row["metadata"]["title"] for row in small_sources.read(path)]
        for path in built.folder.glob("*.jsonl")
    }
    assert sum(map(len, films.values())) == 12
    assert len(films) > 1
    assert all(titles.count(title) == 2 for titles in films.values() for title in titles)


@pytest.mark.parametrize(
    ("file", "row", "message"),
    [
        (
            "annotations",
            {"title": "Lamp", "character": "Vera", "annotator": "x", "type": "Heroo"},
            "unknown character type",
        ),
        ("annotations", {"title": "Lamp", "character": "Vera"}, "has no annotator; found title, character"),
        ("scripts", {"title": "Lamp"}, "the row needs script, and has no script"),
        ("scripts", {"title": "Lamp", "script_path": "no.txt"}, r"the script .*no\.txt does not exist"),
        ("scripts", {"title": "Lamp", "script": SCRIPT, "year": "1999"}, "year must be a number, got '1999'"),
        ("summaries", {"title": "Lamp", "plot": "Vera."}, "has no summary; found title, plot"),
    ],
)
def test_a_row_that_lacks_something_is_named(tmp_path: Path, file: str, row: dict[str, Any], message: str) -> None:
    source = write(tmp_path / "films", [("Lamp", "Vera", "one", "Hero")])
    small_sources.jsonl(source / f"{file}.jsonl", [row])
    with pytest.raises(UserError, match=message):
        build(source, tmp_path / "set")


def test_a_folder_without_the_files_is_refused_with_what_they_contain(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"there is no .*scripts\.jsonl; character_set needs a folder with scripts\.jsonl \("
    ):
        build(tmp_path, tmp_path / "set")


def test_shares_of_more_than_all_films_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"must be shares of the films that add up to at most 1, got 0\.8 and 0\.3"):
        build(tmp_path, tmp_path / "set", test=0.8, validation=0.3)


def test_cues_of_real_scripts_name_the_annotated_characters(realdata: Path) -> None:
    folder = realdata / "character_archetype"
    labels = small_sources.read(folder / "labels.jsonl")
    films = sorted({row["script"] for row in labels})[:8]
    for film in films:
        script_names = cues((folder / film).read_text(encoding="utf-8", errors="replace"))
        annotated_names = {row["character"] for row in labels if row["script"] == film}
        assert all(any(is_same_title(name, cue) for cue in script_names) for name in annotated_names), film
        assert not any(is_same_title("Zebulon Quist", cue) for cue in script_names)
