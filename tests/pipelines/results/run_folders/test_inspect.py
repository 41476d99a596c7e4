"""One example of a run, in its document."""

import json

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.cli import main
from pipelines.records import Document, Example
from pipelines.results.run_folders.example_view import LONG, marked
from pipelines.results.run_folders.inspect import show
from pipelines.results.run_folders.run import finished_run
from tests.pipelines.documents import small_files

FILLER = "Nothing happens here, and nothing is said. " * 20
TEXT = FILLER + "Anna keeps bees in\n Vienna. Bert mends clocks. " + FILLER + "Carla paints ships."
ANNA_START = TEXT.index("Anna")


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    questions = [("a", "Who keeps bees?", ["Anna", "bees in Vienna"]), ("b", "Who paints ships?", ["Carla"])]
    rows = [{"id": i, "document": TEXT, "question": q, "answers": a} for i, q, a in questions]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def folder(rows, tmp_path):
    arguments = {"chunker": "sentences:size=5", "retriever": "bm25", "k": 2, "model": "extractive", "metrics": ["f1"]}
    return pipelines.run("qa", data=rows, out=tmp_path / "run", **arguments).folder


def test_an_example_has_its_question_output_scores_and_passages_in_their_document(folder):
    view = show(folder, "a")
    assert (view.prediction.query, view.references, view.missing) == ("Who keeps bees?", ("Anna", "bees in Vienna"), "")
    assert view.scores.keys() == {"f1"}
    assert view.characters == len(TEXT)
    first = view.passages[0]
    assert (first.position, first.rank, first.text) == (1, 1, TEXT[first.start : first.end])
    assert first.before == TEXT[first.start - 300 : first.start]
    assert first.after == TEXT[first.end : first.end + 300]
    assert "Anna keeps bees" in first.text


def test_text_marks_passage_and_answers_and_explains_the_marks(folder):
    text = str(show(folder, "a"))
    assert "▸«Anna» keeps «bees in\n Vienna»" in text
    assert "▸passage◂  «answer»  [[evidence]]" in text
    assert "\n  question   Who keeps bees?\n" in text
    assert "[1] rank 1, score " in text


def test_evidence_is_marked_round_the_answers(tmp_path):
    document = Document("d", TEXT)
    examples = [Example("a", document, "Who?", ("Anna",), evidence=((ANNA_START, ANNA_START + 15), (0, 7)))]
    run = pipelines.run("qa", data=examples, chunker="whole", model="extractive", metrics=["f1"], out=tmp_path / "run")
    finished = finished_run(run.folder)
    (passage,) = show(finished, "a", data=examples).passages
    assert passage.evidence == [(0, 7), (ANNA_START, ANNA_START + 15)]
    assert marked(passage.pieces()).startswith("▸[[Nothing]] happens")
    assert "[[«Anna» keeps bees]] in" in marked(passage.pieces())


def test_the_map_shows_where_everything_is(folder):
    view = show(folder, "a")
    map_text = view.map(60)
    cell = ANNA_START * 60 // len(TEXT)
    assert len(map_text) == 60
    assert map_text[cell] == "A"
    assert set(map_text) <= set("#Aa.")
    assert view.map(10**9) == view.map(len(TEXT))


def test_where_the_data_are_gone_the_rest_is_shown_with_the_reason(folder, rows, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    moved = rows.rename(tmp_path / "elsewhere" / "rows.jsonl")
    view = show(folder, "a")
    assert view.characters is None
    assert "rows.jsonl" in view.missing
    assert view.passages[0].text is None
    assert f"no text    {view.missing}" in str(view)
    assert view.map() == ""
    again = show(folder, "a", data=moved)
    assert (again.missing, again.characters) == ("", len(TEXT))


def test_data_other_than_the_run_s_are_refused_where_the_user_gave_them(folder, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"document": "x", "question": "y?", "answers": ["x"]}) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="these are not the data of the run"):
        show(folder, "a", data=other)


def test_an_unknown_id_suggests_only_the_nearest(folder):
    with pytest.raises(UserError, match=r"unknown example 'zzz'; longdoc show .* lists them"):
        show(folder, "zzz")
    with pytest.raises(UserError, match="did you mean a"):
        show(folder, "aa")


def test_without_an_id_there_is_one_line_per_example(folder):
    task, head, first, second, last = str(show(folder)).splitlines()
    assert (task, head.split()) == ("qa", ["id", "question", "prediction"])
    assert first.startswith("  a   Who keeps bees?    ")
    assert second.startswith("  b   Who paints ships?  ")
    assert last == f"  2 examples; one of them: longdoc show {folder} ID"
    assert [row["id"] for row in show(folder).to_dict()["examples"]] == ["a", "b"]


def test_a_failed_example_is_shown_with_its_reason(rows, tmp_path):
    with rows.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "c", "document": TEXT, "question": "why " * 50, "answers": ["x"]}) + "\n")
    arguments = {"model": "extractive:max_input_tokens=30", "metrics": ["f1"]}
    run = pipelines.run("qa", data=rows, out=tmp_path / "run", **arguments)
    view = show(run.folder, "c")
    assert view.failure == run.failures["c"]
    assert f"failed     {view.failure}" in str(view)
    assert "failed: question and instructions alone" in str(show(run.folder))


def test_a_cut_passage_says_how_much_of_it_was_shown(rows, tmp_path):
    arguments = {"model": "extractive:max_input_tokens=100", "metrics": ["f1"], "chunker": "tokens:200", "k": 1}
    run = pipelines.run("qa", data=rows, out=tmp_path / "run", **arguments)
    view = show(run.folder, "a")
    (passage,) = view.passages
    assert view.prediction.truncated_tokens > 0
    assert f" of {passage.end - passage.start:,} characters shown" in passage.headline
    assert "◂" in marked(passage.pieces())


def test_only_the_ends_and_marks_of_a_long_passage_are_printed(rows, tmp_path):
    long = TEXT * 5
    rows.write_text(
        json.dumps({"id": "a", "document": long, "question": "Who?", "answers": ["Bert"]}), encoding="utf-8"
    )
    run = pipelines.run("qa", data=rows, chunker="whole", model="extractive", metrics=["f1"], out=tmp_path / "run")
    (passage,) = show(run.folder, "a").passages
    shown = marked(passage.pieces())
    assert passage.text == long
    assert len(long) > LONG
    assert shown.count("«Bert»") == 5
    assert shown.startswith("▸Nothing happens")
    assert shown.endswith("ships.◂")
    assert shown.count("characters…]") == 6
    assert len(shown) < len(long)


def test_text_from_data_cannot_control_the_terminal(tmp_path, monkeypatch, capsys):
    evil = "\x1b]0;owned\x07Anna\x1b[2J keeps\x9b31m bees. שלום 👩‍👩‍👧 "
    path = tmp_path / "rows.jsonl"
    row = {"id": "e\x1b[2J", "document": evil * 3, "question": "Who\x07 keeps bees?", "answers": ["Anna"]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    run = pipelines.run("qa", data=path, model="extractive", metrics=["f1"], out=tmp_path / "run")
    assert not set("\x1b\x07\x9b") & set(str(show(run.folder, "e\x1b[2J")))
    (tmp_path / "evil.txt").write_text(evil, encoding="utf-8")
    for arguments in (
        ["show", run.folder, "e\x1b[2J"],
        ["show", run.folder],
        ["ask", tmp_path / "evil.txt", "Who keeps bees?"],
        ["show", run.folder, "e\x1b[2J", "--json"],
    ):
        for settings in ({}, {"FORCE_COLOR": "1", "TERM": "xterm"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}):
            with monkeypatch.context() as patch:
                for name in ("FORCE_COLOR", "NO_COLOR"):
                    patch.delenv(name, raising=False)
                for name, value in settings.items():
                    patch.setenv(name, value)
                patch.setattr("sys.argv", ["longdoc", *map(str, arguments)])
                with pytest.raises(SystemExit) as exit_info:
                    main.main()
            assert exit_info.value.code == 0
            printed = capsys.readouterr().out
            assert "\x1b]" not in printed
            assert "\x1b[2J" not in printed
            assert not set("\x07\x9b") & set(printed)
            assert "keeps" in printed


def test_a_frequent_word_does_not_flood_a_long_passage(rows, tmp_path):
    long = "he said so. " * 20_000
    row = {"id": "a", "document": long, "question": "Who?", "answers": ["he"]}
    rows.write_text(json.dumps(row), encoding="utf-8")
    run = pipelines.run("qa", data=rows, chunker="whole", model="copy", metrics=["f1"], out=tmp_path / "run")
    view = show(run.folder, "a")
    assert len(view.answers) == 200
    shown = marked(view.passages[0].pieces())
    assert shown.count("«he»") > 20
    assert shown.count("characters…]") == 1
    assert len(shown) < 2000


def test_a_passage_of_a_pdf_names_its_page(tmp_path):
    small_files.pdf(tmp_path / "bees.pdf", [["Bert mends clocks in Vienna."], ["Anna keeps bees in Graz."]])
    row = {"id": "a", "document_path": "bees.pdf", "question": "Who keeps bees?", "answers": ["Anna"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    arguments = {"chunker": "sentences:size=5", "k": 1, "model": "extractive", "metrics": ["f1"]}
    run = pipelines.run("qa", data=tmp_path / "rows.jsonl", out=tmp_path / "run", **arguments)
    (passage,) = show(run.folder, "a").passages
    assert passage.location == "page 2"
    assert ", page 2, characters 30–54" in passage.headline


def test_a_heading_belongs_to_the_passage_after_it(tmp_path):
    text = "# Hobbies\n\nAnna keeps bees. Bert mends clocks.\n\n# Jobs\n\nCarla paints ships."
    start = text.index("Carla")
    example = Example("a", Document("d", text), "Who paints ships?", ("Carla",), evidence=((start, len(text)),))
    arguments = {"chunker": "units:of=sentence", "retriever": "bm25", "k": 2, "model": "extractive", "metrics": ["f1"]}
    run = pipelines.run("qa", data=[example], out=tmp_path / "run", **arguments)
    view = show(run.folder, "a", data=[example])
    assert [passage.text for passage in view.passages] == ["Carla paints ships.", "Anna keeps bees."]
    assert [passage.heading for passage in view.passages] == ["# Jobs", "# Hobbies"]
    assert view.passages[0].headline.endswith(", under '# Jobs'")
    assert "evidence   100% of 17 characters shown; in 1 chunk ranked 1, 2 taken" in str(view)
    assert "further search" not in str(view)
