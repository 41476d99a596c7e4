"""The page of all runs in a browser: what a person does with it."""

import time
from pathlib import Path

import pytest

from pipelines.results.index_page import page as pages
from pipelines.results.index_page.entries import Entry
from pipelines.results.run_folders.listed_run import ListedRun
from pipelines.results.scores import Scores

HOME = Path("/nowhere/runs")
SCORES = {"bm25": {"f1": 30.0, "rouge-l": 9.0}, "tfidf": {"f1": 20.0, "rouge-l": 10.0}, "first": {"f1": 25.0}}


def listed(name, state, task, recipe, **values):
    return ListedRun(HOME / name, state, task, "test", recipe, **values)


def entries():
    """Three runs of one task, an ablation of another with a cell, a run that goes on."""
    finished = [
        Entry(
            "run",
            listed(name, "finished", "qa", f"tokens:200 → {name} → stuff", time=1e9 + n, scores=Scores(scores)),
            "4/4",
            1.0,
        )
        for n, (name, scores) in enumerate(SCORES.items())
    ]
    best = Scores({"rouge-l": 50.0})
    ablation = listed("grid", "unfinished", "hotpotqa", "ablation of k", time=3e9, scores=best)
    grid = Entry("ablation", ablation, "1/2 cells", 0.5, command="longdoc ablate hotpotqa -k 1,2")
    run = listed("grid/runs/x", "finished", "hotpotqa", "tokens:200", time=3e9, scores=best)
    cell = Entry("run", run, "4/4", 1.0, cell_of=HOME / "grid")
    going = Entry("run", listed("going", "running", "hotpotqa", "sections", time=2e9), "1/4", 0.25)
    return [*finished, grid, cell, going]


def write(path, page_entries=None, refresh=0, now=None):
    page_entries = entries() if page_entries is None else page_entries
    path.write_text(pages.text(page_entries, [HOME], time.time() if now is None else now, refresh), encoding="utf-8")
    return path


@pytest.fixture
def index_file(tmp_path):
    return write(tmp_path / "index.html")


def names(page):
    return page.locator("tbody tr:visible .name").all_inner_texts()


def test_runs_are_in_groups_by_task_with_a_column_for_each_score(browse, index_file):
    opened = browse(index_file)
    page = opened.page
    assert page.locator("section.group h2").all_inner_texts() == ["hotpotqa", "qa"]
    assert names(page) == ["grid", "going", "bm25", "tfidf", "first"]
    heads = page.locator("section.group:has-text('tfidf') thead th:visible").all_inner_texts()
    assert heads == ["Run", "Data", "State", "Done", "Last written", "f1", "rouge-l"]
    assert page.inner_text("#count") == "5 of 5 shown"
    assert opened.requests == []
    assert opened.complaints == []


def test_search_and_filters_hide_rows_and_empty_groups(browse, index_file):
    page = browse(index_file).page
    page.fill("#c-q", "TFIDF stuff")
    assert (names(page), page.inner_text("#count")) == (["tfidf"], "1 of 5 shown")
    assert page.locator("section.group:visible").count() == 1
    page.fill("#c-q", "")
    page.select_option("#c-state", "running")
    assert names(page) == ["going"]
    page.select_option("#c-state", "")
    page.select_option("#c-task", "qa")
    assert names(page) == ["bm25", "tfidf", "first"]
    page.select_option("#c-task", "")
    page.select_option("#c-kind", "ablation")
    assert names(page) == ["grid"]
    assert page.inner_text(".command") == "longdoc ablate hotpotqa -k 1,2"


def test_the_counts_above_are_links_to_what_they_count(browse, index_file):
    page = browse(index_file).page
    page.get_by_role("link", name="1 unfinished").click()
    assert names(page) == ["grid"]
    assert page.input_value("#c-state") == "unfinished"


def test_any_column_sorts_all_tables_that_have_it_and_missing_values_come_last(browse, index_file):
    page = browse(index_file).page
    head = page.locator("section.group:has-text('tfidf') thead th", has_text="rouge-l")
    head.get_by_role("button").click()
    assert names(page) == ["grid", "going", "tfidf", "bm25", "first"]
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    assert names(page) == ["grid", "going", "bm25", "tfidf", "first"]
    page.locator("thead th", has_text="Last written").last.get_by_role("button").click()
    assert names(page) == ["grid", "going", "first", "tfidf", "bm25"]


def test_without_groups_all_are_in_one_table_the_latest_first(browse, index_file):
    page = browse(index_file).page
    page.uncheck("#c-group")
    assert names(page) == ["grid", "going", "first", "tfidf", "bm25"]
    assert page.locator("thead th:visible").all_inner_texts() == [
        "Run",
        "Data",
        "State",
        "Done",
        "Last written",
        "Score",
    ]
    assert page.locator("tbody tr:visible .primary").all_inner_texts()[2:] == ["25.00\nf1", "20.00\nf1", "30.00\nf1"]
    page.locator("#all thead th", has_text="Score").get_by_role("button").click()
    assert names(page) == ["grid", "bm25", "first", "tfidf", "going"]
    page.check("#c-group")
    assert names(page) == ["grid", "going", "bm25", "first", "tfidf"], "by the first score still"
    assert page.locator("#all").is_hidden()


def test_cells_of_ablations_are_shown_when_asked_for(browse, index_file):
    page = browse(index_file).page
    page.check("#c-cells")
    assert sorted(names(page)) == sorted(["grid", "grid/runs/x", "going", "bm25", "tfidf", "first"])
    assert page.inner_text("#count") == "6 of 6 shown"


def test_a_link_opens_the_same_view(browse, index_file):
    page = browse(index_file).page
    page.fill("#c-q", "stuff")
    page.locator("thead th", has_text="f1").first.get_by_role("button").click()
    address = page.url[page.url.index("#") :]
    again = browse(index_file, address).page
    assert names(again) == names(page) == ["bm25", "first", "tfidf"]
    assert again.input_value("#c-q") == "stuff"


def many(count):
    return [
        Entry("run", listed(f"run-{n:04}", "finished", "qa", f"tokens:{n} → bm25", time=1e9 + n, scores=Scores(
            {"f1": n * 37 % 1000 / 10, "rouge-l": n % 100})), "4/4", 1.0)
        for n in range(count)
    ]  # fmt: skip


def test_an_open_page_follows_and_keeps_search_order_scroll_and_focus(browse, tmp_path):
    file = write(tmp_path / "index.html", many(150), refresh=1)
    page = browse(file).page
    page.locator("thead th", has_text="f1").get_by_role("button").click()
    page.fill("#c-q", "bm25")
    page.evaluate("document.querySelector('#c-q').setSelectionRange(2, 2)")
    page.evaluate("scrollTo({ top: 1500, behavior: 'instant' })")
    before = names(page)
    write(file, [*many(150), Entry("run", ListedRun(HOME / "new", "running", "qa", recipe="bm25"))], refresh=1)
    page.wait_for_function("() => document.querySelector('#count')?.textContent === '151 of 151 shown'")
    page.wait_for_selector("html[data-ready]")
    assert names(page) == [*before, "new"]
    assert page.input_value("#c-q") == "bm25"
    assert page.evaluate("[document.activeElement.id, document.activeElement.selectionStart]") == ["c-q", 2]
    assert page.evaluate("scrollY") == 1500
    write(file, many(150))  # all have ended
    page.wait_for_selector("#refreshing", state="hidden")
    write(file, many(3))
    page.wait_for_timeout(2500)
    assert page.inner_text("#count") == "150 of 150 shown", "what has ended is not loaded again"


@pytest.mark.slow
def test_refreshing_can_be_paused_and_ends_where_nobody_writes_the_page(browse, tmp_path):
    file = write(tmp_path / "index.html", refresh=1)
    page = browse(file).page
    page.click("#refreshing")
    assert page.inner_text("#refreshing") == "Refresh"
    write(file, [], refresh=1)
    page.wait_for_timeout(3500)
    assert page.inner_text("#count") == "5 of 5 shown"
    page.click("#refreshing")
    page.wait_for_selector("text=No runs yet")
    file = write(tmp_path / "old.html", refresh=1, now=time.time() - 3600)
    page = browse(file).page
    page.wait_for_function("() => document.querySelector('#written').textContent.includes('no longer')")


def test_an_empty_page_says_how_to_begin(browse, tmp_path):
    opened = browse(write(tmp_path / "index.html", []))
    assert opened.page.inner_text("main .remark").startswith("No runs yet: longdoc run narrativeqa --data sample")
    assert opened.page.locator("#controls").is_hidden()
    assert opened.complaints == []


def test_without_scripts_everything_is_there_and_the_page_is_loaded_again(browse, chromium, tmp_path):
    file = write(tmp_path / "index.html", refresh=1)
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("tbody tr:visible .name >> nth=4").wait_for()  # it may be loading again
    write(file, [])
    page.wait_for_selector("text=No runs yet")
    context.close()


def test_thousands_of_runs_are_shown_in_parts(browse, tmp_path):
    file = write(tmp_path / "index.html", many(3000))
    page = browse(file).page
    assert page.inner_text("#count") == "3,000 of 3,000 shown"
    assert page.locator("tbody tr").count() == 200
    page.fill("#c-q", "tokens:2999 ")
    assert names(page) == ["run-2999"]
    page.fill("#c-q", "")
    page.get_by_role("button", name="Show all 3,000").click()
    assert page.locator("tbody tr").count() == 3000
    ready = page.evaluate("performance.getEntriesByName('longdoc-ready')[0].startTime")
    print(f"3,000 runs: {file.stat().st_size / 1e6:.1f} MB, ready after {ready:.0f} ms")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)])
def test_axe_finds_no_serious_accessibility_problem(browse, index_file, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")
    page = browse(index_file, scheme=scheme, width=width).page
    violations = axe.Axe().run(page).response["violations"]
    assert [
        (violation["id"], violation["nodes"][0]["html"])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ] == []


@pytest.mark.parametrize("address", ["", "#group=0"])
def test_on_a_phone_the_page_scrolls_only_vertically(browse, index_file, address):
    page = browse(index_file, address, width=390, height=844).page
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_page_prints_without_its_controls(browse, index_file):
    page = browse(index_file).page
    page.emulate_media(media="print")
    assert not page.is_visible("#controls")
    assert names(page) == ["grid", "going", "bm25", "tfidf", "first"]
    assert page.pdf().startswith(b"%PDF")
