"""The runs that reports show."""

import pytest

from tests.pipelines.results.reports import small_runs


@pytest.fixture(scope="session")
def rows(tmp_path_factory):
    """The file of the rows."""
    return small_runs.write_rows(tmp_path_factory.mktemp("rows") / "rows.jsonl")


@pytest.fixture(scope="session")
def runs(rows, tmp_path_factory):
    """Two runs over the rows: one that searches, one that takes the beginning."""
    home = tmp_path_factory.mktemp("runs")
    return [small_runs.run(rows, home / "bm25"), small_runs.run(rows, home / "first", retriever="first")]


@pytest.fixture(scope="session")
def report(runs, tmp_path_factory):
    """The page of both runs."""
    from pipelines.results.reports.html import html

    return html(runs, tmp_path_factory.mktemp("page") / "report.html")
