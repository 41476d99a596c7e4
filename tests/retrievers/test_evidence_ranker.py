import json
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers import JudgedDocument
from retrievers.shared import learned_ranking

WORDS = ["mill", "river", "lamp", "winter", "spring", "wheel", "oak", "town"]


def document(chunks, at):
    """A document of eight units; the evidence is in the unit after the one with the question's word."""
    texts = [f"The {word} is here." for word in WORDS]
    shares = np.zeros((2, len(WORDS)), np.float32)
    shares[0, at] = shares[1, at + 1] = 1
    return JudgedDocument(str(at), chunks(*texts), [f"Where is the {WORDS[at - 1]}?", f"And the {WORDS[at]}?"], shares)


@pytest.fixture
def trained_folder(chunks, tmp_path):
    ranker = retrievers.get("evidence_ranker:signals=[bm25]")
    ranker.fit([document(chunks, at) for at in (1, 2, 3, 4)])
    ranker.save(tmp_path / "ranker")
    return tmp_path / "ranker"


def test_it_learns_where_evidence_is(chunks, trained_folder):
    index = retrievers.get(str(trained_folder)).index(document(chunks, 5).chunks)
    assert index.search(["Where is the wheel?"], 1)[1].tolist() == [[6]]


def test_the_folder_is_a_retriever_s_name_and_its_first_parameter(chunks, trained_folder):
    by_folder, by_name = retrievers.get(str(trained_folder)), retrievers.get(f"evidence_ranker:{trained_folder}")
    assert describe(by_folder) == describe(by_name)
    assert by_folder.signals == (retrievers.get("bm25"),)
    texts, questions = chunks("The oak.", "The mill."), ["oak?", "mill?"]
    assert np.array_equal(by_folder.index(texts).scores(questions), by_name.index(texts).scores(questions))
    assert retrievers.get(describe(by_folder)) == by_folder


def test_a_blank_question_scores_nothing(chunks, trained_folder):
    assert retrievers.get(str(trained_folder)).index(chunks("a", "b")).scores([" "]).tolist() == [[0, 0]]


def test_a_folder_that_was_trained_again_is_not_taken_for_the_old_one(chunks, trained_folder):
    record = describe(retrievers.get(str(trained_folder)))
    second = retrievers.get("evidence_ranker:signals=[bm25]")
    second.fit([document(chunks, at) for at in (1, 2)])
    second.save(trained_folder)
    with pytest.raises(UserError, match="was trained again: its weights are"):
        retrievers.get(record)


def test_a_folder_that_names_code_is_refused(trained_folder):
    file = trained_folder / "retriever.json"
    file.write_text(json.dumps({"name": "evidence_ranker", "signals": ["os.path:join"]}))
    with pytest.raises(UserError, match="which is code, and files can only name registered components"):
        retrievers.get(str(trained_folder))
    with pytest.raises(UserError, match="which is code, and files can only name registered components"):
        retrievers.get(f"evidence_ranker:{trained_folder}")


def test_other_signals_than_it_was_trained_with_are_refused(chunks, trained_folder):
    with pytest.raises(UserError, match="trained with other signals"):
        retrievers.get(f"evidence_ranker:{trained_folder},signals=[tfidf]").index(chunks("a"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("evidence_ranker:learner=forest", "learner must be one of 'auto', 'logistic', 'trees', got 'forest'"),
        ("evidence_ranker:signals=[first]", "signals must be retrievers that rank by the question"),
        ("evidence_ranker:signals=[]", "signals must be retrievers that rank by the question"),
    ],
)
def test_wrong_learners_and_signals_are_refused(spec, message):
    with pytest.raises(UserError, match=message):
        retrievers.get(spec)


def test_an_untrained_ranker_is_refused_with_the_command_that_trains_one(chunks):
    with pytest.raises(UserError, match="longdoc train TASK --model evidence_ranker --out FOLDER"):
        retrievers.get("evidence_ranker:signals=[bm25]").index(chunks("a"))


def test_a_folder_without_a_ranker_is_refused(tmp_path):
    with pytest.raises(UserError, match="does not hold an evidence_ranker"):
        retrievers.get(f"evidence_ranker:{tmp_path}")
    with pytest.raises(UserError, match=r"is not a trained retriever \(it has no retriever\.json\)"):
        retrievers.get(str(tmp_path))
    (tmp_path / "retriever.json").write_text("{")
    with pytest.raises(UserError, match=r"retriever\.json is not JSON"):
        retrievers.get(str(tmp_path))


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_units_that_all_have_the_same_evidence_cannot_be_learned_from(chunks, share):
    document = JudgedDocument("d", chunks("a", "b"), ["?"], np.full((1, 2), share, np.float32))
    with pytest.raises(UserError, match="in some units and not in others"):
        retrievers.get("evidence_ranker:signals=[bm25]").fit([document])


def test_learning_goes_on_until_it_has_converged(chunks, monkeypatch):
    draw, documents = np.random.default_rng(0), []
    for number in range(8):
        texts = [f"{' '.join(draw.choice(WORDS, draw.integers(2, 12)))}." for _ in range(40)]
        shares = np.zeros((1, len(texts)), np.float32)
        shares[0, draw.integers(len(texts))] = 1
        documents.append(JudgedDocument(str(number), chunks(*texts), [f"Where is the {draw.choice(WORDS)}?"], shares))
    ranker = retrievers.get("evidence_ranker:signals=[bm25,tfidf]")
    monkeypatch.setattr(learned_ranking, "STRENGTH", 1e4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ranker.fit(documents)


def product_documents(chunks, count):
    """Documents whose evidence has the question's word and a number, so that no single feature decides."""
    draw, documents = np.random.default_rng(0), []
    for number in range(count):
        words = [*draw.permutation(WORDS), *draw.permutation(WORDS)]
        texts = [
            f"The {word} of {year}." if year else f"The {word}."
            for word, year in zip(words, [1900, 0] * 8, strict=True)
        ]
        shares = np.zeros((1, 16), np.float32)
        shares[0, words.index(WORDS[number % 8])] = 1
        documents.append(JudgedDocument(str(number), chunks(*texts), [f"Where is the {WORDS[number % 8]}?"], shares))
    return documents


def test_boosted_trees_are_trained_saved_and_loaded(chunks, tmp_path):
    ranker = retrievers.get("evidence_ranker:signals=[bm25],learner=trees")
    documents = product_documents(chunks, 14)
    ranker.fit(documents)
    ranker.save(tmp_path)
    assert json.loads((tmp_path / "retriever.json").read_text())["learner"] == "trees"
    loaded = retrievers.get(str(tmp_path))
    assert loaded.learner == "trees"
    rows = [each.index(documents[0].chunks).scores(documents[0].questions).tolist() for each in (ranker, loaded)]
    assert rows[0] == rows[1]


def test_the_learner_is_chosen_from_the_documents_and_named_in_the_folder(chunks, tmp_path, trained_folder):
    assert retrievers.get(str(trained_folder)).learner == "logistic"  # four documents are few
    ranker = retrievers.get("evidence_ranker:signals=[bm25]")
    ranker.fit(product_documents(chunks, 14))
    ranker.save(tmp_path / "chosen")
    assert retrievers.get(str(tmp_path / "chosen")).learner in ("logistic", "trees")


def test_a_folder_of_version_0_4_without_a_learner_is_a_regression(chunks, trained_folder):
    file = trained_folder / "retriever.json"
    fields = json.loads(file.read_text())
    del fields["learner"]
    file.write_text(json.dumps(fields))
    index = retrievers.get(str(trained_folder)).index(document(chunks, 5).chunks)
    assert index.search(["Where is the wheel?"], 1)[1].tolist() == [[6]]


def test_another_learner_than_the_folder_s_is_refused(trained_folder):
    with pytest.raises(UserError, match="was trained with learner=logistic: leave learner= out"):
        retrievers.get(f"evidence_ranker:{trained_folder},learner=trees")
