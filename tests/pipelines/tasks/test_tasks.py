"""Tasks by name, and the recipes of MuLD."""

import json
import subprocess
import sys

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import metrics, tasks
from pipelines.tasks import Task


def test_the_recipe_of_both_question_answering_tasks_is_the_papers():
    for name in ("narrativeqa", "hotpotqa"):
        task = tasks.get(name)
        assert (task.chunker, task.k, task.order) == ("tokens:size=200", 10, "score")
        assert task.retriever == "tfidf:token_pattern=scikit-learn"
        assert task.metrics[:4] == ("bleu-1", "bleu-4", "rouge-l", "meteor")


def test_scored_splits_and_the_papers_counts():
    assert (tasks.get("narrativeqa").split, tasks.get("hotpotqa").split) == ("test", "validation")
    assert tasks.get("narrativeqa").dataset.counts["test"] == 10_261
    assert tasks.get("hotpotqa").dataset.counts == {"train": 87_752, "validation": 7_405}


def test_every_metric_of_every_task_exists():
    for task in tasks.all_tasks().values():
        assert [metrics.get(name).signature for name in task.metrics]


def test_a_task_of_ones_own_comes_as_an_object_or_from_a_module(tmp_path, monkeypatch):
    task = Task(name="mine", summary="", metrics=("f1",), max_new_tokens=5)
    assert tasks.get(task) is task
    (tmp_path / "workbench.py").write_text(
        "from pipelines.tasks import Task\nMINE = Task('mine', '', ('f1',), 5)\nOTHER = 1\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert tasks.get("workbench:MINE") == task
    for spec, message in [
        ("workbench:OTHER", "must be a pipelines.tasks.Task"),
        ("workbench:NONE", "has no 'NONE' to use as a task"),
        (7, "7 is not a task: give a name"),
    ]:
        with pytest.raises(UserError, match=message):
            tasks.get(spec)


def test_the_recipe_s_token_pattern_is_in_the_record_and_a_colon_gives_the_retriever_s_own_default(tmp_path):
    def pattern(name, **arguments):
        pipelines.run("narrativeqa", data="sample", model="extractive", limit=1, out=tmp_path / name, **arguments)
        return json.loads((tmp_path / name / "run.json").read_text(encoding="utf-8"))["spec"]["retriever"][
            "token_pattern"
        ]

    assert pattern("recipe") == r"(?u)\b\w\w+\b"
    assert pattern("bare", retriever="tfidf") == r"(?u)\b\w\w+\b"
    assert pattern("own", retriever="tfidf:") is None


def test_a_task_is_looked_up_by_its_exact_name_in_the_files_that_may_declare_it():
    assert all(tasks.declared(name) is task for name, task in tasks.all_tasks().items())
    assert [tasks.declared(name) for name in ("qasper", "scrolls/nothing", "muld/vlsp", "data/rows.jsonl", "")] == [
        None
    ] * 5
    code = "import sys; from pipelines import tasks; tasks.get('qa'); tasks.get('loogle/shortdep_qa'); "
    code += "print(*sorted(name for name in sys.modules if name.endswith('.tasks') and 'benchmarks' in name))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert printed == "pipelines.benchmarks.loogle.tasks\n"
