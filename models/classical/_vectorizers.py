"""scikit-learn's TF-IDF vectorizers as a few arrays: a vocabulary of 200,000 terms takes skops minutes term by term."""

import json
from typing import Any

import numpy as np


def packed(vectorizer: Any) -> dict[str, Any]:
    """A fitted vectorizer's settings, terms in the order of their columns, and weights."""
    settings = {name: value for name, value in vectorizer.get_params().items() if name != "dtype"}
    settings |= {"dtype": np.dtype(vectorizer.dtype).name, "vocabulary": None}
    return {
        "settings": _bytes(settings),
        "terms": _bytes(vectorizer.get_feature_names_out().tolist()),
        "weights": vectorizer.idf_,
    }


def unpacked(fields: dict[str, Any]) -> Any:
    """The vectorizer that `packed` described."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    settings = _read(fields["settings"])
    settings |= {"ngram_range": tuple(settings["ngram_range"]), "dtype": np.dtype(settings["dtype"]).type}
    vectorizer = TfidfVectorizer(**settings | {"vocabulary": _read(fields["terms"])})
    vectorizer.idf_ = fields["weights"]
    return vectorizer


def _bytes(value: Any) -> Any:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _read(value: Any) -> Any:
    return json.loads(value.tobytes())
