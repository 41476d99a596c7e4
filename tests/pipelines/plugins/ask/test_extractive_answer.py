import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import pipelines
from pipelines.plugins.ask.answer_content import Sentence
from pipelines.plugins.ask.best_sentence import SourcePassage, best_sentence, shares_words
from pipelines.plugins.ask.related_passages import related_numbers
from pipelines.records import Document

LEASE = """The tenant pays a rent of 900 euros on the first of each month. The landlord keeps the roof in repair.
The lease ends in May 2031. Pets are allowed with written consent.
"""
LETTER = "# Lisbon\n\nDear Anna, we arrived in Lisbon on Tuesday. The room looks over the river.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "lease.txt").write_text(LEASE, encoding="utf-8")
    (folder / "letter.md").write_text(LETTER, encoding="utf-8")
    return folder


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """A folder in which another file names the file with the answer, and the question does not."""
    folder = tmp_path / "films"
    folder.mkdir()
    texts = {
        "Deep Water": "Deep Water is a film of 1964. It was directed by Carl Mond, and shot in the harbour of Oslo.",
        "Carl Mond": "Carl Mond (1921–1990) was a film-maker. He was born in Turin. He made eleven films.",
        "Anna Berg": "Anna Berg was born in Kyiv. She wrote of the sea.",
        "High_Ground": "High Ground is a film of 1970. It was shot where Emil Holm was born, in Bergen.",
    }
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    return folder


def test_the_best_sentence_leads_with_its_place(notes: Path) -> None:
    answer = pipelines.ask(notes, "What does the room look over?")
    sentence = "The room looks over the river."
    start = LETTER.index(sentence)
    file = str(notes / "letter.md")
    place = "line 3, section Lisbon"
    assert answer.best_sentence == Sentence(sentence, 1, start, start + len(sentence), file, place)
    assert (answer.text, answer.found) == (sentence, True)
    lead, _, location, around, *rest = str(answer).splitlines()
    assert (lead, location) == (f"Most relevant: {sentence}", f"[1] {file}, {place}")
    assert around == "    # Lisbon Dear Anna, we arrived in Lisbon on Tuesday. […]"
    assert rest == []
    assert f"«{sentence}»" in answer.plain(full=True)
    assert [passage.answer for passage in answer.passages] == [(start, start + len(sentence))]


def test_a_sentence_over_several_lines_leads_on_one() -> None:
    text = "Bees hum all day. The keeper\nof the bees is Anna. Ships\nsail.\n"
    answer = pipelines.ask(Document("a", text), "What does the keeper of the bees do?")
    assert answer.text == "The keeper of the bees is Anna."
    assert answer.best_sentence is not None
    assert answer.best_sentence.text == "The keeper\nof the bees is Anna."
    assert str(answer).splitlines()[0] == "Most relevant: The keeper of the bees is Anna."


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The lease ends in May 2031.", "When does the lease end?"),
        ("The agreement enters into force on 1 April 2024 and ends on 31 March 2027.", "When does it end?"),
        ("That'll be told to Ingrid Solberg and to Per Holm.", "Who is Ingrid?"),
        ("Anna Berg's bees are kept.", "Whose bees are kept?"),
    ],
)
def test_no_short_answer_is_guessed(text: str, question: str) -> None:
    answer = pipelines.ask(Document("a", text), question)
    assert answer.text == text
    assert str(answer).splitlines() == [f"Most relevant: {text}", "", "[1] line 1"]
    assert "Answer:" not in str(answer)


def test_a_question_that_matches_nothing_says_so(notes: Path) -> None:
    answer = pipelines.ask(notes, "zzzqqq xyzzy?")
    assert (answer.text, answer.found, answer.passages, answer.best_sentence) == ("", False, (), None)
    first, _, warning = str(answer).splitlines()
    assert first == "Nothing in the documents matches the question."
    assert warning.startswith("warning: no word of the question is in the documents: use other words")
    assert answer.to_dict()["found"] is False


def test_a_cell_without_spaces_around_it_is_found(tmp_path: Path) -> None:
    file = tmp_path / "inventory.csv"
    file.write_text("item,place\nPump,shelf 2\nFloat switch,shelf 4\n", encoding="utf-8")
    answer = pipelines.ask(file, "float switch stock")
    assert (answer.text, answer.warnings) == ("Float switch,shelf 4", ("no document contains: stock",))


def test_words_inside_addresses_names_of_fields_and_numbers_lead() -> None:
    lines = (
        ("Write to anna.berg@example.org for keys.", "anna"),
        ("The field sensor_offset_mm is 14.", "sensor offset"),
        ("The log says HTTP:404,path today.", "path"),
        ("Under clause 7.3 pets cost 9 euros.", "7.3"),
        ("Rule 12(3) is void.", "What does 12(3) say?"),
        ("Release v2.0 is of 2031-05-01.", "2031-05-01?"),
    )
    for line, question in lines:
        text = f"Ships sail under clause 3.7 or 7.4.\n\n{line}\n\nThe harbour is closed until rule 13(2).\n"
        assert pipelines.ask(Document("a", text), question).text == line, question


def test_words_that_stand_nowhere_are_named(notes: Path) -> None:
    cases = (
        ("Which pets does Zoë's tenant keep under clause 7.3?", ("no document contains: Zoë, 7.3",)),
        ("What does the letter say of the room?", ()),
        ("Who keeps the roofs in repair?", ()),
    )
    for question, warnings in cases:
        assert pipelines.ask(notes, question).warnings == warnings, question


def test_nothing_matches_is_said_only_where_no_passage_has_a_word() -> None:
    text = "Bees hum.\n\n" * 2000 + "He found two skippers.\n\n" + "Ships sail.\n\n" * 2000
    answer = pipelines.ask(Document("a", text), "skipper", retriever="tfidf", k=1)
    assert answer.found


@pytest.mark.parametrize("retriever", ["tfidf", "bm25", "best:encoder=none", "mentions"])
def test_nothing_matches_with_any_retriever_of_words(notes: Path, retriever: str) -> None:
    assert not pipelines.ask(notes, "zzzqqq xyzzy?", retriever=retriever).found
    assert pipelines.ask(notes, "Who keeps the roof?", retriever=retriever).found


@pytest.mark.parametrize("question", ["Who is it?", "What is it about?"])
def test_a_question_of_common_words_says_so(notes: Path, question: str) -> None:
    answer = pipelines.ask(notes, question)
    assert (answer.found, answer.passages) == (False, ())
    (warning,) = answer.warnings
    assert warning.startswith("the question has only words that are in every text")


def test_passages_that_have_nothing_to_do_with_the_question_are_left_out(notes: Path) -> None:
    question = "What does the room look over?"
    assert [Path(one.file or "").name for one in pipelines.ask(notes, question).passages] == ["letter.md"]
    two_passages = pipelines.ask(notes, question, k=2)
    assert [Path(one.file or "").name for one in two_passages.passages] == ["letter.md", "lease.txt"]
    assert two_passages.best_sentence == pipelines.ask(notes, question).best_sentence
    assert len(pipelines.ask(notes, question, retriever="first").passages) == 2


def test_a_passage_whose_title_a_related_one_mentions_stays() -> None:
    texts = [
        ("It was directed by Carl Mond.", "Deep Water", ""),
        ("He was born in Turin.", "Carl Mond", ""),
        ("Bees hum.", "Animals", ""),
        ("Ships sail.", "", "section Harbour"),
    ]
    assert related_numbers("Who directed it?", texts, ["english"] * 4) == [0, 1]
    assert related_numbers("Where is Turin?", texts, ["english"] * 4) == [0, 1]
    assert related_numbers("What of the harbour?", texts, ["english"] * 4) == [3]
    assert related_numbers("zzzqqq?", texts, ["english"] * 4) == [0, 1, 2, 3]


def test_the_sentence_of_a_passage_that_begins_within_a_wrapped_line_is_whole() -> None:
    line = "This was none"
    text = f"{line}\nother than Captain Miggs, whose ship will persistently\nkeep afloat."
    sources = [SourcePassage(text, 40, "", 0, 40)]
    assert best_sentence("Who was none other than the captain of the ship?", sources) == (0, (40, 40 + len(text)))


def test_a_single_passage_that_matches_is_found(tmp_path: Path) -> None:
    answer = pipelines.ask(Document("a", "Hans Vogt builds the wall."), "Who builds the wall?")
    assert (answer.text, answer.found) == ("Hans Vogt builds the wall.", True)
    assert not pipelines.ask(Document("a", "Hans Vogt builds the wall."), "zzzqqq?").found


def test_passages_without_a_word_of_the_question_give_a_warning(notes: Path) -> None:
    answer = pipelines.ask(notes, "zzzqqq xyzzy?", retriever="first")
    assert answer.found
    assert answer.warnings == ()
    blend = {"name": "blend", "retrievers": ["tfidf", "first"]}
    (warning,) = pipelines.ask(notes, "zzzqqq xyzzy?", retriever=blend).warnings
    assert warning.startswith("no word of the question is in these passages")


def test_without_a_reader_there_may_be_no_match_either(notes: Path) -> None:
    answer = pipelines.ask(notes, "zzzqqq xyzzy?", model="none")
    assert (answer.found, answer.passages, answer.asked) == (False, (), False)
    assert pipelines.ask(notes, "Who keeps the roof?", model="none").best_sentence is None


def test_the_output_of_another_extractive_reader_is_kept(notes: Path) -> None:
    sentence = "The landlord keeps the roof in repair."
    span_answer = pipelines.ask(notes, "Who keeps the roof of the lease?", model="extractive:span")
    assert span_answer.text != sentence
    assert span_answer.best_sentence is not None
    assert span_answer.best_sentence.text == sentence
    assert str(span_answer).startswith(f"Output of the reader: {span_answer.text}\nMost relevant: {sentence}")
    assert '">Output of the reader</h2>' in span_answer.to_html()


def test_a_title_leads_from_file_to_file(films: Path) -> None:
    answer = pipelines.ask(films, "Where was the director of Deep Water born?")
    assert {Path(passage.file or "").stem for passage in answer.passages[:2]} == {"Deep Water", "Carl Mond"}
    source = [SourcePassage(passage.text, 0, Path(passage.file or "").stem, 0) for passage in answer.passages]
    number, span = best_sentence("Where was the director born?", source) or (0, (0, 0))
    assert source[number].text[slice(*span)] == "He was born in Turin."


@pytest.mark.parametrize(
    ("opening", "name", "title"),
    [
        ("Carl Mond\n\n", "0001.txt", "Carl Mond"),
        ("# Carl Mond\n\n", "0001.md", "Carl Mond"),
        ("Carl Mond\n", "0001.txt", "Carl Mond"),
        ("a line that\n", "Carl Mond.txt", "Carl Mond"),
        ("", "Carl_Mond.txt", "Carl Mond"),
        ("Dear all,\n\n", "Carl Mond.txt", "Carl Mond"),
        ("One line of a text and no title, for it has\n\n", "Carl Mond.txt", "Carl Mond"),
    ],
)
def test_a_document_has_its_title_from_its_first_line_or_its_name(
    tmp_path: Path, opening: str, name: str, title: str
) -> None:
    text = f"{opening}{'he' if opening.startswith('a') else 'He'} was born in Turin, and lived there.\n"
    (tmp_path / name).write_text(text, encoding="utf-8")
    index = pipelines.index(tmp_path)
    assert index._collection.titles == (title,)


@pytest.mark.parametrize(
    ("text", "question", "sentence"),
    [
        ("今天天气很好。船长名叫拉克鲁瓦。大家都很高兴。", "船长叫什么名字？", "船长名叫拉克鲁瓦。"),
        ("อากาศดี กัปตันชื่อสมชาย ทุกคนมีความสุข", "กัปตันชื่ออะไร", "กัปตันชื่อสมชาย"),
        ("الطقس جميل. اسم القبطان سمير. الجميع سعداء.", "ما اسم القبطان؟", "اسم القبطان سمير."),
        ("Das Wetter ist gut. Der Kapitän heißt Emil Holm. Alle sind froh.", "Wie heißt der Kapitän?",
         "Der Kapitän heißt Emil Holm."),
    ],
)  # fmt: skip
def test_sentences_of_other_scripts_lead_too(text: str, question: str, sentence: str) -> None:
    answer = pipelines.ask(Document("a", text), question)
    assert answer.text == sentence
    assert answer.best_sentence is not None
    assert text[answer.best_sentence.start : answer.best_sentence.end] == sentence
    assert f"«{sentence}»" in answer.plain(full=True)


def test_a_title_line_is_no_sentence_where_there_are_others() -> None:
    text = "Carl Mond\n\nHe was born in Turin."
    assert best_sentence("Who is Carl Mond?", [SourcePassage(text, 0, "Carl Mond", 0)]) == (0, (11, len(text)))
    assert best_sentence("Who is Carl Mond?", [SourcePassage("Carl Mond", 0, "Carl Mond", 0)]) == (0, (0, 9))
    assert best_sentence("Who?", []) is None
    assert best_sentence("Who?", [SourcePassage(" \n", 0, "", 0)]) is None


def test_the_sentence_with_the_kind_of_answer_that_is_asked_for_leads() -> None:
    text = "The expedition left Oslo in June. Its captain was Ingrid Solberg, who had been in the north before."
    best = best_sentence("Who was the captain of the expedition?", [SourcePassage(text, 0, "", 0)])
    assert best == (0, (text.index("Its"), len(text)))


def test_of_equal_sentences_the_one_with_the_better_rank_or_place_leads() -> None:
    text = "Bees make honey. Bees make honey."
    assert best_sentence("What do bees make?", [SourcePassage(text, 0, "", 1), SourcePassage(text, 0, "", 0)]) == (
        1,
        (0, 16),
    )
    assert best_sentence("What do bees make?", [SourcePassage(text, 9, "", 0)]) == (0, (9, 25))


@pytest.mark.parametrize(
    ("question", "texts", "shared"),
    [
        ("Who keeps bees?", ["The bee flies."], True),
        ("Who keeps bees?", ["The ship sails."], False),
        ("Who is it?", ["The ship sails."], True),
        ("船长是谁？", ["今天天气很好。", "船长来了。"], True),
    ],
)
def test_only_content_words_count_as_shared(question: str, texts: list[str], shared: bool) -> None:
    assert shares_words(question, [(text, "english") for text in texts]) is shared


def test_the_terminal_has_the_same_lead(notes: Path) -> None:
    console = Console(width=200, file=io.StringIO())
    console.print(pipelines.ask(notes, "When does the lease end?").rich())
    printed = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert printed[0] == "Most relevant: The lease ends in May 2031."
    assert printed[2].endswith("lease.txt, line 2")


def test_the_page_names_the_best_sentence(notes: Path) -> None:
    page = pipelines.ask(notes, "What does the room look over?").to_html()
    assert '<p class="where" dir="auto"><a href="#passage-1" class="cite">[1] ' in page
    span_answer = pipelines.ask(notes, "When does the lease end?", model="extractive:span").to_html()
    assert 'Most relevant: The lease ends in May 2031. — <a href="#passage-1"' in span_answer
    assert "Nothing in the documents matches the question." in pipelines.ask(notes, "zzzqqq?").to_html()


def test_a_model_needs_no_best_sentence(notes: Path) -> None:
    answer: Any = pipelines.ask(notes, "When does the lease end?", model="lead")
    assert answer.best_sentence is None
    assert answer.text.startswith("The tenant pays")


MANUAL = """Kettle

Warranty
We repair the kettle for two years. Damage by limescale is not covered.

Care
Descale the kettle every three months. The lid stays open.
"""


def test_a_heading_leads_to_the_sentences_below_it() -> None:
    answer = pipelines.ask(Document("a", MANUAL), "How long is the warranty?")
    assert answer.text == "We repair the kettle for two years."


def test_a_heading_before_the_passage_counts() -> None:
    thanks, water = "We thank you. " * 5, "Water boils. " * 5
    text = f"## Warranty\n\n{thanks}Two years. {water}\n\n## Care\n\nRinse it. It lasts ten years."
    answer = pipelines.ask(
        Document("a", text), "How long is the warranty?", chunker="sentences:size=12", retriever="all"
    )
    assert answer.text == "Two years."


def test_a_line_of_the_questions_words_alone_does_not_lead() -> None:
    source = SourcePassage("- the warranty\n- the lid of the kettle", 0, "", 0)
    assert best_sentence("What of the warranty?", [source]) == (0, (15, 38))
    alone = SourcePassage("- the warranty", 0, "", 0)
    assert best_sentence("What of the warranty?", [alone]) == (0, (0, 14))


def test_a_row_of_a_table_leads() -> None:
    table = "Fees are due at once.\n\n| Service | Price |\n| --- | --- |\n| Hosting | 400 |\n| Support | 250 |\n"
    assert pipelines.ask(Document("a", table), "What is the price of support?").text == "| Support | 250 |"


def test_the_sentence_that_leads_is_of_a_passage_that_is_shown(films: Path) -> None:
    question = "Where was the director of Deep Water born?"
    amounts: list[dict[str, Any]] = [
        {"k": 1},
        {"k": 3},
        {"budget": "30 tokens"},
        {"budget": "20 words"},
        {"order": "document"},
        {},
    ]
    for amount in amounts:
        answer = pipelines.ask(films, question, **amount)
        best = answer.best_sentence
        assert best is not None, amount
        passage = answer.passages[best.passage - 1]
        assert (passage.file, passage.text[best.start - passage.start : best.end - passage.start]) == (
            best.file,
            best.text,
        ), amount
        assert str(answer).startswith(f"Most relevant: {answer.text}\n\n[{best.passage}] "), amount
    assert pipelines.ask(films, question, k=1).text == "Deep Water is a film of 1964."
    assert pipelines.ask(films, question).text == "He was born in Turin."


def test_the_reply_to_a_question_in_the_document_leads_and_not_that_question() -> None:
    faq = "How do I get my money back?\n\nWrite to us. It takes a week.\n\nWho are you?\n\nBees."
    talk = "HOST: Is it far? Which ship was the hardest to steer?\n\nVALDAL: The Aurelia. She is big.\n\nHOST: Why?"
    cases = (
        (faq, "How can I get my money back?", "Write to us."),
        ("Tell us: what was wrong with the lid?\n\nThe lid has a scratch.", "What was wrong with the lid?",
         "The lid has a scratch."),
        (talk, "Which ship was hard to steer?", "VALDAL: The Aurelia."),
        ("Anna asked who keeps the bees. Nobody knew. It was Emil.", "Who keeps the bees?", "It was Emil."),
        ("Who keeps bees?", "Who keeps the bees?", "Who keeps bees?"),
        ("Which year was the worst?\n2017. It froze in that year, the worst of all.\n", "What was the worst year?",
         "2017."),
    )  # fmt: skip
    for text, question, lead in cases:
        assert pipelines.ask(Document("a", text), question).text == lead, question


def test_the_sentence_with_the_amount_that_is_asked_for_leads() -> None:
    cases = (
        ("The night job makes a backup at 4. The backup was done in 553 s.", "How long did the backup take?",
         "The backup was done in 553 s."),
        ("A clogged filter is loud. Rinse the filter once a week.", "How often should the filter be rinsed?",
         "Rinse the filter once a week."),
        ("Sec. 7 no. 3 has a fine. The fine for it is up to 900 euros.", "What is the maximum fine?",
         "The fine for it is up to 900 euros."),
        ("(1) The fee is due at once.\n(2) The fee of a plot is 70 pounds.", "How much is the fee?",
         "(2) The fee of a plot is 70 pounds."),
    )  # fmt: skip
    for text, question, lead in cases:
        assert pipelines.ask(Document("a", text), question).text == lead, question


def test_an_item_of_the_agenda_does_not_lead() -> None:
    text = (
        "Agenda\n1. Report\n2. Election of a new treasurer\n\n## 1. Report\n\nAll is well.\n\n"
        "## 2. Election\n\nJoan Whitlock was elected.\n"
    )
    answer = pipelines.ask(Document("a", text), "Who was elected as the new treasurer?")
    assert answer.text == "Joan Whitlock was elected."


def test_between_two_names_a_sentence_about_one_leads() -> None:
    sources = [
        SourcePassage("The band Red Kites met the band Old Oaks and its original members on albums.", 0, "Festival", 0),
        SourcePassage("Old Oaks is a band with four members.", 0, "Old Oaks", 1),
    ]
    best = best_sentence("Which band has more original members on albums, Red Kites or Old Oaks?", sources)
    assert best == (1, (0, 37))


def test_the_name_of_who_speaks_is_no_answer() -> None:
    text = "HOLM: Bees of our town win prizes. The bees of our town won a prize for Ida Berg once."
    assert best_sentence("Who won a prize for the bees of our town?", [SourcePassage(text, 9, "", 0)]) == (0, (44, 95))


BOOK = """The Project Gutenberg eBook of The Harbour

You may copy it under the terms of the Project Gutenberg License. Nobody owns the copyright.

*** START OF THE PROJECT GUTENBERG EBOOK THE HARBOUR ***

Emil found the boat near Bergen. Nobody owned the lighthouse.

*** END OF THE PROJECT GUTENBERG EBOOK THE HARBOUR ***

Whoever owns a copy of the licence may copy the boat near Bergen.
"""


def test_the_licence_of_project_gutenberg_is_no_passage() -> None:
    book = Document("a", BOOK)
    for documents in (book, [book, Document("b", "Ships sail. Anna owns a ship.")]):
        answer = pipelines.ask(documents, "Who owns the boat near Bergen?", k=5)
        assert answer.text == "Emil found the boat near Bergen."
        text = "".join(passage.text for passage in answer.passages)
        around = "".join(passage.around.before + passage.around.after for passage in answer.passages if passage.around)
        assert "Nobody owned the lighthouse." in text
        assert "licence" not in text + around
        assert "copyright" not in text + around
        first = next(passage for passage in answer.passages if "Emil" in passage.text)
        assert BOOK[first.start : first.end] == first.text
    assert not pipelines.ask(book, "What of the copyright?").found
