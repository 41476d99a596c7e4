import io
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import docx
import pytest
from rich.console import Console

import pipelines
from longdoc.errors import UserError
from pipelines import documents
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.answer_content import Passage
from pipelines.plugins.ask.excerpts import EXCERPT
from pipelines.plugins.ask.quote_location import located
from pipelines.records import Document
from tests.pipelines.documents import small_files
from tests.turns import for_each

FILLER = "The weather was fair and the sea was calm on that day. " * 12


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with a file of each kind, each with one fact, and with files that cannot be read."""
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    (folder / "bees.txt").write_text(f"{FILLER}\nAnna Berg keeps the bees. 🐝\n", encoding="utf-8")
    (folder / "clocks.md").write_text(
        f"# Trades\n\n{FILLER}\n\n# Town\n\nBert Lund mends the clocks.\n", encoding="utf-8"
    )
    (folder / "ships.html").write_text("<h1>Harbour</h1><script>x</script><p>Carla Roth paints the ships.", "utf-8")
    (folder / "deep" / "film.srt").write_text("1\n00:12:33,000 --> 00:12:34,000\nDora Sand flies the kite.\n", "utf-8")
    small_files.pdf(folder / "bread.pdf", [["Fair weather."] * 3, ["Emil Holm bakes the bread."]])
    small_files.epub(folder / "deep" / "wine.epub", {"a.xhtml": "<h1>Loomings</h1><p>Frida Wolf presses the wine.</p>"})
    letter = docx.Document()
    letter.add_heading("Mill", 1)
    letter.add_paragraph("Gustav Kern grinds the corn.")
    letter.save(str(folder / "corn.docx"))
    small_files.pdf(folder / "scan.pdf", [[]])
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


@pytest.mark.parametrize(
    ("question", "name", "file", "location"),
    [
        ("Who keeps the bees?", "Anna Berg", "bees.txt", "line 1"),
        ("Who mends the clocks?", "Bert Lund", "clocks.md", "line 3, sections Trades – Town"),
        ("Who paints the ships?", "Carla Roth", "ships.html", "section Harbour"),
        ("Who flies the kite?", "Dora Sand", "deep/film.srt", "00:12:33"),
        ("Who bakes the bread?", "Emil Holm", "bread.pdf", "pages 1–2"),
        ("Who presses the wine?", "Frida Wolf", "deep/wine.epub", "chapter Loomings"),
        ("Who grinds the corn?", "Gustav Kern", "corn.docx", "section Mill"),
    ],
)
def test_a_folder_is_one_collection_and_passages_have_file_and_location(
    corpus: Path, question: str, name: str, file: str, location: str
) -> None:
    answer = pipelines.ask(corpus, question, k=2)
    assert answer.text.startswith(f"{name} ")
    best = next(passage for passage in answer.passages if passage.answer)
    assert best.file == str(corpus / file)
    text = documents.read(corpus / file).text
    assert best.location.endswith(location.rpartition(", ")[2])
    assert best.location == documents.location(documents.read(corpus / file).meta, text, best.start, best.end)
    assert best.answer is not None
    assert " ".join(text[slice(*best.answer)].split()) == answer.text
    for passage in answer.passages:
        whole = documents.read(Path(passage.file or "")).text
        assert whole[passage.start : passage.end] == passage.text
        assert whole.count("\n", 0, passage.start) + 1 == passage.line


def test_unreadable_files_of_a_folder_are_named(corpus: Path) -> None:
    warnings = "\n".join(pipelines.ask(corpus, "Who keeps the bees?").warnings)
    assert f"skipped picture.png in {corpus} (not a kind of file that longdoc reads)" in warnings
    assert "scan.pdf has no text in it, only pictures of pages: it needs OCR" in warnings
    assert len(warnings.splitlines()) == 2


def test_each_of_a_list_of_files_is_read_once(corpus: Path) -> None:
    answer = pipelines.ask(
        [corpus / "bees.txt", str(corpus / "bees.txt"), corpus / "deep"], "Who keeps the bees?", k=20
    )
    assert {Path(passage.file or "").name for passage in answer.passages} == {"bees.txt", "film.srt", "wine.epub"}
    starts = [passage.start for passage in answer.passages if passage.file and passage.file.endswith("bees.txt")]
    assert len(starts) == len(set(starts))


def test_no_chunk_spans_two_files(corpus: Path) -> None:
    answer = pipelines.ask(corpus, "Who keeps the bees?", chunker="whole", retriever="all")
    assert [Path(passage.file or "").name for passage in answer.passages] == [
        "bees.txt", "bread.pdf", "clocks.md", "corn.docx", "film.srt", "wine.epub", "ships.html",
    ]  # fmt: skip
    assert all(passage.start == 0 for passage in answer.passages)


@pytest.mark.parametrize("chunker", ["tokens:20", "sentences", "paragraphs", "mentions", "lines", "truncate:2000"])
def test_any_chunker_splits_each_file_by_itself(corpus: Path, chunker: str) -> None:
    for passage in pipelines.ask(corpus, "Who is Anna Berg?", chunker=chunker).passages:
        assert documents.read(Path(passage.file or "")).text[passage.start : passage.end] == passage.text


def test_records_and_files_are_asked_together(corpus: Path) -> None:
    record = Document("a", "Hans Vogt builds the wall.")
    answer = pipelines.ask([record, corpus / "bees.txt"], "Who builds the wall?")
    assert answer.text == record.text
    first = next(passage for passage in answer.passages if passage.file is None)
    assert (first.text, first.location, first.answer) == (record.text, "line 1", (0, 26))


def test_lone_surrogates_in_a_record_do_no_harm() -> None:
    answer = pipelines.ask(Document("a", "Hans \ud800 Vogt builds the wall."), "Who builds the wall?")
    assert answer.passages[0].text == "Hans \ud800 Vogt builds the wall."


@pytest.mark.parametrize(
    ("document", "question", "more", "message"),
    [
        ("corpus/bees.txt", " ", {}, "the question is empty"),
        ("corpus/bee.txt", "Who?", {}, "did you mean bees.txt"),
        ([], "Who?", {}, "there is no document to ask"),
        ([3], "Who?", {}, "a document is a path or a Document, got int"),
        ("corpus/scan.pdf", "Who?", {}, "needs OCR"),
        ("corpus/bees.txt", "Who?", {"limit": 3}, "unknown argument 'limit'"),
        ("corpus/bees.txt", "Who?", {"max_new_token": 3}, "did you mean max_new_tokens"),
        ("empty", "Who?", {}, "empty contains no document that can be read; longdoc reads .txt, .text"),
    ],
)
def test_mistakes_are_refused_with_a_message(
    corpus: Path, document: Any, question: str, more: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus.parent)
    Path("empty").mkdir()
    with pytest.raises(UserError, match=message):
        pipelines.ask(document, question, **more)


def test_a_folder_without_readable_files_is_refused_with_the_reason(tmp_path: Path) -> None:
    small_files.pdf(tmp_path / "scan.pdf", [[]])
    with pytest.raises(UserError, match=r"contains no document that can be read; .*scan.pdf has no text in it"):
        pipelines.ask(tmp_path, "Who?")


def test_excerpts_are_around_the_answer_or_the_words_of_the_question() -> None:
    text = f"{FILLER}\nAnna\nBerg keeps the bees. {FILLER}"
    start = text.index("Anna")
    passage = Passage(text, 100, 100 + len(text), 3, 0.25, "a/bees.txt", "line 3", (100 + start, 109 + start))
    printed = str(Answer("Anna Berg", [passage], question="Who keeps bees?", warnings=("one is odd",)))
    head, empty, place, quoted, *rest = printed.splitlines()
    assert (head, empty) == ("Anna Berg", "")
    assert place == "[1] a/bees.txt, line 3"
    assert quoted.startswith("    …")
    assert quoted.endswith("…")
    assert "«Anna Berg» keeps the bees." in quoted
    assert EXCERPT - 80 < len(quoted) < EXCERPT + 20
    assert rest == ["", "warning: one is odd"]
    whole = f"[1] a/bees.txt, line 3, characters 100–{100 + len(text)}, score 0.250"
    assert Answer("Anna Berg", [passage]).plain(full=True).splitlines()[2] == whole


def test_a_passage_is_printed_whole_with_its_lines_when_asked() -> None:
    text = f"{FILLER}\nAnna keeps the bees."
    answer = Answer("honey", [Passage(text, 0, len(text), 1, 0.0)], question="Who keeps bees?")
    assert answer.plain(full=True).split("\n    ", 1)[1] == text.replace("\n", "\n    ")
    assert "Anna keeps the bees." in str(answer)
    assert str(answer).splitlines()[2] == f"[1] characters 0–{len(text)}, score 0.000"


def test_several_texts_are_as_many_documents() -> None:
    answer = pipelines.ask(text=["The rent is 900 euros.", "Pets are allowed."], question="Are pets allowed?")
    assert str(answer).splitlines() == ["Most relevant: Pets are allowed.", "", "[1] text 2, line 1"]


def test_the_terminal_gets_the_same_words_bold_and_indented() -> None:
    passage = Passage("Anna keeps bees. " * 9, 0, 153, 1, 0.5, None, "line 1", (0, 4))
    answer = Answer("Anna", [passage], warnings=["one is odd"])
    console = Console(width=60, force_terminal=True, color_system="standard", file=io.StringIO())
    console.print(answer.rich())
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert printed.count("\x1b[1m" + "Anna") == 1
    assert printed.count("\x1b[1;32m" + "Anna") == 1
    plain = re.sub(r"\x1b\[[\d;]*m", "", printed)
    assert all(line.startswith("    ") for line in plain.splitlines()[3:6])
    assert plain.split() == str(answer).replace("«", "").replace("»", "").split()


def test_no_color_leaves_out_the_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(force_terminal=True, color_system="standard", file=io.StringIO())
    console.print(Answer("Anna", [Passage("Anna", 0, 4, 1, 0.5)]).rich())
    assert set(re.findall(r"\x1b\[[\d;]*m", console.file.getvalue())) == {"\x1b[1m", "\x1b[0m"}  # type: ignore[attr-defined]


@for_each("size", [0, 1, 7, 150, 299, 300, 301, 400, 5000])
@for_each("words", ["bee", "b" * 400])
def test_an_excerpt_has_the_whole_answer_and_little_else(size: int, words: str) -> None:
    for before in (0, size // 2, size):
        text = ("ab " * size)[:before] + f" {words} " + ("cd " * size)[: size - before]
        start = text.index(words)
        printed = str(Answer(words, [Passage(text, 0, len(text), 1, 0.5, answer=(start, start + len(words)))]))
        assert f"«{words}»" in printed
        assert len(printed.splitlines()[-1]) <= max(EXCERPT, len(words)) + 10


@for_each(
    ("text", "answer", "span"),
    [
        ("then Anna\n Berg came", "Anna Berg", (5, 15)),
        ("It rains. It pours.", "It rains.", (0, 9)),
        ("It rains, it pours", "It rains.", (0, 8)),
        ("Annalise", "Anna", None),
        ("yes, I said yes", "yes", None),
        ("a (b) c", "(b)", (2, 5)),
        ("x", "", None),
        ("🐝 שלום", "שלום", (2, 6)),
        ("un café noir", "cafe\u0301 noir", (3, 12)),
        ("un cafe\u0301 noir", "café", (3, 8)),
        ("un cafe\u0301 noir", "cafe", None),
        ("यह किताब है", "किताब", (3, 8)),
        ("यह किताबें हैं", "किताब", None),
        ("船长名叫拉克鲁瓦。", "拉克鲁瓦", (4, 8)),
        ("กัปตันชื่อสมชาย", "สมชาย", (10, 15)),
        ("\u1112\u1161\u11ab글 책", "한글", (0, 4)),
    ],
)
def test_an_answer_is_located_word_for_word(text: str, answer: str, span: tuple[int, int] | None) -> None:
    assert located(text, answer) == span


@pytest.mark.parametrize(
    ("text", "answer", "span"),
    [
        ("北京是中国的首都。", "中国", (3, 5)),
        ("मैं किताब पढ़ता हूँ", "किताब", (4, 9)),
        ("मैं किताब पढ़ता हूँ", "कि", None),
        ("मैं किताबें पढ़ता हूँ", "किताब", None),  # a mark goes on
        ("un cafe\u0301 noir", "café", (3, 8)),
        ("un café noir", "cafe\u0301", (3, 7)),
        ("ดวงจันทร์", "จันทร์", (3, 9)),
        ("iPhone手机", "iPhone", (0, 6)),
    ],
)
def test_an_answer_in_any_script_is_located_by_whole_words(
    text: str, answer: str, span: tuple[int, int] | None
) -> None:
    assert located(text, answer) == span


@pytest.mark.slow
def test_an_answer_of_a_million_letters_is_located_in_the_memory_of_a_few_words() -> None:
    text = "x" * 1_000_000 + " y"
    tracemalloc.start()
    assert located(text, text[:-1]) == (0, 1_000_000)
    assert located(text, "x " * 100) is None
    assert tracemalloc.get_traced_memory()[1] < 6_600_000
    tracemalloc.stop()


def test_a_very_long_answer_is_shortened_unless_full() -> None:
    text = "x" * 3_000_000
    answer = Answer(text, [Passage(text, 0, len(text), 1, 0.5, answer=(0, len(text)))])
    text_line, _, _, quoted = str(answer).splitlines()
    assert text_line == "x" * 10_000 + "… (3,000,000 characters, whole with full=True, --full, or as JSON)"
    assert quoted.strip() == f"«{'x' * 10_000}»…"
    assert answer.plain(full=True).count("x") == 6_000_000


def test_to_dict_has_everything(corpus: Path) -> None:
    values = pipelines.ask(corpus / "bread.pdf", "Who bakes the bread?").to_dict()
    assert json.loads(json.dumps(values)) == {
        "question": "Who bakes the bread?",
        "text": "Emil Holm bakes the bread.",
        "passages": [
            {
                "text": "Fair weather.\nFair weather.\nFair weather.\n\nEmil Holm bakes the bread.",
                "start": 0,
                "end": 69,
                "line": 1,
                "score": values["passages"][0]["score"],
                "file": str(corpus / "bread.pdf"),
                "location": "pages 1–2",
                "answer": [43, 69],
                "heading": "",
                "shown": True,
            }
        ],
        "truncated_tokens": 0,
        "warnings": [],
        "outputs": {},
        "asked": True,
        "citations": [],
        "found": True,
        "best_sentence": {
            "text": "Emil Holm bakes the bread.",
            "passage": 1,
            "start": 43,
            "end": 69,
            "file": str(corpus / "bread.pdf"),
            "location": "page 2",
        },
    }


def test_a_passage_names_the_heading_that_was_shown_before_it(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("# Animals\n\nBees make honey.\n\n# Ships\n\nAnna paints ships in spring.\n", encoding="utf-8")
    answer = pipelines.ask(file, "Who paints ships?", chunker="units:of=sentence", retriever="bm25", k=1)
    assert [(one.text, one.heading) for one in answer.passages] == [("Anna paints ships in spring.", "# Ships")]
    assert str(answer) == f"Most relevant: Anna paints ships in spring.\n\n[1] {file}, line 7, under “Ships”"


def test_the_selected_text_may_have_a_budget(tmp_path: Path) -> None:
    text = "# Mills\n\nThe mill was built in 1931. It stands still.\n\n# People\n\nAnna Berg was born in Oslo.\n"
    path = tmp_path / "mill.md"
    path.write_text(text)
    arguments: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "bm25", "model": "extractive"}
    answer = pipelines.ask(path, "Where was Anna Berg born?", budget="8 words", **arguments)
    assert answer.text == "Anna Berg was born in Oslo."
    assert [passage.text for passage in answer.passages] == ["Anna Berg was born in Oslo."]
    cut = pipelines.ask(path, "Where was Anna Berg born?", budget="10 words", **arguments)
    assert len(cut.passages) == 2


def test_without_a_model_there_are_passages_and_no_word_of_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "mill.md"
    path.write_text("# Mills\n\nThe mill was built in 1931.\n\n# People\n\nAnna Berg was born in Oslo.\n")
    answer = pipelines.ask(
        path, "Where was Anna Berg born?", budget="8 words", retriever="best:encoder=none", model="none"
    )
    assert (answer.text, answer.asked) == ("", False)
    assert str(answer).splitlines()[0] == "(no model was asked)"
    assert [passage.text for passage in answer.passages] == ["Anna Berg was born in Oslo."]


LETTER = "Dear Anna, we arrived in Lisbon on Tuesday. The room looks over the river."


def test_a_text_is_asked_as_its_file_is(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text(LETTER, encoding="utf-8")
    question = "What does the room look over?"
    of_text, of_file = pipelines.ask(text=LETTER, question=question), pipelines.ask(file, question)
    assert of_text.text == of_file.text == "The room looks over the river."
    assert [(one.start, one.end, one.location) for one in of_text.passages] == [(0, len(LETTER), "line 1")]
    assert of_text.passages[0].file is None
    assert pipelines.index(text=LETTER).ask(question).text == of_text.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"document": "When?", "text": LETTER},
            "text=, which is the document itself; if 'When[?]' is the question, give it as question=",
        ),
        ({"document": [Path("a")], "text": LETTER, "question": "When?"}, "give either document or text="),
        ({"text": LETTER}, r"there is no question: ask[(]DOCUMENT, \"…\"[)], or ask[(]text=TEXT, question=\"…\"[)]"),
        (
            {"question": "When?"},
            "there is no document: give a file, a folder or a list of these, or a text itself as text=",
        ),
        ({"text": [LETTER, None], "question": "When?"}, "text= takes a text or a list of texts; text 2 is None"),
        ({"text": " \n", "question": "When?"}, "text=: the document is empty"),
        ({"txt": LETTER, "question": "When?"}, "unknown argument 'txt'; did you mean text[?]"),
    ],
    ids=["the question first", "both", "no question", "no document", "several", "empty", "a typo"],
)
def test_what_is_not_one_document_and_one_question_is_refused_in_a_line(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.ask(**arguments)


@pytest.mark.parametrize("text", [LETTER, LETTER * 20, f"Lisbon.\n\n{LETTER}", "he / she\ncame home"])
def test_a_text_in_the_place_of_a_file_is_answered_with_text(text: str) -> None:
    with pytest.raises(UserError, match=r"^there is no file '.{1,60}': in Python, give a text itself as text=$"):
        pipelines.ask(text, "When?")
