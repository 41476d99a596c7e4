"""Spread of information, worked out by hand."""

from math import sqrt
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.study.analysis.spread import deviation, first_positions
from pipelines.records import Document, Example

TEXT = "Anna keeps bees. Bert mends clocks, and Anna keeps bees in Vienna; Carla paints ships."
#       0    1     2     3    4     5       6   7    8     9    10 11      12    13     14


def example(name: str, *references: str, query: str = "", options: tuple[str, ...] = ()) -> Example:
    return Example(name, Document("d", TEXT), query, references, options)


def test_the_first_position_of_a_bigram_is_counted_in_words() -> None:
    places = first_positions(TEXT)
    assert places["anna", "keeps"] == 0
    assert places["bees", "bert"] == 2
    assert places["bees", "in"] == 9
    assert len(places) == 12  # two of the 14 bigrams occur twice


def test_spread_is_the_population_s_standard_deviation_of_the_positions() -> None:
    places = first_positions(TEXT)
    assert deviation("Bert mends; paints SHIPS", places) == 5.0  # bert mends 3, paints ships 13
    assert deviation("anna keeps bees", places) == 0.5  # 0 and 1
    assert deviation("anna keeps bees in Vienna", places) == pytest.approx(sqrt(20.5))  # 0, 1, 9 and 10: mean 5


def test_a_bigram_that_comes_twice_counts_once() -> None:
    assert deviation("anna keeps bees. anna keeps bees.", first_positions(TEXT)) == 0.5


def test_a_single_bigram_has_spread_zero_and_none_has_no_spread() -> None:
    places = first_positions(TEXT)
    assert [deviation(text, places) for text in ("Anna keeps", "Anna keeps wasps", "Bert mends, mends")] == [0.0] * 3
    assert [deviation(text, places) for text in ("", "Anna", "keeps wasps")] == [None] * 3


def test_outputs_with_a_single_bigram_are_counted_among_the_measured() -> None:
    spread = pipelines.spread(
        "scrolls/qasper", data=[example("a", "Bert mends; paints ships", "Anna keeps wasps", "Yes")]
    )
    assert (spread.values, spread.single, spread.left_out) == ([5.0, 0.0], 1, 1)
    assert (spread.quantiles.median, spread.to_dict()["single"]) == (2.5, 1) if spread.quantiles else False
    assert "|single:0|" in spread.signature


def test_every_reference_is_measured_or_counted_as_left_out() -> None:
    data = [example("a", "Bert mends; paints ships", "Vienna"), example("b", "anna keeps bees"), example("c")]
    spread = pipelines.spread("scrolls/qasper", data=data)
    assert (spread.values, spread.left_out, spread.without_output) == ([5.0, 0.5], 1, 1)
    assert (spread.task, spread.split, spread.looked_up) == ("scrolls/qasper", "validation", "references")


def test_the_question_is_no_part_of_the_input() -> None:
    spread = pipelines.spread("scrolls/qasper", data=[example("a", "who sings songs", query="Who sings songs?")])
    assert (spread.values, spread.left_out) == ([], 1)


def test_of_a_contract_the_hypothesis_is_looked_up() -> None:
    spread = pipelines.spread("contract_nli", data=[example("a", "Entailment", query="Bert mends, paints ships")])
    assert (spread.looked_up, spread.values) == ("queries", [5.0])


def test_a_letter_stands_for_its_option() -> None:
    options = ("Anna keeps wasps", "Bert mends, paints ships", "Carla", "Dora")
    spread = pipelines.spread("zero_scrolls/quality", data=[example("a", "(B)", "A", "B", options=options)])
    assert (spread.values, spread.left_out) == ([5.0, 0.0, 5.0], 0)


def test_a_record_prints_quantiles_and_a_histogram() -> None:
    spread = pipelines.spread("scrolls/qasper", data=[example("a", "Bert mends; paints ships", "anna keeps bees")])
    lines = str(spread).splitlines()
    assert lines[0] == "scrolls/qasper, validation: spread of the references' bigrams in the document, in words"
    assert lines[3] == "  2 measured, 0 of them by a single bigram (0), 0 left out (no bigram found)"
    assert lines[-1].split()[:4] == ["5", "–", "10", "1"] and "████" in lines[-1]
    plain = spread.to_dict()
    assert plain["histogram"] == {"edges": [0, 1, 2, 5, 10], "counts": [1, 0, 0, 1]}
    assert plain["quantiles"]["median"] == plain["quantiles"]["mean"] == 2.75
    assert plain["values"] == [5.0, 0.5]


def test_data_without_outputs_are_refused() -> None:
    with pytest.raises(UserError, match=r"no example of scrolls/qasper, split test, has an output"):
        pipelines.spread("scrolls/qasper", data=[example("a")], split="test")


def test_real_meetings_and_contracts_spread_as_the_paper_says(realdata: Path) -> None:
    meetings = pipelines.spread("scrolls/qmsum", data=realdata / "qmsum").quantiles
    contracts = pipelines.spread("scrolls/contract_nli", data=realdata / "contract_nli").quantiles
    assert meetings and 1_000 < meetings.median < 5_000  # section 4: hundreds and even thousands of words
    assert contracts and 100 < contracts.median < 500  # figure 4b: usually hundreds


def test_real_answers_with_one_bigram_in_their_paper_have_spread_zero(realdata: Path) -> None:
    spread = pipelines.spread("scrolls/qasper", data=realdata / "qasper")
    assert spread.single == sum(value == 0 for value in spread.values) > 0
