"""The report in a browser: what a person does with it."""

import re
from dataclasses import replace

import pytest

from pipelines.records import Document, Example
from pipelines.results.reports import content, html
from pipelines.results.reports.content import RunContent
from pipelines.sources import Dataset
from tests.pipelines.results.reports import small_ablation, small_runs

TITLES = "#list .title"


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def test_the_page_lists_all_examples_and_asks_the_network_for_nothing(browse, report):
    opened = browse(report)
    assert texts(opened.page, "#count") == ["12 of 12 examples"]
    assert texts(opened.page, TITLES)[0] == "What stands in room 0 of North House?"
    assert opened.requests == []
    assert opened.complaints == []


def test_search_goes_through_questions_answers_references_and_ids(browse, report):
    page = browse(report).page
    for words, count in (("south 63", 1), ("q-2-3", 1), ("nothing of the kind", 0), ("", 12)):
        page.fill("#c-q", words)
        assert page.inner_text("#count") == f"{count} of 12 examples"


def test_the_list_sorts_by_score_and_by_length(browse, report):
    page = browse(report).page
    page.select_option("#c-score", "f1")
    page.select_option("#c-sort", "low")
    low = [float(text.split()[0]) for text in texts(page, "#list .badge")]
    page.select_option("#c-sort", "high")
    high = [float(text.split()[0]) for text in texts(page, "#list .badge")]
    assert low == sorted(low)
    assert high == sorted(high, reverse=True) == low[::-1]
    assert low != high


def test_filters_by_score_document_and_difference_between_runs(browse, report):
    page = browse(report).page
    page.select_option("#c-document", label="South House")
    assert page.inner_text("#count") == "4 of 12 examples"
    page.select_option("#c-document", "")
    page.select_option("#c-show", "right")
    right = page.inner_text("#count")
    page.select_option("#c-show", "all")
    page.fill("#c-low", "100")
    assert page.inner_text("#count") == right
    page.fill("#c-low", "")
    page.select_option("#c-show", "changed")
    changed = int(page.inner_text("#count").split()[0])
    assert 0 < changed < 12
    first = texts(page, "#list .output")
    page.select_option("#c-run", label="first")
    assert all(one != other for one, other in zip(first, texts(page, "#list .output"), strict=True))


def test_an_example_shows_every_passage_with_marks_that_have_names(browse, report):
    page = browse(report, "#example=q-1-1").page
    assert page.inner_text("#detail h3") == "What stands in room 61 of South House?"
    passage = page.locator(".passage").filter(has_text="holds the answer").first
    evidence = passage.locator("mark.evidence").first
    assert evidence.inner_text().lower().startswith("evidence")
    assert "In room 61 of South House stands the" in evidence.inner_text()
    answer = passage.locator("mark.evidence mark.answer").first
    assert re.sub(r"^answer", "", answer.inner_text(), flags=re.IGNORECASE).strip() == "blue chest number 61"
    page.select_option("#shown-to", label="first")
    assert "not seen" in page.inner_text(".passage.missed h4")
    assert page.locator(".passage.missed mark.evidence").count() == 3, "before, within and behind the answer"
    assert page.locator(".passage:not(.missed) mark.evidence").count() == 0


def test_text_beyond_the_basic_plane_and_from_right_to_left_is_cut_at_the_right_places(browse, rows, tmp_path):
    text = small_runs.house(0)
    lamp = text.index("\U0001f3ee")
    row = {"id": "lamp", "document": text, "question": "What does مريم carry?", "answers": ["lamp"],
           "evidence": [[lamp, lamp + 2]]}  # fmt: skip
    file = small_runs.write_rows(tmp_path / "lamp.jsonl", [row])
    page = browse(html.html(small_runs.run(file, tmp_path / "run", k=1), tmp_path / "lamp.html"), "#example=lamp").page
    marks = [text.removeprefix("evidence").removeprefix("EVIDENCE") for text in texts(page, "section mark.evidence")]
    assert "\U0001f3ee\U0001f56f" in [text.strip() for text in marks]
    assert page.get_attribute("#detail h3", "dir") == "auto"
    match = re.search(r"characters ([\d,]+) to ([\d,]+), ", page.inner_text(".passage .where"))
    start, end = (int(place.replace(",", "")) for place in match.groups())
    own = page.locator(".passage .text").first.evaluate(
        "p => [...p.childNodes].filter(n => n.className !== 'context').map(n => { const c = n.cloneNode(true); "
        "if (c.querySelectorAll) c.querySelectorAll('.tag').forEach(t => t.remove()); return c.textContent }).join('')"
    )
    assert own == text[start:end]


def test_a_link_to_an_example_restores_the_list_and_the_choice(browse, report):
    page = browse(report).page
    page.fill("#c-q", "south")
    page.select_option("#c-sort", "short")
    page.locator("#list a").nth(2).click()
    page.wait_for_selector("#detail h3")
    question, address = page.inner_text("#detail h3"), page.url[page.url.index("#") :]
    again = browse(report, address).page
    assert again.inner_text("#detail h3") == question
    assert again.input_value("#c-q") == "south"
    assert again.input_value("#c-sort") == "short"
    assert texts(again, TITLES) == texts(page, TITLES)
    assert again.inner_text("#list [aria-current] .title") == question
    page.go_back()
    page.wait_for_selector("#detail", state="hidden")


def test_text_that_was_cut_is_struck_out_and_counted(browse, tmp_path):
    whole, examples = small_runs.many(2)
    run_content = whole.runs[0]
    first = replace(
        run_content.run.predictions[0],
        selected=((0, 600, 2.0), (700, 900, 3.0)),
        shown_spans=((0, 400),),
        truncated_tokens=77,
    )
    run = replace(run_content.run, loaded=(first, *run_content.run.predictions[1:]))
    whole = replace(whole, runs=(replace(run_content, run=run),))
    file = html.write(whole, tmp_path / "cut.html", dataset=Dataset(lambda: iter(examples), {}))
    page = browse(file, "#example=e-0").page
    chips = page.locator(".passage h4 .chip.gone").all_inner_texts()
    assert chips == ["cut in part", "cut"]
    assert ["rank 2" in text for text in texts(page, ".passage .where")] == [True, False]
    struck = page.locator(".passage").first.locator(".unseen").all_text_contents()
    assert "".join(struck).replace("answer", "") == examples[0].document.text[400:600]
    assert "77 tokens cut" in page.inner_text(".answers")
    page.select_option("#c-show", "cut")
    assert page.inner_text("#count") == "1 of 2 examples"
    page.get_by_role("button", name="Passage 2, cut").click()
    assert page.evaluate("document.activeElement.id") == "passage-1"


def test_runs_with_equal_outputs_share_a_card(browse, rows, tmp_path):
    folders = [small_runs.run(rows, tmp_path / name, retriever=name, k=2) for name in ("bm25", "tfidf", "first")]
    page = browse(html.html(folders, tmp_path / "three.html"), "#example=q-1-1").page
    cards = [re.findall("bm25|tfidf|first", text) for text in texts(page, ".answers > li:not(.gold)")]
    assert cards == [["bm25", "tfidf"], ["first"]]


def test_scores_that_runs_of_a_card_share_appear_once(browse, rows, tmp_path):
    folders = [small_runs.run(rows, tmp_path / name, retriever=name, k=2) for name in ("bm25", "tfidf")]
    page = browse(html.html(folders, tmp_path / "two.html"), "#example=q-1-1").page
    assert page.locator(".answers > li:not(.gold) > .chips .chip").count() == 3
    assert page.locator(".of-run").count() == 2
    assert page.locator(".of-run .chip").count() == 0


def test_several_references_are_a_list(browse, report):
    page = browse(report, "#example=q-1-1").page
    assert texts(page, ".gold ol > li") == ["blue chest number 61", "a chest"]
    assert page.inner_text(".gold h4") == "References (2)"


def test_passages_without_prompts_do_not_count_as_cut(browse, tmp_path):
    whole, examples = small_runs.many(1)
    run_content = whole.runs[0]
    run = replace(run_content.run, loaded=(replace(run_content.run.predictions[0], shown_spans=()),))
    whole = replace(whole, runs=(replace(run_content, run=run),))
    file = html.write(whole, tmp_path / "pairs.html", dataset=Dataset(lambda: iter(examples), {}))
    page = browse(file, "#example=e-0").page
    assert texts(page, ".passage h4 .chip.status") == ["seen", "seen"]
    assert page.locator(".unseen").count() == 0


@pytest.fixture
def book(browse, tmp_path):
    """A long document, all of it one passage, the answer far behind its beginning."""
    text = "word \U0001f3ee " * 9000 + "the answer is Ishmael. " + "word " * 9000
    at = text.index("Ishmael")
    whole, _ = small_runs.many(1)
    run_content = whole.runs[0]
    end = len(text)
    prediction = replace(
        run_content.run.predictions[0], selected=((0, end, 0.0),), shown_spans=((0, end - 5000),), truncated_tokens=1000
    )
    whole = replace(whole, runs=(replace(run_content, run=replace(run_content.run, loaded=(prediction,))),))
    example = Example("e-0", Document("document-0", text), "Who?", ("Ishmael",), (), ((at - 14, at + 8),))
    return browse(
        html.write(whole, tmp_path / "book.html", dataset=Dataset(lambda: iter([example]), {})), "#example=e-0"
    )


def test_a_long_passage_is_folded_around_its_marks(book):
    page = book.page
    assert len(page.inner_text(".passage .text")) < 4000
    folds = texts(page, ".fold")
    assert folds == ["Show 62,200 more characters", "Show 39,201 more characters", "Show 4,200 more characters"]
    page.locator(".fold").first.click()
    assert len(texts(page, ".fold")) == 2
    assert page.locator(".passage .text").evaluate("p => [...p.textContent].length") > 60_000
    assert page.evaluate("document.activeElement.tabIndex") == -1, "the focus stays where the button was"
    assert book.complaints == []


TOP = "document.querySelector('.passage mark.answer').getBoundingClientRect().top"  # the legend has one too


def test_clicking_the_map_scrolls_to_the_text(book):
    page = book.page
    page.get_by_role("button", name="answer 1,").click()
    tops = [None]
    while len(tops) < 100 and tops[-1] != page.evaluate(TOP):  # until the page has come to rest
        tops.append(page.evaluate(TOP))
        page.wait_for_timeout(100)
    assert 0 < tops[-1] < page.viewport_size["height"]
    assert page.evaluate("document.activeElement.id") == "passage-0"


def test_the_map_shows_how_much_of_a_passage_was_cut(book):
    filled = book.page.locator(".stretch.gone .fill").evaluate_all("some => some.map((one) => one.style.width)")
    assert filled == ["95.37%"]
    assert "rank" not in book.page.inner_text(".passage .where"), "where all is taken nobody ranks"


def test_the_legend_explains_only_what_is_present(browse, book, report):
    assert texts(book.page, "#detail section > .legend li") == [
        "EVIDENCEtext gold evidence",
        "ANSWERtext a reference’s words",
        "text selected, then cut",
    ]
    page = browse(report, "#example=q-1-1").page
    assert not any("cut" in text for text in texts(page, "#detail section > .legend li"))


def test_an_unknown_id_gives_a_message(browse, report):
    page = browse(report, "#example=nobody").page
    assert "There is no example nobody" in page.inner_text("#detail")


def test_the_keyboard_alone_reaches_an_example_a_passage_and_the_list_again(browse, report):
    page = browse(report, width=390, height=844).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    walk(page, "c-q")
    page.keyboard.type("room 61 of east")
    walk(page, "list", "document.activeElement.closest('ol')?.id")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail h3")
    assert page.evaluate("document.activeElement.className") == "question"
    walk(page, "stretch", "document.activeElement.className.split(' ')[0]")
    page.keyboard.press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").split(",")[0] == name.split(",")[0]
    page.go_back()
    page.wait_for_selector("#detail", state="hidden")
    assert page.evaluate("document.activeElement.closest('ol')?.id") == "list"


def walk(page, target, expression="document.activeElement.id"):
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(expression) == target:
            return
    raise AssertionError(f"the Tab key never comes to {target}")


def test_the_theme_follows_the_system_until_it_is_chosen(browse, report):
    page = browse(report, scheme="dark").page
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.click("#theme")
    light = page.evaluate(colour)
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: dark"
    assert page.evaluate(colour) == dark != light


def test_tables_sort_by_their_headings_and_say_so(browse, report):
    page = browse(report).page
    head = page.locator("table.sortable th").filter(has_text="f1").first
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    first = texts(page, "table.sortable tbody th")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert texts(page, "table.sortable tbody th") == first[::-1]


def test_the_plot_has_a_text_description(browse, report):
    page = browse(report).page
    label = page.get_attribute("#plot svg[role=img]", "aria-label")
    assert label.startswith("f1 against prompt tokens per example. bm25:")
    page.select_option("#plot-y", "exact_match")
    assert page.get_attribute("#plot svg[role=img]", "aria-label").startswith("exact_match against")


@pytest.mark.parametrize("address", ["", "#example=q-1-1"])
def test_on_a_phone_the_page_scrolls_only_vertically(browse, report, address):
    page = browse(report, address, width=390, height=844).page
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)])
def test_axe_finds_no_serious_accessibility_problem(browse, report, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")
    page = browse(report, "#example=q-1-1", scheme=scheme, width=width).page
    violations = axe.Axe().run(page).response["violations"]
    assert [
        (violation["id"], violation["nodes"][0]["html"])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ] == []


def test_on_a_phone_the_first_column_of_an_ablation_holds_all_settings(browse, tmp_path):
    file = html.write(content.gather(small_ablation.ablation()), tmp_path / "page.html")
    heads = "table.sortable thead th"
    assert browse(file).page.locator(heads).filter(has_text="k").first.is_visible()
    page = browse(file, width=390, height=844).page
    assert page.inner_text("table.sortable tbody th >> nth=0").split("\n") == ["tf_idf", "k=1", "baseline"]
    assert not page.locator(heads).filter(has_text="k").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_settings_that_grow_by_factors_are_spaced_evenly_and_of_many_lines_the_best_are_coloured(browse, tmp_path):
    cells = [small_ablation.cell(f"r{n}", k, 5.0 + n) for n in range(10) for k in (1, 10, 100)]
    page = browse(html.write(content.gather(small_ablation.ablation(cells=cells)), tmp_path / "page.html")).page
    places = page.locator("#plot svg[role=img] text[text-anchor=middle]:not(.axis)")
    x = places.evaluate_all("all => all.map((one) => Number(one.getAttribute('x')))")
    assert len(x) == 3
    assert abs((x[1] - x[0]) - (x[2] - x[1])) < 1
    legend = [text.strip() for text in texts(page, "#plot .legend li")]
    assert legend == [f"r{n}" for n in range(9, 2, -1)] + ["3 others"]


def test_without_the_documents_everything_else_is_shown_with_the_command_for_them(browse, rows, runs, tmp_path):
    moved = small_runs.write_rows(tmp_path / "rows.jsonl")
    folder = small_runs.run(moved, tmp_path / "run")
    moved.unlink()
    file = html.html(folder, tmp_path / "page.html")
    page = browse(file, "#example=q-1-1").page
    assert "--data PATH" in page.inner_text("#no-text")
    assert page.inner_text(".answers .gold") != ""
    assert page.locator(".stretch").count() == 2, "two passages; evidence and answers are not known without the data"
    assert page.locator(".text").count() == 0
    assert html.html(folder, file, data=rows) == file
    assert browse(file, "#example=q-1-1").page.locator(".passage .text").count() > 1


def test_an_ablation_whose_runs_are_gone_has_its_table_and_its_plot(browse, tmp_path):
    opened = browse(html.write(content.gather(small_ablation.ablation()), tmp_path / "page.html"))
    page = opened.page
    assert page.inner_text("#count") == "0 of 0 examples"
    assert [text.strip() for text in texts(page, "#plot .legend li")] == ["tf_idf", "bm25|$x"]
    assert "no folder of a finished run" in page.inner_text("#no-text")
    page.locator("table.sortable th").filter(has_text="f1").first.get_by_role("button").click()
    rows = [row.locator("th").all_inner_texts() for row in page.locator("table.sortable tbody tr").all()]
    assert rows[0] == ["tf_idf", "5"]
    assert rows[-1] == ["bm25|$x", "5"], "a cell without scores comes last"
    page.select_option("#plot-x", "cost")
    assert "9.25 at 0.005" in page.get_attribute("#plot svg[role=img]", "aria-label")
    assert opened.complaints == []


NASTY = (
    "<script>window.struck = 1</script>",
    "</script><script>window.struck = 2</script>",
    "<img src=x onerror=window.struck=3>",
    "<svg/onload=window.struck=4>",
    "<!--<script>", "-->", "]]>", "</title></style></textarea><b>bold</b>",
    "javascript:window.struck=5", "'\"><i onmouseover=window.struck=6>",
    "${window.struck = 7}", "{{7*7}}", "&lt;b&gt;", "‮ drawkcab ‪", "\ufeff​\u2028\u2029", "\udc80 alone \ud83d",
    "＜script＞window.struck=8＜/script＞", "<math><mtext><style><img src=x onerror=window.struck=9></style></math>",
    "data:text/html,<script>window.struck=10</script>", "<a href=javascript:window.struck=11>x</a>", "\x00\x01\x7f",
)  # fmt: skip


@pytest.fixture
def nasty():
    """A content with nasty texts wherever a text may stand, and its examples."""
    whole, _ = small_runs.many(len(NASTY))
    run_content = whole.runs[0]
    examples = [nasty_example(n, text) for n, text in enumerate(NASTY)]
    pairs = zip(run_content.run.predictions, examples, NASTY, strict=True)
    predictions = tuple(nasty_prediction(*triple) for triple in pairs)
    failures = {f"failed {text}": f"error {text}" for text in NASTY}
    scores = replace(run_content.scores, not_computed={text: text for text in NASTY})
    run_content = replace(run_content, name=NASTY[0], recipe=NASTY[0], warnings=NASTY,
                  run=replace(run_content.run, loaded=predictions, failures=failures, scores=scores))  # fmt: skip
    lost = RunContent("lost", {NASTY[2]: NASTY[3]}, "nowhere", None, error=NASTY[1])
    return replace(whole, task=NASTY[1], runs=(run_content, lost), axes={NASTY[2]: NASTY}, warnings=NASTY), examples


def nasty_example(n, text):
    document = Document(f"{n}{text}", f"Before {text} after. " * 20, f"title {text}")
    return Example(f"id-{n} {text}", document, f"question {text}", (f"after {text}",), (text, "other"), ((7, 9),))


def nasty_prediction(prediction, example, text):
    end = len(example.document.text)
    return replace(prediction, id=example.id, document=example.document.id, query=example.query,
                   references=example.references, prediction=f"said {text}", selected=((0, end, 1.0),),
                   shown_spans=((0, end),), notes={text: f"note {text}"})  # fmt: skip


def test_texts_never_become_markup(browse, nasty, tmp_path):
    whole, examples = nasty
    opened = browse(html.write(whole, tmp_path / "nasty.html", dataset=Dataset(lambda: iter(examples), {})))
    page = opened.page
    assert page.locator("#list li").count() == len(NASTY)
    for n, text in enumerate(NASTY):
        page.locator("#list a").nth(n).click()
        page.wait_for_function("n => document.querySelector('#detail').ariaLabel.startsWith(`Example id-${n} `)", arg=n)
        if text.isprintable() and "<" in text:
            for selector in ("h3", ".gold .output", ".answers dl", ".options", ".passage .text"):
                assert text in page.locator(f"#detail {selector}").first.text_content()
    assert page.evaluate("window.struck") is None
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("img, iframe, object, embed, math, b, i, main style").count() == 0
    assert opened.requests == []
    assert opened.complaints == []


@pytest.mark.slow
def test_ten_thousand_examples_are_ready_to_search(browse, tmp_path):
    whole, examples = small_runs.many(10_000)
    file = html.write(whole, tmp_path / "many.html", dataset=Dataset(lambda: iter(examples), {}))
    page = browse(file).page
    assert page.inner_text("#count") == "10,000 of 10,000 examples"
    page.fill("#c-q", "number 9999?")
    assert page.inner_text("#count") == "1 of 10,000 examples"
    page.locator("#list a").click()
    page.wait_for_selector(".passage")
    assert "keeper499 of room" in page.inner_text(".passage .text >> nth=0")
    ready = page.evaluate("performance.getEntriesByName('longdoc-ready')[0].startTime")
    print(f"10,000 examples: {file.stat().st_size / 1e6:.1f} MB, ready after {ready:.0f} ms")


def test_the_page_prints_without_its_controls(browse, report, tmp_path):
    page = browse(report, "#example=q-1-1").page
    page.emulate_media(media="print")
    assert not page.is_visible("#controls")
    assert not page.is_visible("#theme")
    assert page.is_visible(".passage")
    page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
