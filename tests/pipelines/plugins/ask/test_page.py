"""The page of an answer: in a browser, and as text."""

import re
from dataclasses import replace

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.ask import page
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.answer_content import Citation, Passage, Sentence, Surroundings

TEXT = "Anna keeps the bees. Bert mends the clocks."
BEFORE, AFTER = "Rain fell on the harbour. ", " Carla paints ships."
PASSAGE = Passage(
    TEXT, 100, 143, 3, 0.5, "notes/town.txt", "page 12", (100, 104), "# Trades", around=Surroundings(BEFORE, AFTER, 400)
)
OTHER = Passage("Dora flies <b>kites</b>.", 0, 24, 1, 0.25, "sky.md", "section Wind", around=Surroundings("", "", 24))
ANSWER = Answer(
    "Anna [1], they say [1, 2]; in room [7].",
    [PASSAGE, OTHER],
    question="Who keeps the bees?",
    warnings=("one file is odd",),
    citations=(Citation(1, "notes/town.txt", "page 12"), Citation(2, "sky.md", "section Wind")),
)


@pytest.fixture
def open_page(browse, tmp_path):
    """The page of an answer in a browser."""

    def open_answer(answer=ANSWER, **more):
        return browse(page.write(answer, tmp_path / "page.html"), **more)

    return open_answer


def test_the_page_shows_question_answer_and_passages_without_network_or_complaints(open_page):
    page_view = open_page()
    assert (page_view.requests, page_view.complaints) == ([], [])
    assert page_view.page.inner_text("h1") == "Who keeps the bees?"
    assert page_view.page.inner_text("#answer .output") == ANSWER.text
    assert page_view.page.inner_text("#answer .remark li") == "one file is odd"
    heads = page_view.page.locator(".passage h3").all_inner_texts()
    assert heads == ["[1] notes/town.txt, page 12 cited holds the answer", "[2] sky.md, section Wind cited"]
    assert page_view.page.inner_text("#passage-1 .where") == (
        "score 0.500 · characters 100 to 143 · 25 % into the document · under “Trades”"
    )
    assert page_view.page.inner_text("#passage-2 .text") == "Dora flies <b>kites</b>."


def test_a_passage_stands_in_its_surroundings_with_the_answer_marked(open_page):
    text = open_page().page.locator("#passage-1 .text")
    assert text.locator(".context").all_text_contents() == ["… fell on the harbour. ", " Carla paints …"], (
        "in whole words"
    )
    assert text.locator("mark.answer").text_content() == "answerAnna"


def test_the_most_relevant_sentence_is_marked_around_the_answer(open_page):
    best = Sentence("Anna keeps the bees.", 1, 100, 120, "notes/town.txt", "page 12")
    passage = open_page(replace(ANSWER, best_sentence=best)).page.locator("#passage-1")
    assert passage.locator("mark.evidence").all_text_contents() == ["most relevantanswerAnna", " keeps the bees."]
    assert passage.locator("mark.evidence mark.answer").all_text_contents() == ["answerAnna"]


def test_an_answer_that_is_the_most_relevant_sentence_is_labelled_so(open_page):
    best = Sentence("Anna keeps the bees.", 1, 100, 120)
    passage = replace(PASSAGE, answer=(100, 120))
    tab = open_page(replace(ANSWER, text=best.text, citations=(), passages=[passage], best_sentence=best)).page
    assert tab.inner_text("#answer h2") == "Most relevant"
    assert tab.inner_text(".passage h3").endswith("most relevant")
    assert tab.locator(".passage mark.answer").count() == 0
    assert tab.locator(".passage mark.evidence").count() == 1


def test_citations_are_links_to_the_passages(open_page):
    tab = open_page().page
    links = tab.locator("#answer a.cite")
    assert links.all_inner_texts() == ["1", "1", "2"], "[7] is no passage"
    links.nth(2).click()
    assert tab.url.endswith("#passage-2")
    assert tab.evaluate("document.querySelector(':target').id") == "passage-2"


def test_the_map_has_a_strip_for_each_document_and_leads_to_passages(open_page):
    tab = open_page().page
    assert tab.locator(".map-name").all_inner_texts() == ["notes/town.txt", "sky.md"]
    strip = tab.locator(".strip").nth(0)
    box, mark = strip.bounding_box(), strip.locator("rect.seen").bounding_box()
    assert abs((mark["x"] - box["x"]) / box["width"] - 100 / 400) < 0.01
    assert abs(mark["width"] / box["width"] - 43 / 400) < 0.01
    assert strip.locator("rect.found").count() == 1
    strip.locator("a").click()
    assert tab.url.endswith("#passage-1")


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(open_page, width, scheme):
    long = replace(PASSAGE, file="a/" + "very-long-name-" * 20 + ".txt", text="x" * 3000, answer=None)
    tab = open_page(replace(ANSWER, passages=[long, OTHER]), width=width, scheme=scheme).page
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_has_no_accessibility_violations(open_page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-playwright-python")
    for scheme in ("light", "dark"):
        violations = axe.Axe().run(open_page(scheme=scheme).page).response["violations"]
        assert [one["id"] for one in violations] == []


def test_the_page_is_complete_on_paper_and_without_scripts(browse, tmp_path, chromium):
    file = page.write(ANSWER, tmp_path / "page.html")
    context = chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(file.as_uri())
    plain.emulate_media(media="print")
    assert "Bert mends the clocks." in plain.inner_text("#passage-1")
    assert "fell on the harbour." in plain.inner_text("#passage-1")
    assert not plain.is_visible("#theme")
    context.close()


def test_unmarked_parts_of_a_long_passage_are_folded(open_page):
    text = "a " * 5000 + "Anna" + " b" * 5000
    long = replace(PASSAGE, text=text, start=0, end=len(text), answer=(10_000, 10_004), around=None)
    tab = open_page(replace(ANSWER, passages=[long])).page
    folds = tab.locator("#passage-1 summary")
    assert folds.all_inner_texts() == ["Show 9,200 more characters"] * 2
    assert tab.locator("#passage-1 details > div").first.is_hidden()
    folds.first.click()
    assert tab.locator("#passage-1 details > div").first.is_visible()
    assert tab.locator("#places").count() == 0, "nothing is known of the document's length"


def test_an_answer_without_words_says_why():
    assert "(no model was asked)" in Answer("", [OTHER], asked=False).to_html()
    assert "(no answer)" in Answer("", [OTHER]).to_html()


def test_texts_of_documents_and_models_are_never_markup():
    evil = "</script><script>alert(1)</script>\ud800"
    answer = Answer(evil, [replace(OTHER, text=evil, file=evil)], question=evil, warnings=[evil])
    assert answer.to_html().count("<script>") == 1
    assert "<script>" not in answer._repr_html_()
    answer.to_html().encode("utf-8")
    answer._repr_html_().encode("utf-8")


def test_a_passage_of_a_file_has_three_hundred_characters_around_it(tmp_path):
    file = tmp_path / "town.txt"
    file.write_text("Rain fell. " * 60 + "\n\nAnna keeps the bees.\n\n" + "Snow fell. " * 60, encoding="utf-8")
    answer = pipelines.ask(file, "Who keeps the bees?", chunker="paragraphs:size=20", k=1)
    (passage,) = answer.passages
    text = file.read_text(encoding="utf-8")
    assert passage.around == Surroundings(
        text[passage.start - 300 : passage.start], text[passage.end : passage.end + 300], len(text)
    )
    assert "around" not in answer.to_dict()["passages"][0]


def test_a_page_needs_a_folder(tmp_path):
    with pytest.raises(UserError, match="is not a folder: make it, or write the page elsewhere"):
        page.write(ANSWER, tmp_path / "none" / "page.html")


def test_a_notebook_shows_the_answer_and_its_passages():
    html = ANSWER._repr_html_()
    assert '<p dir="auto"><b>Anna [1], they say [1, 2]; in room [7].</b></p>' in html
    assert "[1] notes/town.txt, page 12, under “Trades”</small>" in html
    assert "<mark>Anna</mark> keeps the bees." in html
    assert "Dora flies &lt;b&gt;kites&lt;/b&gt;." in html
    assert re.search(r"<small>warning: one file is odd</small>", html)
    assert html.startswith('<div class="tex2jax_ignore mathjax_ignore">')
