"""Tables of ways over made-up rows, against numbers worked out by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.plugins.versus.condition_comparison import compare_conditions
from pipelines.plugins.versus.coverage import ConditionResults
from pipelines.records import Document, Example
from tests.pipelines.plugins.versus.made_up_runs import prediction, run, ways

EIGHT = [f"d{n}" for n in range(1, 9)]


def test_each_way_has_a_score_over_its_own_answers_and_one_over_those_of_all() -> None:
    conditions = ways(whole={"d1": 100, "d2": 0}, bm25={"d1": 40, "d2": 60, "d3": 20, "d4": 0})
    table = compare_conditions("qa", "test", conditions)
    whole, bm25 = table.ways
    assert (whole.scores["f1"], whole.common["f1"], whole.covered) == (50, 50, 2)
    assert (bm25.scores["f1"], bm25.common["f1"], bm25.covered) == (30, 50, 4)
    assert (table.examples, table.common_examples, table.common_documents) == (4, 2, 2)
    assert (whole.missing, bm25.missing) == ({"not asked": 2}, {})
    assert bm25.differences["f1"].value == 0


def test_p_is_the_exact_share_of_exchanges_of_documents_with_holms_correction() -> None:
    """Of 2^8 exchanges of eight documents that all agree two are as extreme: p = 2/256; twice that after Holm."""
    better, mixed = dict.fromkeys(EIGHT, 60.0), dict(zip(EIGHT, [60, 60, 60, 60, 60, 60, 60, 0], strict=True))
    table = compare_conditions("qa", "test", ways(whole=dict.fromkeys(EIGHT, 50.0), best=better, mixed=mixed))
    best, other = table["best"].differences["f1"], table["mixed"].differences["f1"]
    assert (best.value, best.p, best.p_holm) == (10, 2 / 256, 4 / 256)
    # differences 7 × +10 and −50: sum 20; exchanges as extreme: |±10 … ±10 ± 50| ≥ 20, all but those that sum to 10
    assert other.value == pytest.approx(2.5)
    sums = [
        abs(7 * 10 - 20 * minus + 50 * sign) for minus in range(8) for sign in (1, -1) for _ in range(_count(minus))
    ]
    assert other.p == sum(one >= 20 for one in sums) / 256
    assert other.p_holm == other.p


def _count(minus: int) -> int:
    from math import comb

    return comb(7, minus)


def test_documents_are_exchanged_whole() -> None:
    pairs = {f"d{n}-{m}": 10.0 for n in range(1, 6) for m in (1, 2)}
    table = compare_conditions("qa", "test", ways(whole=pairs, bm25=dict.fromkeys(pairs, 20.0)))
    assert table["bm25"].differences["f1"].p == 2 / 2**5
    assert (table.documents, table.common_documents) == (5, 5)


def test_refused_questions_have_no_answer_and_their_tokens_are_counted() -> None:
    refused = prediction("d2", 0.0, 300, outputs={"refused": 1})
    answered_and_refused = run([prediction("d1", 80.0), refused], {"d3": "too long (9 tokens)"})
    conditions = [ConditionResults("whole", "whole", answered_and_refused)]
    whole = compare_conditions("qa", "test", conditions).ways[0]
    assert (whole.covered, whole.scores["f1"], whole.tokens_in, whole.tokens_mean) == (1, 80, 400, 100)
    assert whole.missing == {"too long (9 tokens)": 1, "refused by the model": 1}


def test_reasons_that_differ_in_numbers_alone_are_counted_together() -> None:
    failures = {"d2": "over (5,070 tokens)", "d3": "over (9,000 tokens)", "d4": "no reply"}
    (whole,) = compare_conditions(
        "qa", "test", [ConditionResults("w", "whole", run([prediction("d1", 1.0)], failures))]
    ).ways
    assert whole.missing == {"over (5,070 tokens)": 2, "no reply": 1}


def test_the_whole_document_is_the_baseline_wherever_it_stands_and_its_absence_is_reported() -> None:
    scores = dict.fromkeys(EIGHT, 10.0)
    assert compare_conditions("qa", "test", ways(bm25=scores, whole=scores)).baseline == "whole"
    without = compare_conditions("qa", "test", ways(bm25=scores, tfidf=scores))
    assert without.baseline == "bm25"
    assert without.warnings == ("none of the ways has the whole document: the others are compared with bm25",)


def test_few_documents_give_a_warning() -> None:
    table = compare_conditions("qa", "test", ways(whole={"d1": 1, "d2": 2}, bm25={"d1": 2, "d2": 3}))
    assert table.warnings == ("with 2 documents no p can come out below 0.5: compare over more documents",)


def test_ways_without_a_common_example_are_not_compared_and_the_way_with_fewest_answers_is_named() -> None:
    table = compare_conditions("qa", "test", ways(whole={"d1": 10}, bm25={"d2": 20, "d3": 0}))
    assert table.common_examples == 0 and table["bm25"].differences == {} and table["bm25"].common == {}
    assert table.warnings == (
        "no example was answered by every way, so nothing is compared; whole answered the fewest: 1",
    )


def test_a_way_that_answered_nothing_is_left_out_of_the_comparison() -> None:
    conditions = [*ways(whole={"d1": 10.0}), ConditionResults("bm25", "retrieval", run([], {"d1": "no reply"}))]
    table = compare_conditions("qa", "test", conditions)
    assert table.common_examples == 1 and table["bm25"].covered == 0 and table["bm25"].scores == {}
    assert table.warnings[0] == "bm25 answered no example that counts: it is left out of the comparison"


def test_a_way_without_the_score_is_left_out_and_named() -> None:
    other = run([prediction("d1", 1.0)], metrics={})
    table = compare_conditions(
        "qa", "test", [*ways(whole={"d1": 10.0}), ConditionResults("bm25", "retrieval", other)], "f1"
    )
    assert table.warnings[0] == "bm25 has no f1: it is left out of the comparison"


def test_a_way_that_failed_keeps_its_reason() -> None:
    table = compare_conditions(
        "qa", "test", [*ways(whole={"d1": 10.0}), ConditionResults("bm25", "retrieval", "no such model")]
    )
    assert table["bm25"].error == "no such model"
    with pytest.raises(UserError, match="none of the ways has a result; the first: bm25: no such model"):
        compare_conditions("qa", "test", [ConditionResults("bm25", "retrieval", "no such model")])


def test_examples_with_other_references_are_left_out_and_counted() -> None:
    theirs = run([prediction("d1", 10.0, references=("no",)), prediction("d2", 30.0)], spec={})
    conditions = [*ways(whole={"d1": 50, "d2": 50}), ConditionResults("theirs", "other", theirs, source="file.jsonl")]
    table = compare_conditions("qa", "test", conditions)
    assert (table.common_examples, table["theirs"].differences["f1"].value) == (1, -20)
    assert table.warnings[0] == (
        "1 example left out of the comparison: the references differ between the ways, as between releases of a data "
        "set (d1 first)"
    )


def test_predictions_from_a_file_take_their_documents_from_a_run_and_have_no_tokens() -> None:
    ours = {"a-1": 10.0, "a-2": 10.0, "b-1": 10.0}
    theirs = run([prediction(id, 20.0, document=id) for id in ours], spec={})
    table = compare_conditions(
        "qa", "test", [*ways(whole=ours), ConditionResults("t", "other", theirs, source="f.jsonl")]
    )
    assert table["t"].documents == 2 and table["t"].differences["f1"].p == 2 / 2**2
    assert (table["t"].tokens_in, table["t"].tokens_mean, table["t"].cost) == (None, None, None)


def test_other_metric_settings_cannot_be_compared() -> None:
    other = run([prediction("d1", 1.0)], signature="f1|normalization:unicode|references:max", spec={})
    with pytest.raises(UserError, match="t cannot be compared with whole: other metric settings: f1"):
        compare_conditions("qa", "test", [*ways(whole={"d1": 1.0}), ConditionResults("t", "other", other, source="f")])


def test_a_way_that_repeats_another_is_compared_with_nothing() -> None:
    predictions = [prediction("d1", 5.0, request_digest="x"), prediction("d2", 5.0, request_digest="y")]
    same = run(predictions)
    conditions = [ConditionResults("whole", "whole", same), ConditionResults("bm25", "retrieval", same)]
    table = compare_conditions("qa", "test", conditions)
    assert table["bm25"].same_as == "whole" and table["bm25"].differences == {}


def test_an_unknown_score_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="rouge"):
        compare_conditions("qa", "test", ways(whole={"d1": 1.0}), "rouge")


def test_the_cost_is_that_of_the_run() -> None:
    paid = replace(run([prediction("d1", 1.0)]), usage={"cost": 0.25})
    assert compare_conditions("qa", "test", [ConditionResults("whole", "whole", paid)]).ways[0].cost == 0.25


def claims(**outputs: Sequence[str]) -> list[ConditionResults]:
    """Ways by name from the answers to four pairs of claims: "tf" is TRUE to the true one, FALSE to the other."""
    metric = metrics.get("pair_accuracy")
    words = {"t": "TRUE", "f": "FALSE", "?": "who knows"}
    conditions = []
    for name, pairs in outputs.items():
        predictions = []
        for number, letters in enumerate(pairs, 1):
            for label, letter in zip(("TRUE", "FALSE"), letters, strict=True):
                meta = {"pair": str(number)}
                example = Example(f"{number}-{label}", Document(f"d{number}", ""), "", (label,), meta=meta)
                row = metric.statistics(words[letter], example)
                without_row = prediction(example.id, 0.0, document=f"d{number}", references=(label,))
                predictions.append(replace(without_row, statistics={"pair_accuracy": row}))
        pairs_run = run(predictions, metrics={"pair_accuracy": {"name": "pair_accuracy"}}, signature="")
        conditions.append(ConditionResults(name, "whole" if name == "whole" else "retrieval", pairs_run, name))
    return conditions


def test_pairs_are_covered_whole_and_compared_over_those_that_every_way_answered() -> None:
    table = compare_conditions("qa", "test", claims(whole=["tf", "tf", "t?", "tf"], bm25=["tf", "tt", "tf", "??"]))
    whole, bm25 = table.ways
    assert table.primary_metric == "pair_accuracy"
    assert [(one.covered, one.documents, one.missing) for one in table.ways] == [
        (6, 3, {"in pairs without both answers": 2})
    ] * 2
    assert (whole.scores["pair_accuracy"], bm25.scores["pair_accuracy"]) == (100, pytest.approx(200 / 3))
    assert (table.common_examples, whole.common["pair_accuracy"], bm25.common["pair_accuracy"]) == (4, 100, 50)
    assert bm25.differences["pair_accuracy"].value == -50


def test_a_score_over_all_pairs_is_compared_over_all() -> None:
    ways = claims(whole=["tf", "tf", "t?", "tf"], bm25=["tf", "tt", "tf", "??"])
    table = compare_conditions("qa", "test", ways, "pair_accuracy_all")
    assert (table.common_examples, [one.covered for one in table.ways]) == (8, [8, 8])


def test_a_way_without_an_answered_pair_takes_nothing_from_the_others() -> None:
    table = compare_conditions("qa", "test", claims(whole=["tf", "tf", "tf", "tf"], silent=["??", "??", "t?", "??"]))
    assert (table.primary_metric, table.common_examples, table["silent"].covered) == ("pair_accuracy", 8, 0)
    assert table["silent"].common == {} and "silent answered no example that counts" in table.warnings[0]
    nothing = compare_conditions("qa", "test", claims(whole=["??"], silent=["??"]))
    assert (nothing.common_examples, nothing.primary_metric) == (2, "pair_coverage")
