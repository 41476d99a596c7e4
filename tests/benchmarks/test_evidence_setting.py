"""Plain rankers, presets, and how the strongest plain ranker is chosen."""

import pytest

import retrievers
from benchmarks.evidence import summary
from benchmarks.evidence_families import FAMILIES, Measurements, System
from benchmarks.evidence_setting import SETTINGS, STRONG, VECTORS, best, plain, presets
from chunkers import get
from longdoc.registry import describe

FAMILY = {family.name: family for family in FAMILIES}
RECALLS = {"a": (0.0, 50.0), "b": (50.0, 100.0), "own": (100.0, 100.0)}


def measurements(recalls: tuple[float, ...]) -> Measurements:
    rows = [
        {"evidence_recall": recall, "full_evidence": recall // 100 * 100, "answer_recall": recall, "has_evidence": 1.0}
        for recall in recalls
    ]
    return Measurements({FAMILY["HotpotQA"].budget: rows}, [str(number) for number in range(len(recalls))])


@pytest.mark.parametrize("kind", SETTINGS)
def test_the_plain_rankers_are_retrievers_of_the_program(kind: str) -> None:
    for spec in SETTINGS[kind].plain.values():
        assert retrievers.get(spec).query_source == "query"
    strong = describe(retrievers.get(STRONG))
    assert (strong["heading"], strong["stop_words"], strong["stem"]) == (True, "english", "english")


def test_plain_rankers_rank_chunks_paragraphs_and_sentences() -> None:
    systems = plain(FAMILY["MuSiQue"], SETTINGS[VECTORS])
    assert list(dict.fromkeys(system.chunker for system in systems)) == [
        "tokens:size=200", "tokens:size=100", "units:of=paragraph", "units:of=sentence"
    ]  # fmt: skip
    assert all(get(system.chunker) for system in systems)


def test_the_strongest_is_the_one_with_the_highest_recall_at_the_family_s_budget() -> None:
    systems = [System(name, "sentences", "bm25") for name in ("a", "b")]
    by_name = {name: measurements(recalls) for name, recalls in RECALLS.items()}
    strongest = best(by_name, systems, FAMILY["HotpotQA"].budget)
    row = summary(FAMILY["HotpotQA"], strongest, by_name["own"], by_name["a"], by_name["own"])
    assert [cell.split(" [")[0] for cell in row] == [
        "HotpotQA, 200 words", "b", "75.00 –", "100.00 –", "+25.00 –", "50.0 → 100.0", "75.0 → 100.0", "25.0", "100.0"
    ]  # fmt: skip


def test_the_family_s_preset_has_an_encoder_only_with_vectors() -> None:
    words, general = presets(FAMILY["ContractNLI"], SETTINGS[""])
    assert (words.name, general.name) == ("`evidence:clause`", "`evidence:general`")
    assert words.retriever["encoder"] == "none"
    assert "encoder" not in presets(FAMILY["ContractNLI"], SETTINGS[VECTORS])[0].retriever


def test_a_title_says_which_of_the_task_s_questions_a_family_has() -> None:
    assert [FAMILY[name].title for name in ("HotpotQA", "MuSiQue", "MuSiQue-3-4")] == [
        "HotpotQA", "MuSiQue (two hops only)", "MuSiQue-3-4 (three and four hops)"
    ]  # fmt: skip
