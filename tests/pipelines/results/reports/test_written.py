"""Pages that runs and ablations write by themselves, and the verb that writes any."""

import json
import re
import zlib
from base64 import b64decode

import pytest

import pipelines
from longdoc import checked_json
from longdoc.errors import UserError
from tests.pipelines.results.reports import small_runs


@pytest.fixture
def rows(tmp_path):
    return small_runs.write_rows(tmp_path / "rows.jsonl")


def texts(page):
    """The documents' excerpts in the first block of a page."""
    packed = re.search('id="block-0">([^<]*)<', page.read_text(encoding="utf-8"))[1]
    return json.loads(zlib.decompress(b64decode(packed), -zlib.MAX_WBITS))["documents"]


def test_a_run_writes_its_page_with_passages(rows, tmp_path):
    folder = small_runs.run(rows, tmp_path / "run")
    assert len(texts(folder / "report.html")) == 3
    before = (folder / "report.html").read_bytes()
    assert small_runs.run(rows, tmp_path / "run") == folder
    assert (folder / "report.html").read_bytes() == before
    assert pipelines.report(folder) == folder / "report.html"
    assert (folder / "report.html").read_bytes() == before


def test_a_run_over_example_objects_has_passages_too(tmp_path):
    _, examples = small_runs.many(40)
    run = pipelines.run("qa", data=examples, model="extractive", k=1, metrics="f1", out=tmp_path / "run")
    assert len(texts(run.folder / "report.html")) == 2


def test_a_metric_that_only_the_running_program_has_does_not_keep_the_page_from_being_written(rows, tmp_path):
    from pipelines.metrics.f1 import F1

    class Mine(F1):
        pass

    folder = small_runs.run(rows, tmp_path / "run", metrics=["exact_match", Mine()])
    assert (folder / "report.html").is_file()


def test_an_ablation_writes_its_page(rows, tmp_path):
    ablation = pipelines.ablate("qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], out=tmp_path / "grid")
    page = (ablation.folder / "report.html").read_text(encoding="utf-8")
    assert len(texts(ablation.folder / "report.html")) == 3
    heads = re.findall('class="axis number">([^<]*)', page)
    assert heads == ["1", "2"]


def test_pages_of_an_ablation_s_runs_are_rewritten_only_after_a_change(rows, tmp_path):
    def ablate():
        return pipelines.ablate("qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], out=tmp_path / "grid")

    folders = [cell.folder for cell in ablate().cells]
    assert [len(texts(folder / "report.html")) for folder in folders] == [3, 3]
    (folders[0] / "report.html").write_text("mine")
    before = (folders[1] / "report.html").stat().st_mtime_ns
    ablate()
    assert (folders[0] / "report.html").read_text() == "mine"  # newer than the scores, so it is left alone
    assert (folders[1] / "report.html").stat().st_mtime_ns == before
    (folders[0] / "scores.json").unlink()
    ablate()
    assert len(texts(folders[0] / "report.html")) == 3


def test_rescoring_rewrites_the_page_while_the_data_exist(rows, tmp_path):
    folder = small_runs.run(rows, tmp_path / "run")
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").write_text("old")
    pipelines.rescore(folder)
    assert (folder / "report.html").read_bytes() == before
    rows.unlink()
    pipelines.rescore(folder)
    assert (folder / "report.html").read_bytes() == before  # better than one without passages


def ablate(rows, tmp_path, **arguments):
    return pipelines.ablate(
        "qa", data=str(rows), model="extractive", metrics="f1", k=[1, 2], out=tmp_path / "grid", **arguments
    )


def test_without_a_report_no_page_is_written_and_it_can_be_made_later(rows, tmp_path, capsys):
    folder = small_runs.run(rows, tmp_path / "run", report=False)
    assert not (folder / "report.html").exists()
    assert "removed" not in capsys.readouterr().err
    assert len(texts(pipelines.report(folder))) == 3


def test_a_page_that_still_fits_stays_without_a_report_and_an_outdated_one_goes(rows, tmp_path, capsys):
    folder = small_runs.run(rows, tmp_path / "run")
    page = folder / "report.html"
    small_runs.run(rows, folder, report=False)
    assert page.is_file()
    pipelines.rescore(folder, metrics=["f1_ascii"], report=False)
    assert not page.exists()
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"longdoc: removed {page}, older than the scores; longdoc report {folder} makes another"
    )


def test_the_command_for_a_page_can_be_typed_for_any_folder(rows, tmp_path, capsys, monkeypatch):
    folder = small_runs.run(rows, tmp_path / "my run")
    pipelines.rescore(folder, metrics=["f1_ascii"], report=False)
    assert capsys.readouterr().err.endswith(f"older than the scores; longdoc report '{folder}' makes another\n")

    def broken(*_, **__):
        raise OSError("no space")

    monkeypatch.setattr("pipelines.results.reports.html.pieces", broken)
    with pytest.raises(OSError) as error:
        small_runs.run(rows, folder)
    missing = "is finished; only its page is missing: longdoc report"
    assert error.value.__notes__ == [f"kept: the run {missing} '{folder}'"]
    with pytest.raises(OSError) as error:
        ablate(rows, tmp_path)
    assert error.value.__notes__ == [f"kept: the ablation {missing} {tmp_path / 'grid'}"]


def test_rescoring_with_a_further_metric_writes_a_page_without_passages_where_the_data_are_gone(rows, tmp_path):
    folder = small_runs.run(rows, tmp_path / "run")
    rows.unlink()
    pipelines.rescore(folder, metrics=["f1_ascii"])
    page = folder / "report.html"
    assert "f1_ascii" in page.read_text(encoding="utf-8")
    assert len(texts(page)) == 0


def test_a_page_that_is_interrupted_leaves_no_outdated_one(rows, tmp_path, monkeypatch):
    folder = small_runs.run(rows, tmp_path / "run")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pipelines.results.reports.html.pieces", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pipelines.rescore(folder, metrics=["f1_ascii"])
    assert not (folder / "report.html").exists()


def test_an_ablation_without_a_report_writes_no_page_and_removes_outdated_ones(rows, tmp_path):
    first = ablate(rows, tmp_path, report=False)
    assert list((tmp_path / "grid").rglob("report.html")) == []
    ablate(rows, tmp_path)
    pages = sorted((tmp_path / "grid").rglob("report.html"))
    assert len(pages) == 3
    ablate(rows, tmp_path, report=False)
    assert sorted((tmp_path / "grid").rglob("report.html")) == pages
    folder = first.cells[0].folder
    pipelines.rescore(folder, metrics=["f1_ascii"], report=False)
    ablate(rows, tmp_path, report=False)
    left = sorted((tmp_path / "grid").rglob("report.html"))
    assert left == [first.cells[1].folder / "report.html"]


def test_whether_a_page_is_written_does_not_tell_runs_apart(rows, tmp_path):
    folders = [small_runs.run(rows, tmp_path / str(report), report=report) for report in (True, False)]
    specs = [json.loads((folder / "run.json").read_text())["spec"] for folder in folders]
    assert specs[0] == specs[1]


def test_the_format_of_a_report_follows_the_file_s_ending_or_the_option(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = [small_runs.run(rows, tmp_path / f"k{k}", k=k) for k in (1, 2)]
    assert pipelines.report(*runs).name == "report.html"
    assert pipelines.report(*runs, format="csv").startswith("name,")
    assert pipelines.report(*runs, out="table.tex").read_text().startswith("%")
    with pytest.raises(UserError, match="no run was named"):
        pipelines.report()
    with pytest.raises(UserError, match=r"a plot needs a file: --out report\.svg"):
        pipelines.report(*runs, format="svg")


def test_a_run_folder_from_a_newer_version_is_refused_by_every_reader(rows, tmp_path):
    folder = small_runs.run(rows, tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(checked_json.dumps(record | {"format": 99}))
    for use in (pipelines.report, pipelines.rescore, lambda one: pipelines.compare(one, one), pipelines.show):
        with pytest.raises(UserError, match="upgrade longdoc"):
            use(folder)
    assert "newer" in str(pipelines.runs(tmp_path))
