"""The strongest plain ranker, against which the presets are measured: what is tried, and how it is chosen."""

import pytest

import retrievers
from benchmarks.evidence import summary
from benchmarks.evidence_families import FAMILIES, Measured, System
from benchmarks.evidence_setting import SETTINGS, STRONG, VECTORS, best, plain, presets
from chunkers import get
from longdoc.registry import describe

FAMILY = {family.name: family for family in FAMILIES}
RECALLS = {"a": (0.0, 50.0), "b": (50.0, 100.0), "own": (100.0, 100.0)}


def measured(recalls: tuple[float, ...]) -> Measured:
    rows = [
        {"evidence_recall": recall, "full_evidence": recall // 100 * 100, "answer_recall": recall, "has_evidence": 1.0}
        for recall in recalls
    ]
    return Measured({FAMILY["HotpotQA"].budget: rows}, [str(number) for number in range(len(recalls))])


@pytest.mark.parametrize("kind", SETTINGS)
def test_the_plain_rankers_are_ones_that_the_program_configures(kind: str) -> None:
    for spec in SETTINGS[kind].plain.values():
        assert retrievers.get(spec).query_source == "query"
    words = describe(retrievers.get(STRONG))
    assert (words["heading"], words["stop_words"], words["stem"]) == (True, "english", "english")


def test_each_ranks_the_peers_chunks_and_sentences() -> None:
    systems = plain(FAMILY["MuSiQue"], SETTINGS[VECTORS])
    assert list(dict.fromkeys(system.chunker for system in systems)) == [
        "tokens:size=200", "tokens:size=100", "units:of=paragraph", "units:of=sentence"
    ]  # fmt: skip
    assert all(get(system.chunker) for system in systems)


def test_the_strongest_is_the_one_with_the_highest_recall_at_the_family_s_budget() -> None:
    systems = [System(name, "sentences", "bm25") for name in ("a", "b")]
    known = {name: measured(recalls) for name, recalls in RECALLS.items()}
    strongest = best(known, systems, FAMILY["HotpotQA"].budget)
    row = summary(FAMILY["HotpotQA"], strongest, known["own"], known["a"], known["own"])
    assert [cell.split(" [")[0] for cell in row] == [
        "HotpotQA, 200 words", "b", "75.00 –", "100.00 –", "+25.00 –", "50.0 → 100.0", "75.0 → 100.0", "25.0", "100.0"
    ]  # fmt: skip


def test_the_preset_is_the_family_s_by_words_or_with_vectors() -> None:
    words, general = presets(FAMILY["ContractNLI"], SETTINGS[""])
    assert (words.name, general.name) == ("`evidence:clause`", "`evidence:general`")
    assert words.retriever["encoder"] == "none"
    assert "encoder" not in presets(FAMILY["ContractNLI"], SETTINGS[VECTORS])[0].retriever


def test_a_family_says_of_which_questions_its_files_are() -> None:
    assert [FAMILY[name].title for name in ("HotpotQA", "MuSiQue", "MuSiQue-3-4")] == [
        "HotpotQA", "MuSiQue (two hops only)", "MuSiQue-3-4 (three and four hops)"
    ]  # fmt: skip
