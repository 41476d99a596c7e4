"""`longdoc ask` and `longdoc data index` as typed, with standard input that is not a terminal."""

import io
import json
import sys

import pytest

from pipelines.cli.main import main


@pytest.fixture(autouse=True)
def folder_with_files(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bees.txt").write_text("Anna keeps bees. Bert mends clocks in Vienna.\n", encoding="utf-8")
    (tmp_path / "ships.txt").write_text("Carla paints ships in Oslo.\n", encoding="utf-8")
    (tmp_path / "bad.pdf").write_bytes(b"no pdf at all")


@pytest.fixture
def longdoc(monkeypatch, capsys):
    """Run a command line in this process: its exit code, standard output and standard error."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["longdoc", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_a_dash_reads_the_question_from_standard_input(longdoc):
    code, out, err = longdoc("ask", "bees.txt", "-", stdin="Who\nkeeps bees?\n")
    assert (code, err) == (0, "")
    assert "Anna" in out
    assert longdoc("ask", "bees.txt", "-")[0::2] == (
        2, 'longdoc: standard input holds no question: echo "Who …?" | longdoc ask FILES -\n'
    )  # fmt: skip


def test_without_a_question_or_a_terminal_the_error_names_the_ways_to_ask(longdoc):
    code, out, err = longdoc("ask", "bees.txt")
    assert (code, out) == (2, "")
    assert err == (
        "longdoc: there is no question: type it last, or - to read it from standard input, or --interactive\n"
    )


def test_a_bad_file_of_a_list_is_left_out_and_the_exit_code_is_1(longdoc):
    code, out, err = longdoc("ask", "bad.pdf", "bees.txt", "Who keeps bees?")
    assert code == 1
    assert err.startswith("warning: not read: bad.pdf is not a .pdf file")
    assert err.count("\n") == 1
    assert "Anna" in out
    assert "not read" not in out


def test_where_no_file_can_be_read_there_is_no_answer(longdoc):
    code, out, err = longdoc("ask", "bad.pdf", "Who keeps bees?")
    assert (code, out) == (2, "")
    assert err.startswith("longdoc: bad.pdf is not a .pdf file")


def test_a_folder_with_a_bad_file_ends_with_0_and_names_it(longdoc, tmp_path):
    code, out, err = longdoc("ask", ".", "Who paints ships?")
    assert (code, err) == (0, "")
    assert "warning: not read: bad.pdf is not a .pdf file" in out


def test_lines_of_standard_input_are_questions_and_commands(longdoc):
    code, out, err = longdoc(
        "ask", ".", "--interactive", stdin="Who keeps bees?\n\n:set k=1\nWho paints ships?\n:passages 7\n:quit\nWho?\n"
    )
    assert code == 1
    assert err == "longdoc: the last answer has passages 1 to 1: type one of these, as in :passages 1\n"
    first, second = out.split("ask> :set k=1\nk is 1\n")
    assert first.count("\n[") == 1  # ships have nothing to do with bees
    assert second.count("\n[") == 1
    assert "Carla" in second
    assert "ask> Who?" not in out


def test_json_of_several_questions_is_a_line_for_each(longdoc):
    questions = "Who keeps bees?\n:save nowhere/a.html\nWho paints ships?\n"
    code, out, err = longdoc("ask", "bees.txt", "ships.txt", "-i", "--json", stdin=questions)
    assert (code, err) == (1, "")
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["question"] for record in records] == questions.splitlines()
    assert records[1]["error"] == "nowhere is not a folder: make it, or write the page elsewhere"
    assert records[2]["passages"][0]["file"] == "ships.txt"


@pytest.mark.parametrize("option", ["--html=page.html", "--show-prompt"])
def test_options_of_one_question_are_refused_for_several(longdoc, option):
    code, out, err = longdoc("ask", "bees.txt", "-i", option)
    assert (code, out) == (2, "")
    assert f"{option.partition('=')[0]} is for one question" in err


def test_a_question_may_be_given_before_those_of_standard_input(longdoc):
    out = longdoc("ask", "bees.txt", "Who keeps bees?", "-i", stdin="Where are clocks mended?\n")[1]
    assert out.index("ask> Who keeps bees?") < out.index("ask> Where are clocks mended?")


def test_the_page_is_written_beside_the_printed_answer(longdoc, tmp_path):
    code, out, err = longdoc("ask", "bees.txt", "Who keeps bees?", "--html", "page.html")
    assert (code, err) == (0, "page: page.html\n")
    assert "Anna" in out
    assert "<mark" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert longdoc("ask", "bees.txt", "Who keeps bees?", "--html", "no/page.html")[2] == (
        "longdoc: no is not a folder: make it, or write the page elsewhere\n"
    )


def test_an_index_of_words_keeps_nothing_on_disk(longdoc, tmp_path):
    code, out, err = longdoc("data", "index", "bees.txt", "ships.txt")
    assert (code, err) == (0, "")
    counts, kept, following = out.splitlines()
    assert counts.startswith("2 documents, 13 words, 2 passages, in ")
    assert " keeps nothing on disk, " in kept
    assert kept.endswith(": --retriever dense")
    assert following == 'ask next: longdoc ask bees.txt ships.txt "QUESTION"'
    assert not (tmp_path / "cache" / "embeddings").exists()


def test_an_index_is_a_record_in_json_too(longdoc):
    record = json.loads(longdoc("data", "index", ".", "-m", "none", "--json")[1])
    assert (record["documents"], record["passages"], record["vectors"], record["encoded"]) == (2, 2, [], 0)
    assert record["warnings"][0].startswith("not read: bad.pdf is not a .pdf file")
    assert record["command"] == 'longdoc ask . --model none "QUESTION"'
