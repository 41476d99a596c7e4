"""When a published score may stand beside a run's, and the reason where it may not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines import metrics, tasks
from pipelines.records import Prediction
from pipelines.results.leaderboards.comparable import difference_reason, sort_rows
from pipelines.results.leaderboards.published import PublishedRow, published
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores

ROW = next(row for row in published("character_types").rows)  # macro F1 of 86 characters
SIGNATURE = metrics.get(tasks.get("character_types").metrics[0]).signature


def prediction(number: int, references: tuple[str, ...] = ("a",)) -> Prediction:
    return Prediction(str(number), "d", "", references, "a", (), (), 1, 1, 1, 0)


def signed(signature: str) -> Scores:
    return Scores({"macro_f1": 50.0}, signatures={"macro_f1": signature})


def run(examples: int = 86, **changes: Any) -> Run:
    """A run of the whole test split of MuLD's character types, from its files."""
    whole_run = Run(
        Path("run"),
        "character_types",
        "test",
        {"data": {"files": []}, "prompt": {}},
        signed(SIGNATURE),
        {},
        tuple(prediction(number) for number in range(examples)),
        {"layout": "character_types"},
    )
    return replace(whole_run, **changes)


def test_a_run_of_the_benchmark_s_files_is_comparable() -> None:
    assert difference_reason(run(), ROW) == ""
    hub = {"data": {"repository": "ghomasHudson/muld"}, "prompt": {}}
    assert difference_reason(run(data={}, spec=hub), ROW) == ""


@pytest.mark.parametrize(
    ("tested_run", "reason"),
    [
        (run(split="validation"), "another split: test there, validation here"),
        (run(12), "12 of 86 examples"),
        (run(12, limit=12), "12 of 86 examples (limit=12)"),
        (run(100), "100 examples, where the benchmark has 86"),
        (run(85, failures={"e": "too long"}), "1 of 86 examples failed"),
        (run(data={"layout": "rows"}), "your own data"),
        (run(data={}), "the run does not say what its data were: start it again (it sends no new requests)"),
        (run(scores=Scores()), "no score macro_f1"),
        (run(scores=signed("macro_f1|labels:other")), "macro_f1 with other settings"),
        (
            run(spec={"prompt": {"wording": "own"}}, scores=signed(f"{SIGNATURE}|prompt:own wording")),
            "a prompt in our own words",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_differs_is_the_reason(tested_run: Run, reason: str) -> None:
    assert difference_reason(tested_run, ROW) == reason


def test_examples_without_references_are_a_reason() -> None:
    tested_run = run(loaded=(*run(85).predictions, prediction(85, ())))
    assert difference_reason(tested_run, ROW) == "1 of 86 examples have no references"


def test_a_whole_split_may_lack_one_in_a_hundred_a_part_of_it_nothing() -> None:
    row = next(row for row in published("vlsp").rows if row.metric == "bleu-1")
    signature = {"bleu-1": metrics.get("bleu-1").signature}
    papers = replace(
        run(478), task="vlsp", scores=Scores({"bleu-1": 1.0}, signatures=signature), data={"layout": "muld"}
    )
    assert difference_reason(papers, row) == ""
    assert difference_reason(replace(papers, limit=478), row) == "478 of 482 examples (limit=478)"
    assert difference_reason(replace(papers, loaded=papers.predictions[:477]), row) == "477 of 482 examples"
    assert difference_reason(replace(papers, data={"layout": "vlsp"}), row) == ""  # the papers themselves


def test_as_many_examples_of_other_documents_are_other_data() -> None:
    row = next(row for row in published("hotpotqa").rows if row.metric == "bleu-1")
    signature = {"bleu-1": metrics.get("bleu-1").signature}
    tested_run = replace(
        run(7405), task="hotpotqa", split="validation", scores=Scores({"bleu-1": 1.0}, signatures=signature),
        data={"layout": "hotpotqa"},
    )  # fmt: skip
    assert (
        difference_reason(tested_run, row)
        == "other data: HotpotQA's own paragraphs, where MuLD's documents are whole pages"
    )
    assert difference_reason(replace(tested_run, data={"layout": "muld"}), row) == ""


def test_a_row_must_be_comparable_with_all_runs() -> None:
    rows: list[PublishedRow] = list(published("character_types").rows)
    assert sort_rows(rows, [run(), run()]).comparable == tuple(rows)
    sorted_rows = sort_rows(rows, [run(), run(12, limit=12)])
    assert (sorted_rows.comparable, sorted_rows.other) == ((), {"12 of 86 examples (limit=12)": rows})
