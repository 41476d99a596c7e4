import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from pipelines.metrics import get
from pipelines.metrics.meteor import align, chunks

WITHOUT_FILES = """
import nltk.data
nltk.data.path[:] = []
from pipelines.metrics.shared import wordnet_files
wordnet_files.DEBIAN = wordnet_files.Path("nowhere")
from pipelines.metrics import NotComputable, get
print(get("meteor").signature)
try:
    get("meteor").score(["a gull"], [["a gull"]])
except NotComputable as error:
    print(error)
print(get("meteor:wordnet=false").score(["two gulls"], [["two gulls"]]))
"""


def meteor(prediction: str, *references: str, **fields: float) -> float:
    return get("meteor", wordnet=False, **fields).score([prediction], [references])["meteor"]


def test_a_perfect_prediction_pays_for_its_one_chunk() -> None:
    assert meteor("two grey gulls", "Two grey gulls.") == 100 * (1 - 0.5 * (1 / 3) ** 3)


def test_the_formula_weighs_recall_and_punishes_chunks() -> None:
    # four words match, in the runs "the gull" and "sat here", or "the gull", "sat" and "here"
    precision, recall = 4 / 5, 4 / 6
    balanced = precision * recall / (0.9 * precision + 0.1 * recall)
    two_runs, three_runs = (100 * balanced * (1 - 0.5 * (runs / 4) ** 3) for runs in (2, 3))
    assert meteor("the gull now sat here", "the gull sat here with him") == pytest.approx(two_runs)
    assert meteor("sat the gull now here", "the gull sat here with him") == pytest.approx(three_runs)


def test_stems_match() -> None:
    assert meteor("crying gulls", "cried gull") == 100 * (1 - 0.5 / 8)


def test_the_best_reference_counts() -> None:
    assert meteor("two grey gulls", "a ship", "two grey gulls") == meteor("two grey gulls", "two grey gulls")


@pytest.mark.parametrize(("prediction", "reference"), [("", "gull"), ("gull", "..."), ("", ""), ("gull", "ship")])
def test_without_a_match_it_is_0(prediction: str, reference: str) -> None:
    assert meteor(prediction, reference) == 0


def test_the_signature_has_nltks_rules_its_version_and_wordnet() -> None:
    assert get("meteor:wordnet=false").signature == (
        f"meteor|rules:nltk, not Meteor 1.3|nltk:{version('nltk')}|wordnet:no|alpha:0.9|beta:3.0|gamma:0.5"
        "|tokens:lower-case \\w+"
    )


def test_without_wordnet_files_the_error_says_how_to_get_them_and_what_works_without() -> None:
    root = Path(__file__).resolve().parents[3]
    environment = os.environ | {"PYTHONPATH": str(root)}
    completed = subprocess.run(
        [sys.executable, "-c", WITHOUT_FILES], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    signature, message, scores = completed.stdout.splitlines()
    assert "|wordnet:missing|" in signature
    assert message.endswith("wordnet (Debian, Ubuntu: apt install wordnet-base), or meteor:wordnet=false")
    assert scores == "{'meteor': 93.75}"


def first_letter(word: str) -> str:
    return word[0]


def test_equal_words_come_first_then_equal_stems_then_synonyms_of_stems() -> None:
    synonyms = {"x": ["y"]}
    pairs = align(["ab", "xb", "ac"], ["ac", "yb", "ad"], first_letter, lambda stem: synonyms.get(stem, []))
    assert pairs == [(0, 2), (1, 1), (2, 0)]


def test_without_synonyms_there_are_two_stages() -> None:
    assert align(["xb"], ["yb"], first_letter, None) == []


def test_the_last_hypothesis_word_takes_the_last_free_place() -> None:
    assert align(["a", "a"], ["a", "b", "a", "a"], str, None) == [(0, 2), (1, 3)]


def test_among_synonyms_the_last_place_is_taken() -> None:
    assert align(["a"], ["c", "b"], str, lambda word: ["b", "c"]) == [(0, 1)]


def test_a_word_is_matched_once() -> None:
    assert align(["a", "a", "a"], ["a"], str, lambda word: ["a"]) == [(2, 0)]


def test_chunks_are_runs_adjacent_in_both_texts() -> None:
    assert chunks([]) == 0
    assert chunks([(0, 0), (1, 1), (2, 2)]) == 1
    assert chunks([(0, 1), (1, 0)]) == 2
    assert chunks([(0, 0), (2, 1), (3, 2), (4, 4)]) == 3
