"""The scores that the papers publish."""

import csv
from collections import Counter
from math import cbrt
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.results.leaderboards.average import task_scores
from pipelines.results.leaderboards.published import FILES, decimals
from tests.turns import for_each


def scores(task: str, **conditions: object) -> dict[str, float]:
    rows = pipelines.published(task).rows
    return {r.metric: r.value for r in rows if all(getattr(r, name) == value for name, value in conditions.items())}


def test_every_score_of_the_tables_is_there() -> None:
    counts = {name: Counter(row.table for row in pipelines.published(name).rows) for name in FILES}
    assert counts == {
        "muld": {"Table 2": 36},
        "scrolls": {"Table 2": 105, "Table 4": 11, "section 5.2": 3},
        "zero_scrolls": {"Table 3": 100, "Table 4": 121},
        "longbench": {"README": 168},
        "longbench_v2": {"leaderboard": 23 * 6 + 1, "leaderboard, with CoT": 23 * 6},
        "infinitebench": {"README": 21},
        "loogle": {"short dependency": 8 * 10 - 4, "long dependency": 8 * 16, "input length": 5 * 16},
        "leval": {"README": 3 * 6},
        "longbench_pro": {
            "overall": 80 * 3,
            "by task": 80 * 11,
            "by length": 80 * 6,
            "by language, difficulty and requirement": 80 * 8,
        },
        "oolong": {"Table 4": 9 * 2, "synth, by length": 143, "synth, by group": 15 * 3, "real, by length": 70},
    }


@for_each(
    ("task", "conditions", "expected"),
    [
        ("narrativeqa", {"model": "T5"}, {"bleu-1": 17.67, "bleu-4": 0.55, "rouge-l": 19.03, "meteor": 3.36}),
        ("hotpotqa", {"split": "validation", "model": "Longformer"},
         {"bleu-1": 30.38, "bleu-4": 16.76, "rouge-l": 30.49, "meteor": 4.98}),
        ("character_types", {"model": "Longformer"}, {"macro_f1": 82.58}),
        ("opensubtitles", {"model": "T5"}, {"bleu-1": 34.07, "bleu-4": 1.63, "rouge-l": 35.35, "meteor": 38.53}),
        ("scrolls/qmsum", {"model": "BART-base", "input_tokens": 1024},
         {"rouge1": 30.2, "rouge2": 8.7, "rougeL": 20.7}),
        ("scrolls/gov_report", {"model": "LED-base", "input_tokens": 16_384},
         {"rouge1": 56.2, "rouge2": 26.6, "rougeL": 28.8}),
        ("scrolls/quality", {"model": "Naive"}, {"exact_match": 25.2, "exact_match_hard": 26.1}),
        ("scrolls/narrative_qa", {"table": "Table 4"}, {"bleu": 15.53}),
        ("scrolls/narrative_qa", {"model": "Human"}, {"f1": 58.7}),
        ("zero_scrolls/book_sum_sort", {"model": "GPT-4"}, {"concordance_index": 60.5}),
        ("zero_scrolls/musique", {"model": "Flan-UL2"}, {"f1_ascii": 51.3}),
        ("zero_scrolls/space_digest", {"model": "Human"}, {"exponential_similarity": 93.3}),
        ("zero_scrolls/quality", {"model": "Flan-T5-xxl", "input_tokens": 2048}, {"accuracy": 59.8}),
        ("longbench/trec", {"model": "Vicuna-v1.5-7B-16k"}, {"classification_score": 71.5}),
        ("longbench/repobench-p", {"model": "ChatGLM3-6B-32k"}, {"code_sim_score": 54.76}),
        ("longbench/passage_retrieval_zh", {"input_tokens": 15_500}, {"retrieval_zh_score": 5.0}),
        ("infinitebench/en_mc", {"model": "Claude 2"}, {"choice_infinitebench": 62.88}),
        ("infinitebench/en_sum", {"model": "Yi-34B-200K"}, {}),
        ("zero_scrolls/gov_report", {"model": "CoLT5-xl"}, {"geometric_mean": 41.0}),
        ("longbench_v2", {"model": "GPT-4o (2024-08-06)", "table": "leaderboard, with CoT"},
         {"accuracy": 51.2, "accuracy_easy": 57.9, "accuracy_hard": 47.1, "accuracy_short": 53.9,
          "accuracy_medium": 50.7, "accuracy_long": 47.7}),
        ("longbench_v2", {"model": "DeepSeek-V3"}, {"accuracy": 48.7}),
        ("loogle/shortdep_cloze", {"model": "LongLLaMa-3B"}, {"cloze_partial_match": 2.13}),
        ("loogle/longdep_qa", {"model": "GPT4-32k", "table": "input length", "input_tokens": 24_000},
         {"bleu-1_loogle": 8.23, "bleu-4_loogle": 1.66, "rouge1_loogle": 14.92, "rouge4_loogle": 4.12,
          "rougeL_loogle": 13.9, "meteor_loogle": 10.6, "bert_score": 86.16, "gpt4_score": 50.61}),
    ],
)  # fmt: skip
def test_scores_are_the_printed_ones(task: str, conditions: dict[str, object], expected: dict[str, float]) -> None:
    assert scores(task, **conditions) == expected


def test_scrolls_averages_follow_from_its_other_scores() -> None:
    rows = pipelines.published("scrolls").rows
    systems = {(r.model, r.input_tokens): r.value for r in rows if r.metric == "score"}
    assert len(systems) == 7
    for (model, tokens), average in systems.items():
        scores_of = {
            (r.task.partition("/")[2], r.metric): r.value
            for r in rows
            if (r.model, r.input_tokens, r.table) == (model, tokens, "Table 2")
        }
        means = [
            cbrt(scores_of[task, "rouge1"] * scores_of[task, "rouge2"] * scores_of[task, "rougeL"])
            if key == "geometric_mean"
            else scores_of[task, key]
            for task, key in task_scores()["scrolls"].items()
        ]
        assert sum(means) / 7 == pytest.approx(average, abs=0.03)  # the printed scores are rounded


def test_zero_scrolls_averages_follow_from_its_other_scores() -> None:
    rows = pipelines.published("zero_scrolls").rows
    systems = [r for r in rows if r.metric == "score"]
    assert len(systems) == 8 + 11
    for average in systems:
        same = (average.model, average.input_tokens, average.table)
        row_of = {
            r.task.partition("/")[2]: r for r in rows if (r.model, r.input_tokens, r.table) == same and "/" in r.task
        }
        assert {task: row.metric for task, row in row_of.items()} == task_scores()["zero_scrolls"]
        assert sum(row.value for row in row_of.values()) / 10 == pytest.approx(average.value, abs=0.051)


def test_long_bench_v2_s_scores_follow_from_those_of_its_parts() -> None:
    parts = (("easy", 192), ("hard", 311)), (("short", 180), ("medium", 215), ("long", 108))
    systems: dict[tuple[str, str], dict[str, float]] = {}
    for row in pipelines.published("longbench_v2").rows:
        systems.setdefault((row.table, row.model), {})[row.metric] = row.value
    whole = [accuracies for (_, model), accuracies in systems.items() if model != "DeepSeek-V3"]
    assert len(whole) == 46
    for accuracies in whole:
        for shares in parts:
            mean = sum(accuracies[f"accuracy_{name}"] * count for name, count in shares) / 503
            assert mean == pytest.approx(accuracies["accuracy"], abs=0.1)


@pytest.mark.parametrize(("name", "places"), [("loogle", 2), ("longbench_v2", 1), ("longbench", 2)])
def test_tables_have_as_many_decimal_places_as_are_printed_two_at_most(name: str, places: int) -> None:
    assert decimals(pipelines.published(name).rows) == places


def test_tasks_and_metrics_have_this_project_s_names() -> None:
    rows = [row for name in FILES for row in pipelines.published(name).rows]
    benchmarks = {*FILES} - {*tasks.all_tasks()}
    grouped = {task.name for name in FILES for task in tasks.group(name)}
    unprinted = {task.name for task in tasks.group("leval") if task.metrics[0] in ("f1", "rouge", "topic_leval")}
    assert {row.task for row in rows} - benchmarks == (grouped - unprinted) | {"longbench_v2", "longbench_pro"}


def test_a_record_prints_source_table_and_the_warning() -> None:
    record = pipelines.published("scrolls/qmsum")
    lines = str(record).splitlines()
    assert lines[:4] == [
        "scrolls/qmsum: Shaham et al. 2022 (SCROLLS), Table 2 (test)",
        "  model      input tokens  rouge1  rouge2  rougeL",
        "  Naive                      14.2     2.0     9.3",
        "  BART-base           256    29.9     8.3    20.4",
    ]
    assert "scrolls/qmsum: Shaham et al. 2022 (SCROLLS), Table 4 (split not stated)" in lines
    assert any(line.startswith("  Shaham et al. 2022 (SCROLLS), Table 4: ") for line in lines)
    assert "Another split, another cleaning" in str(record).splitlines()[-1]
    as_dict = record.to_dict()
    assert as_dict["rows"][0] == {
        "task": "scrolls/qmsum", "model": "Naive", "metric": "rouge1", "value": 14.2, "split": "test",
        "source": "Shaham et al. 2022 (SCROLLS)", "table": "Table 2", "input_tokens": None,
    }  # fmt: skip
    assert as_dict["warning"] == record.warning


def test_a_name_without_benchmark_is_enough_where_it_is_unique() -> None:
    assert pipelines.published("squality").task == "zero_scrolls/squality"
    with pytest.raises(UserError, match="several tasks are called 'qmsum'"):
        pipelines.published("qmsum")


def test_tasks_without_published_scores_are_refused() -> None:
    with pytest.raises(UserError, match="print no scores for nocha"):
        pipelines.published("nocha")
    with pytest.raises(UserError, match="print no scores for lara"):
        pipelines.published("lara")
    with pytest.raises(UserError, match=r"unknown task or benchmark 'scrols'; did you mean scrolls"):
        pipelines.published("scrols")


def test_the_figures_of_longbench_pro_and_oolong_are_those_of_their_files(realdata: Path) -> None:
    with (realdata / "longbench_pro" / "figures.csv").open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file))
    rows = {(row.table, row.model, row.metric): row.value for row in pipelines.published("longbench_pro").rows}
    for line in printed:
        model = f"{line['model']}, {line['mode']}"
        assert rows["overall", model, "longbench_pro"] == float(line["overall"])
        assert rows["overall", model, "pass_at_1"] == float(line["pass_at_1"])
        assert rows["by length", model, "256k"] == float(line["256k"])
        assert rows["by task", model, "longbench_pro_T6"] == float(line["T6. Aggregation & Clustering"])
    oolong = {(row.table, row.model, row.metric): row.value for row in pipelines.published("oolong").rows}
    lengths = [oolong["synth, by length", "gpt-5", f"{2**power} tokens"] for power in range(13, 18)]
    assert lengths == [85.56, 84.45, 76.12, 61.24, 46.36]
    assert sum(lengths) / 5 == pytest.approx(oolong["Table 4", "GPT-5", "oolong_synth"], abs=0.005)
