"""The tasks of SCROLLS, ZeroSCROLLS and LongBench: their files, their recipes, and the prompt that a reader gets."""

import json
import zipfile
from pathlib import Path

import pytest

import chunkers
import pipelines
from longdoc.errors import UserError
from pipelines import strategies, tasks
from pipelines.benchmarks.scrolls import tasks as scrolls
from pipelines.benchmarks.zero_scrolls import tasks as zero_scrolls
from pipelines.prompts.template import Template

DATASETS = {
    "scrolls": scrolls.DATASETS,
    "zero_scrolls": zero_scrolls.DATASETS,
    "longbench": {task.name.partition("/")[2]: task.dataset for task in tasks.group("longbench")},
}
NAMES = {
    "scrolls": "gov_report summ_screen_fd qmsum qasper narrative_qa quality contract_nli",
    "zero_scrolls": "gov_report summ_screen_fd qmsum squality qasper narrative_qa quality musique space_digest "
    "book_sum_sort",
    "longbench": "narrativeqa qasper multifieldqa_en multifieldqa_zh hotpotqa 2wikimqa musique dureader gov_report "
    "qmsum multi_news vcsum trec triviaqa samsum lsht passage_count passage_retrieval_en passage_retrieval_zh lcc "
    "repobench-p",
}


@pytest.mark.parametrize("suite", NAMES)
def test_every_task_of_a_suite_has_its_facts_and_a_valid_recipe(suite: str) -> None:
    all_tasks = tasks.all_tasks()
    assert [name for name in all_tasks if name.startswith(f"{suite}/")] == [
        f"{suite}/{one}" for one in NAMES[suite].split()
    ]
    for name in NAMES[suite].split():
        task = all_tasks[f"{suite}/{name}"]
        assert task.dataset is DATASETS[suite][name]
        assert task.split in task.dataset.files
        assert chunkers.get(task.chunker)
        assert strategies.get(task.strategy)
        if suite == "zero_scrolls":
            assert (task.prompt, task.model) == ("row", "flan-t5-base")
        else:
            assert ("{query}" in Template(task.prompt, task.instruction).text) <= task.dataset.has_query


def test_published_files_are_members_of_the_hub_s_zips() -> None:
    for name, facts in DATASETS["scrolls"].items():
        assert facts.repository == "tau/scrolls"
        expected = {split: (f"{name}.zip::{name}/{split}.jsonl",) for split in ("train", "validation", "test")}
        assert facts.files == expected
    for name, facts in DATASETS["zero_scrolls"].items():
        assert facts.repository == "tau/zero_scrolls"
        assert facts.files == {split: (f"{name}.zip::{name}/{split}.jsonl",) for split in ("validation", "test")}
    for name, facts in DATASETS["longbench"].items():
        assert (facts.repository, facts.files) == ("zai-org/LongBench", {"test": (f"data.zip::data/{name}.jsonl",)})


def test_counts_are_the_papers_where_they_count_examples() -> None:
    counts = {name: tuple(facts.counts.values()) for name, facts in DATASETS["scrolls"].items()}
    assert counts == {
        "gov_report": (17_457, 972, 973),
        "summ_screen_fd": (3_673, 338, 337),
        "qmsum": (1_257, 272, 281),
        "qasper": (1_399,),
        "narrative_qa": (10_306,),
        "quality": (2_523, 2_086, 2_128),
        "contract_nli": (7_191, 1_037, 2_091),
    }
    others = {"summ_screen_fd": 337, "qmsum": 281, "squality": 260}
    for name, facts in DATASETS["zero_scrolls"].items():
        assert facts.counts == {"test": others.get(name, 500)}


def test_tasks_without_a_question_have_no_query() -> None:
    without_question = {
        f"{suite}/{name}" for suite, all_ in DATASETS.items() for name, facts in all_.items() if not facts.has_query
    }
    assert without_question == {
        "scrolls/gov_report", "scrolls/summ_screen_fd", "zero_scrolls/gov_report", "zero_scrolls/summ_screen_fd",
        "zero_scrolls/space_digest", "zero_scrolls/book_sum_sort", "longbench/gov_report", "longbench/multi_news",
        "longbench/vcsum", "longbench/passage_count", "longbench/lcc",
    }  # fmt: skip


def test_output_lengths_are_the_published_ones() -> None:
    lengths = {name: task.max_new_tokens for name, task in tasks.all_tasks().items()}
    assert {lengths[f"scrolls/{name}"] for name in DATASETS["scrolls"]} == {1_024}
    assert [lengths[f"zero_scrolls/{name}"] for name in DATASETS["zero_scrolls"]] == [
        1_024, 512, 512, 512, 128, 64, 10, 32, 36, 256,
    ]  # fmt: skip
    assert [lengths[f"longbench/{name}"] for name in DATASETS["longbench"]] == [
        128, 128, 64, 64, 32, 32, 32, 128, 512, 512, 512, 512, 64, 32, 128, 64, 32, 32, 32, 64, 64,
    ]  # fmt: skip


def test_a_bare_name_is_enough_where_one_task_has_it() -> None:
    for bare, full in [("contract_nli", "scrolls/"), ("squality", "zero_scrolls/"), ("2wikimqa", "longbench/")]:
        assert tasks.get(bare).name == full + bare


def test_a_name_of_muld_stays_muld_s() -> None:
    for name in ("narrativeqa", "hotpotqa"):
        assert tasks.get(name).dataset.repository == "ghomasHudson/muld"
        assert tasks.get(f"longbench/{name}").dataset.repository == "zai-org/LongBench"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "gov_report",
            "several tasks are called 'gov_report': type longbench/gov_report, scrolls/gov_report or zero_scr",
        ),
        ("quality", "several tasks are called 'quality': type leval/quality, scrolls/quality or zero_scrolls/qual"),
        ("scrolls/qaspar", "unknown task 'scrolls/qaspar'; did you mean scrolls/qasper"),
        ("scrolls/", "unknown task 'scrolls/'"),
        ("", "unknown task ''"),
    ],
)
def test_a_name_of_several_tasks_or_of_none_is_refused_with_the_names_to_type(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        tasks.get(name)


def test_ambiguous_names_are_refused_by_other_functions_too() -> None:
    with pytest.raises(UserError, match="several tasks are called 'qmsum'"):
        pipelines.score("qmsum", ["x"], [["x"]])
    with pytest.raises(UserError, match="several tasks are called 'qmsum'"):
        pipelines.fetch("qmsum")
    assert pipelines.score("2wikimqa", ["the Anna"], [["Anna"]]) == {"f1": 100.0}


def test_fetch_asks_the_hub_for_the_zip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from models import hub

    requests = []

    def file(repository: str, name: str, revision: str | None = None) -> hub.Fetched:
        requests.append((repository, name, revision))
        return hub.Fetched(tmp_path / name, "0")

    monkeypatch.setattr(hub, "file", file)
    assert pipelines.fetch("contract_nli") == {
        "scrolls/contract_nli/contract_nli.zip": str(tmp_path / "contract_nli.zip")
    }
    assert requests == [("tau/scrolls", "contract_nli.zip", None)]


def test_the_reader_of_quality_gets_the_published_input_to_the_letter(tmp_path: Path) -> None:
    text = "Who woke?\n\n (A) Anna\n (B) Bert\n (C) Carla\n (D) Nobody\n\n\n  Anna woke.\n\nShe left.\n"
    row = {"id": "52845_1", "pid": "52845_1_0", "input": text, "output": "Anna"}
    with zipfile.ZipFile(tmp_path / "quality.zip", "w") as archive:
        archive.writestr("quality/validation.jsonl", json.dumps(row) + "\n")
    prompt = pipelines.prompt(
        "scrolls/quality", "52845_1", data=tmp_path / "quality.zip", model="extractive", metrics="exact_match"
    )
    assert prompt.text == text


def test_a_run_on_a_zip_is_kept_under_the_task_s_name_without_the_slash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {
            "id": name,
            "pid": f"{name}_{n}",
            "input": "Who keeps bees?\n\nAnna keeps bees. Bert mends clocks.",
            "output": one,
        }
        for name, outputs in (("a", ["Anna keeps bees", "She"]), ("b", ["Nobody"]))
        for n, one in enumerate(outputs)
    ]
    with zipfile.ZipFile(tmp_path / "qasper.zip", "w") as archive:
        archive.writestr("qasper/validation.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    result = pipelines.run("scrolls/qasper", data="qasper.zip", model="extractive", metrics="f1")
    assert result.scores["f1"] == 50.0
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("scrolls-qasper-")
    lines = (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(one["id"], one["references"]) for one in map(json.loads, lines)] == [
        ("a", ["Anna keeps bees", "She"]),
        ("b", ["Nobody"]),
    ]
