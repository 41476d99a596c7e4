"""Submissions to SCROLLS and ZeroSCROLLS, from made-up runs."""

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.records import Document, Example
from pipelines.results.leaderboards.average import task_scores

ODD_TEXTS = [
    "NA",
    "",
    'He said "no", twice',
    "two\nlines\r\nand a\rthird",
    " null ",
    "=1+1",
    "été 東京 🙂",
    "a,b",
    "x" * 200_000,
]


class ScriptedReader(Reader):
    """A reader whose reply is the text after the question."""

    supports = frozenset({Generate})

    def count(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: list[Generate]) -> list[Reply]:
        return [Reply(request.prompt.text.partition("|")[2].removesuffix("|d")) for request in requests]  # type: ignore[union-attr]


def examples(replies: list[str]) -> list[Example]:
    document = Document("d", "d")
    return [Example(f"{i:02}", document, f"q{i}|{text}|") for i, text in enumerate(replies)]


def odd_run(folder: Path, replies: list[str]) -> Path:
    pipelines.run("scrolls/qasper", data=examples(replies), split="test", model=ScriptedReader(),
                  prompt="{query}{document}", out=folder)  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def zips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The seven zips of SCROLLS in the published layout: two examples a split, labels in validation alone."""
    folder = tmp_path_factory.mktemp("zips")
    question = "Who woke?\n\n (A) Anna\n (B) Bert\n (C) Carla\n (D) Dora\n\n"
    for task in task_scores()["scrolls"]:
        query = question if task == "quality" else "" if task in ("gov_report", "summ_screen_fd") else "Who woke?\n\n"
        with zipfile.ZipFile(folder / f"{task}.zip", "w") as archive:
            for split, output in (("validation", "Anna"), ("test", None)):
                rows = [
                    {"id": f"{task}-{split}-{n}", "pid": f"{task}-{n}", "output": output,
                     "input": f"{query}Anna woke up {n} times a night."}
                    for n in range(2)
                ]  # fmt: skip
                archive.writestr(f"{task}/{split}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return folder


def run_all(zips: Path, out: Path, split: str) -> list[Path]:
    for task in task_scores()["scrolls"]:
        pipelines.run(f"scrolls/{task}", data=zips, split=split, model="naive:words=1", out=out / task)
    return [out / task for task in task_scores()["scrolls"]]


@pytest.fixture(scope="module")
def runs(zips: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One run of each task of SCROLLS on its test split."""
    return run_all(zips, tmp_path_factory.mktemp("runs", "list"), "test")


def table(path: Path) -> list[list[str]]:
    bound = csv.field_size_limit(1_000_000)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    finally:
        csv.field_size_limit(bound)


def test_a_submission_has_every_id_once_in_json_and_csv(zips: Path, runs: list[Path], tmp_path: Path) -> None:
    submission = pipelines.submit("scrolls", runs[::-1], out=tmp_path / "sub", data=zips)
    assert submission.counts == dict.fromkeys(task_scores()["scrolls"], 2)
    assert (submission.missing, submission.warnings) == ([], [])
    heading, *rows = table(tmp_path / "sub" / "scrolls_predictions.csv")
    assert heading == ["Task", "ID", "Prediction"]
    assert rows == [[task, f"{task}-test-{n}", "Anna"] for task in task_scores()["scrolls"] for n in range(2)]
    for task in task_scores()["scrolls"]:
        content = json.loads((tmp_path / "sub" / f"{task}.json").read_text(encoding="utf-8"))
        assert content == {f"{task}-test-0": "Anna", f"{task}-test-1": "Anna"}
    assert {path.name for path in (tmp_path / "sub").iterdir()} == set(submission.files)
    assert pipelines.submit("scrolls", runs, out=tmp_path / "sub", data=zips) == submission  # written anew
    assert "  quality         2 predictions  ids as in the data" in str(submission)


def test_odd_predictions_are_read_back_unchanged(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)  # as a fresh program has it; reading tables raises it
    run, data = odd_run(tmp_path / "run", ODD_TEXTS), examples(ODD_TEXTS)
    submission = pipelines.submit("scrolls", [run], out=tmp_path / "sub", data={"qasper": data}, partial=True)
    assert [row[2] for row in table(tmp_path / "sub" / "scrolls_predictions.csv")[1:]] == ODD_TEXTS
    assert list(json.loads((tmp_path / "sub" / "qasper.json").read_text(encoding="utf-8")).values()) == ODD_TEXTS
    assert submission.warnings == [f"qasper: {sum(not text for text in ODD_TEXTS)} predictions are empty"]
    checked = pipelines.check_submission(tmp_path / "sub" / "scrolls_predictions.csv", partial=True)
    assert checked.counts == {"qasper": len(ODD_TEXTS)}
    assert csv.field_size_limit() < 200_000  # reset to the program's own limit
    pandas = pytest.importorskip("pandas", reason="pandas, the leaderboards' reader, is not installed")
    frame = pandas.read_csv(tmp_path / "sub" / "scrolls_predictions.csv", keep_default_na=False, dtype=str)
    assert frame["Prediction"].tolist() == ODD_TEXTS
    assert frame["ID"].tolist() == [one.id for one in data]


def test_characters_that_no_text_file_can_hold_are_replaced_and_counted(tmp_path: Path) -> None:
    replies = ["a\0b", "half \ud800", "whole"]
    run = odd_run(tmp_path / "run", replies)
    data = {"scrolls/qasper": examples(["", "", ""])}
    submission = pipelines.submit("scrolls", [run], out=tmp_path / "sub", data=data, partial=True)
    assert [row[2] for row in table(tmp_path / "sub" / "scrolls_predictions.csv")[1:]] == [
        "a\ufffdb",
        "half \ufffd",
        "whole",
    ]
    assert submission.warnings[0].startswith("qasper: data= is not what")
    assert submission.warnings[1] == "qasper: 2 predictions have characters that no text file holds; now U+FFFD"


def test_runs_on_the_published_files_need_no_data(zips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models import hub

    requests = []

    def file(repository: str, name: str, revision: str | None = None) -> hub.Fetched:
        requests.append((repository, name, revision))
        return hub.Fetched(zips / name, "abc")

    monkeypatch.setattr(hub, "file", file)
    pipelines.run("scrolls/qmsum", split="test", model="naive:words=1", out=tmp_path / "run")
    submission = pipelines.submit("scrolls", [tmp_path / "run"], out=tmp_path / "sub", partial=True)
    assert submission.counts == {"qmsum": 2}
    assert requests[-1] == ("tau/scrolls", "qmsum.zip", "abc")  # the revision that the run had


def test_missing_tasks_are_named_unless_partial_is_set(zips: Path, runs: list[Path], tmp_path: Path) -> None:
    two_runs = [run for run in runs if run.name in ("qmsum", "quality")]
    with pytest.raises(UserError, match="5 of the 7 tasks of scrolls are missing: gov_report, summ_screen_fd, qasper"):
        pipelines.submit("scrolls", two_runs, out=tmp_path / "sub", data=zips)
    assert not (tmp_path / "sub").exists()
    submission = pipelines.submit("scrolls", two_runs, out=tmp_path / "sub", data=zips, partial=True)
    assert submission.missing == ["gov_report", "summ_screen_fd", "qasper", "narrative_qa", "contract_nli"]
    assert "partial, without gov_report" in str(submission)


def test_missing_and_extra_predictions_are_refused_with_names_and_counts(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run", ["a", "b", "c"])
    with pytest.raises(UserError, match=r"qasper: 2 of 5 predictions are missing: 03, 04$"):
        pipelines.submit("scrolls", [run], out=tmp_path / "sub", data={"qasper": examples(["x"] * 5)}, partial=True)
    with pytest.raises(UserError, match=r"qasper: 1 predictions have no example: 02$"):
        pipelines.submit("scrolls", [run], out=tmp_path / "sub", data={"qasper": examples(["x"] * 2)}, partial=True)
    assert not (tmp_path / "sub").exists()


def test_a_run_of_a_part_of_the_data_says_why_predictions_are_missing(zips: Path, tmp_path: Path) -> None:
    pipelines.run("scrolls/qmsum", data=zips, split="test", limit=1, model="naive:words=1", out=tmp_path / "run")
    with pytest.raises(UserError, match=r"1 of 2 predictions are missing \(the run was of limit=1\): qmsum-test-1"):
        pipelines.submit("scrolls", [tmp_path / "run"], out=tmp_path / "sub", data=zips, partial=True)


def test_a_run_on_the_user_s_data_needs_data(runs: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"pass data=PATH \(--data PATH, or --data gov_report=PATH\)"):
        pipelines.submit("scrolls", runs, out=tmp_path / "sub")


def test_a_split_other_than_test_gives_a_warning(zips: Path, tmp_path: Path) -> None:
    pipelines.run("scrolls/qmsum", data=zips, model="naive:words=1", out=tmp_path / "run")
    submission = pipelines.submit("scrolls", [tmp_path / "run"], out=tmp_path / "sub", data=zips, partial=True)
    assert submission.warnings == ["leaderboards take the split test; these are of another: qmsum (validation)"]


def test_runs_that_do_not_belong_are_refused(zips: Path, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "sub"
    with pytest.raises(UserError, match="did you mean scrolls"):
        pipelines.submit("scroll", runs, out=out)
    with pytest.raises(UserError, match="is a run of scrolls/gov_report, which is not a task of zero_scrolls"):
        pipelines.submit("zero_scrolls", runs, out=out)
    with pytest.raises(UserError, match="both runs of scrolls/gov_report: choose one"):
        pipelines.submit("scrolls", [*runs, runs[0]], out=out)
    with pytest.raises(UserError, match="name the folders"):
        pipelines.submit("scrolls", [], out=out)
    with pytest.raises(UserError, match="not a run's folder"):
        pipelines.submit("scrolls", [tmp_path], out=out)
    with pytest.raises(UserError, match="unknown task of scrolls 'squality'"):
        pipelines.submit("scrolls", runs, out=out, data={"squality": zips})


def test_a_folder_with_other_files_is_refused(zips: Path, runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match=r"holds other files \(thesis.txt\)"):
        pipelines.submit("scrolls", runs, out=tmp_path, data=zips)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_zero_scrolls_has_its_own_table(tmp_path: Path) -> None:
    data = examples(["B", "NA"])
    pipelines.run(
        "zero_scrolls/quality", data=data, model=ScriptedReader(), prompt="{query}{document}", out=tmp_path / "run"
    )
    submission = pipelines.submit("zero_scrolls", [tmp_path / "run"], out=tmp_path / "sub", data={"quality": data},
                            partial=True)  # fmt: skip
    assert submission.files == ["zero_scrolls_predictions.csv", "quality.json"]
    assert table(tmp_path / "sub" / "zero_scrolls_predictions.csv")[1:] == [
        ["quality", "00", "B"],
        ["quality", "01", "NA"],
    ]


def test_a_check_compares_ids_with_data(zips: Path, runs: list[Path], tmp_path: Path) -> None:
    pipelines.submit("scrolls", runs, out=tmp_path, data=zips)
    file = tmp_path / "scrolls_predictions.csv"
    assert pipelines.check_submission(file).ids_checked == []
    assert pipelines.check_submission(file, data=zips).ids_checked == list(task_scores()["scrolls"])
    checked = pipelines.check_submission(tmp_path / "qmsum.json", benchmark="scrolls", data=zips)
    assert (checked.counts, checked.ids_checked) == ({"qmsum": 2}, ["qmsum"])
    with pytest.raises(
        UserError, match=r"2 of 2 predictions are missing.*no id is the same: give the data of the same split"
    ):
        pipelines.check_submission(file, data=zips, split="validation")
    with pytest.raises(UserError, match="give data= too"):
        pipelines.check_submission(file, split="validation")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Task,Id,Prediction\n", r"the columns must be Task, ID, Prediction; they are Task, Id, Prediction"),
        ("Task,ID,Prediction\n", "has no predictions"),
        ("", "is empty"),
        ("Task,ID,Prediction\nqmsum,1,a\nqmsum,1,b\n", "1 ids come twice: qmsum 1"),
        ("Task,ID,Prediction\nqmsun,1,a\nqmsun,2,a\n", "2 rows are of the unknown task 'qmsun'"),
        ("Task,ID,Prediction\nqmsum,1\nqmsum,2,a,b\n", "2 rows do not have three fields: line 2, line 3"),
        ("Task,ID,Prediction\nqmsum,,a\n", "1 rows have no ID: line 2"),
        ('Task,ID,Prediction\nqmsum,1,"a\n', "line 2: unexpected end of data"),
        ("Task,ID,Prediction\nqmsum,1,a\n", "6 of the 7 tasks of scrolls are missing: gov_report, summ_screen_fd"),
    ],
)
def test_a_bad_table_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "scrolls_predictions.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        pipelines.check_submission(tmp_path / "scrolls_predictions.csv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("qmsum.json", '{"1": "a", "1": "b"}', "1 ids come twice: 1"),
        ("qmsum.json", '{"1": 5, "2": null, "3": ["a"], "4": "x"}', "3 predictions are not strings: 1, 2, 3"),
        ("qmsum.json", '["a"]', "must be an object of id to prediction, got a list"),
        ("qmsum.json", '{"1": ', "is not JSON"),
        ("qmsum.json", "{}", "has no predictions"),
        ("qmsun.json", "{}", r"unknown task \(a JSON file is named after its own\) 'qmsun'; did you mean qmsum"),
        ("qmsum.txt", "x", "is not a submission: give a CSV file"),
    ],
)
def test_a_bad_object_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        pipelines.check_submission(tmp_path / name, benchmark="scrolls")


def test_the_benchmark_follows_from_the_file_name_where_possible(tmp_path: Path) -> None:
    for task in ("contract_nli", "squality", "qmsum"):
        (tmp_path / f"{task}.json").write_text('{"1": "a"}', encoding="utf-8")
    assert pipelines.check_submission(tmp_path / "contract_nli.json").benchmark == "scrolls"
    assert pipelines.check_submission(tmp_path / "squality.json").benchmark == "zero_scrolls"
    with pytest.raises(
        UserError, match=r"qmsum.json may be of scrolls or zero_scrolls: type longdoc benchmark submit scrolls --ch"
    ):
        pipelines.check_submission(tmp_path / "qmsum.json")


RunLongdoc = Callable[..., tuple[int, str, str]]


@pytest.fixture
def longdoc(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunLongdoc:
    """Runs the command in this process: its exit code, output and errors."""
    from pipelines.cli.main import main

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["longdoc", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return int(stopped.value.code or 0), printed.out, printed.err

    return call


def test_commands_submit_check_and_measure(longdoc: RunLongdoc, zips: Path, runs: list[Path], tmp_path: Path) -> None:
    code, out, _ = longdoc("benchmark", "submit", "scrolls", *runs, "--out", tmp_path / "sub", "--data", zips)
    assert code == 0
    assert out.startswith("scrolls: scrolls_predictions.csv, gov_report.json")
    code, out, _ = longdoc(
        "benchmark", "submit", "--check", tmp_path / "sub" / "scrolls_predictions.csv", "--data", zips, "--json"
    )
    assert (code, json.loads(out)["counts"]["qmsum"]) == (0, 2)
    code, out, _ = longdoc("benchmark", "submit", "scrolls", runs[2], "--out", tmp_path / "part", "--partial", "--data",
                           f"qmsum={zips}")  # fmt: skip
    assert (code, out.splitlines()[1]) == (0, "  qmsum  2 predictions  ids as in the data")
    assert longdoc("analyze", "lengths", "scrolls/qmsum", "--data", zips, "--json")[0] == 0
    code, out, _ = longdoc("analyze", "outputs", runs[2])
    assert "2 outputs" in out.splitlines()[0]
    code, out, _ = longdoc("benchmark", "published", "scrolls/qmsum", "--json")
    assert len(json.loads(out)["rows"]) == 23
    code, out, _ = longdoc("analyze", "spread", "scrolls/contract_nli", "--data", zips)
    assert (code, out.splitlines()[1]) == (
        0,
        "  0 measured, 0 of them by a single bigram (0), 2 left out (no bigram found)",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["benchmark", "submit"], "type longdoc benchmark submit scrolls|zero_scrolls RUN… --out FOLDER"),
        (["benchmark", "submit", "scrolls", "nowhere", "--out", "x"], "nowhere is not a run's folder"),
        (["benchmark", "submit", "--check", "nowhere.csv"], "nowhere.csv may be of scrolls or zero_scrolls"),
        (["benchmark", "submit", "--check", "scrolls_predictions.csv", "--out", "x"], "leave runs and --out out"),
        (["benchmark", "submit", "scrolls", "r", "--out", "x", "--split", "test"], "--split needs --check"),
        (
            ["benchmark", "submit", "scrolls", "r", "--out", "x", "--data", "a", "--data", "b"],
            "give --data once as a path",
        ),
        (["benchmark", "scores", "scrolls"], "there is no folder runs; longdoc runs list shows your runs"),
        (["benchmark", "published", "nocha"], "print no scores"),
        (["analyze", "outputs", "nowhere"], "nowhere is not a run's folder"),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(
    longdoc: RunLongdoc, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = longdoc(*arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert message in err
