"""The strongest plain ranker, against which the presets are measured: what is tried, and how it is chosen."""

import retrievers
from benchmarks.evidence_families import FAMILIES, Measured, System
from benchmarks.evidence_plain import PLAIN, against, plain, presets
from chunkers import get
from longdoc.registry import describe

FAMILY = {family.name: family for family in FAMILIES}
RECALLS = {"a": (0.0, 50.0), "b": (50.0, 100.0), "own": (100.0, 100.0)}


def measured(recalls: tuple[float, ...]) -> Measured:
    rows = [{"evidence_recall": recall, "has_evidence": 1.0} for recall in recalls]
    return Measured({FAMILY["HotpotQA"].budget: rows}, [str(i) for i in range(len(recalls))])


def test_the_plain_rankers_are_ones_that_the_program_configures() -> None:
    for spec in PLAIN.values():
        assert retrievers.get(spec).query_source == "query"
    words = describe(retrievers.get(PLAIN["bm25, headings, stop words, stems"]))
    assert (words["heading"], words["stop_words"], words["stem"]) == (True, "english", "english")


def test_each_ranks_the_peers_chunks_and_sentences() -> None:
    systems = plain(FAMILY["MuSiQue"], "hybrid of that and dense")
    assert [system.chunker for system in systems] == [
        "tokens:size=200", "tokens:size=100", "units:of=paragraph", "units:of=sentence"
    ]  # fmt: skip
    assert all(get(system.chunker) for system in systems)


def test_the_strongest_is_the_one_with_the_highest_recall_at_the_family_s_budget() -> None:
    systems = [System(name, "sentences", "bm25") for name in ("a", "b")]
    row = against(
        FAMILY["HotpotQA"], systems, System("own", None, "best"), {name: measured(of) for name, of in RECALLS.items()}
    )
    assert [cell.split(" [")[0] for cell in row] == [
        "HotpotQA, 200 words",
        "b",
        "75.00 –",
        "own",
        "100.00 –",
        "+25.00 –",
    ]


def test_the_preset_is_the_family_s_by_words_and_with_vectors() -> None:
    words, vectors = presets(FAMILY["ContractNLI"])
    assert (words.name, vectors.name) == ("`evidence:clause`, words only", "`evidence:clause`")
    assert words.retriever["encoder"] == "none" and "encoder" not in vectors.retriever


def test_a_family_says_of_which_questions_its_files_are() -> None:
    assert [FAMILY[name].title for name in ("HotpotQA", "MuSiQue", "MuSiQue-3-4")] == [
        "HotpotQA", "MuSiQue (two hops only)", "MuSiQue-3-4 (three and four hops)"
    ]  # fmt: skip
