import numpy as np
import pytest

import retrievers
from chunkers import Chunk
from retrievers.shared.texts import ranked_texts


def labelled_chunk(text, label):
    return Chunk(text, 0, len(text), label)


@pytest.mark.parametrize(
    ("text", "label", "ranked"),
    [
        ("The cat sat.", None, "The cat sat."),
        ("The cat sat.", "", "The cat sat."),
        ("The cat sat.", "Method > Data", "Method > Data\nThe cat sat."),
        ("Marie: I know.", "Marie", "Marie: I know."),
        ("## method\nThe cat sat.", "Method", "## method\nThe cat sat."),
        ("Methodical cats sat.", "Method", "Method\nMethodical cats sat."),
        ("Data\nThe cat sat.", "Method > Data", "Method\nData\nThe cat sat."),
        ("(Data) were given.", "(Data)", "(Data) were given."),
        ("", "Method", "Method\n"),
        ("猫が好きだ", "猫", "猫\n猫が好きだ"),
        ("猫\n好きだ", "猫", "猫\n好きだ"),
    ],
)
def test_a_label_comes_first_unless_the_text_begins_with_it(text, label, ranked):
    assert ranked_texts([labelled_chunk(text, label)], heading=True) == [ranked]
    assert ranked_texts([labelled_chunk(text, label)]) == [text]


@pytest.mark.parametrize("name", ["tfidf", "bm25"])
def test_words_of_the_heading_are_ranked_with_the_text_only_if_asked(name):
    chunks = [labelled_chunk("hen", "Fox"), labelled_chunk("owl", None)]
    assert retrievers.get(name).index(chunks).scores(["fox"]).tolist() == [[0, 0]]
    scores = retrievers.get(name, heading=True).index(chunks).scores(["fox"])[0]
    assert scores[0] > 0 and scores[1] == 0


def test_options_of_the_vectorizer_go_with_headings():
    chunks = [labelled_chunk("hen", "Fox"), labelled_chunk("owl", None)]
    scores = retrievers.get("tfidf:heading=true,stop_words=english").index(chunks).scores(["the fox"])[0]
    assert scores[0] > 0 and scores[1] == 0


def test_headings_are_encoded_with_the_text(encoder):
    chunks = [labelled_chunk("hen", "Fox"), labelled_chunk("owl", None)]
    index = retrievers.get("dense", model=encoder, heading=True).index(chunks)
    assert [text for _, text in encoder.encoded] == ["Fox\nhen", "owl"]
    assert np.isfinite(index.scores(["fox"])).all()
