"""A linear classifier of the passages: TF-IDF of words and of letter sequences, logistic regression (scikit-learn).

With more features than texts, balanced weights let every text of the rarer class count more on its own, and what
balances the fit on the training texts, the intercept, leans to the commoner class on all others. The lean is measured
on texts held out in turn, and taken off.
"""

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from longdoc.words import is_plain, re_pattern, unspaced
from models import saved
from models.classical import _vectorizers
from models.prompts import Prompt
from models.requests import Classify, Reply, Request, TrainingExample
from models.truncation import TooLong, truncate
from models.word_reader import WordReader, check_limit

FOLDS = 5  # of the training split, to measure how the intercept leans
CROSSED = 8  # hexadecimal digits that stand for a query in a crossed word

_WORD = re.compile(r"(?u)\b\w+\b")  # of plain text; one letter is a word too


@dataclass(frozen=True)
class Linear(WordReader):
    """Answers Classify once it was fitted on the training split; trains in seconds.

    Features are the passages' words and runs of up to `words` of them, and sequences of 2 to `letters` letters within
    words, each set weighted by TF-IDF with 1 + ln(tf) and scaled to length 1 (0 leaves a set out). The instruction is
    not read, and the query only with `query`: then there are besides the passages' words each crossed with the query as
    a whole, so that every query of the training split has weights of its own, and one that it does not ask has those
    that all share; it goes with letters=0. `strength` is scikit-learn's `C`: larger fits the training split more
    closely. `balanced`: classes weigh alike, however many examples they have, else examples do. Without a word to read
    the probabilities are the classes' shares of the training split. `model` is a folder that `save` wrote. Nothing is
    random. Raises `UserError` for numbers out of range, for a folder that holds no such reader, and where there is
    nothing to learn.
    """

    words: int = 2
    letters: int = 4
    strength: float = 1.0
    max_input_tokens: int | None = None
    model: str | None = None
    query: bool = False
    balanced: bool = True

    supports = frozenset({Classify})
    can_save = True

    _model: list["_Model"] = field(default_factory=list, init=False, repr=False, compare=False)
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_limit(self.max_input_tokens)
        if self.words < 0 or self.letters < 0 or self.letters == 1 or self.words == self.letters == 0:
            raise UserError(
                f"linear: words must be at least 0 and letters 0 or at least 2, one of them not 0, "
                f"got words={self.words}, letters={self.letters}"
            )
        if self.query and self.letters:
            raise UserError("linear: query=true crosses words with the query, not letters: set letters=0 with it")
        if not 0 < self.strength < float("inf"):
            raise UserError(f"linear: strength must be a positive number, got {self.strength}")
        if self.model is not None:
            self._model.append(_Model.unpacked(*saved.load(self.model, "shares", "vectorizers", "classifier")))

    @property
    def labels(self) -> tuple[str, ...] | None:  # type: ignore[override]
        """The classes of the training split, sorted; None before."""
        return tuple(self._model[0].shares) if self._model else None

    @property
    def fitted(self) -> bool:  # type: ignore[override]
        """Whether it has been fitted."""
        return bool(self._model)

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Learn from the Classify training examples, of each the first reference. Raises `UserError` where there are
        none.
        """
        labelled_requests = [(example.request, example.references[0]) for example in examples]
        training_examples = [
            (self._read(request.text), label) for request, label in labelled_requests if isinstance(request, Classify)
        ]
        if not training_examples:
            raise UserError("linear: no training example has a label, so there is nothing to learn")
        counts = Counter(label for _, label in training_examples)
        shares = {label: counts[label] / len(training_examples) for label in sorted(counts)}
        labelled_texts = [(text, label) for text, label in training_examples if text.strip()]
        with self._lock:
            self._model[:] = [_Model(shares, self._pipeline(labelled_texts))]

    def save(self, folder: Path) -> None:
        """Write the fitted model to a folder that `models.get` reads."""
        (model,) = self._model
        saved.save(folder, model.packed())
        fields = {name: getattr(self, name) for name in ("words", "letters", "strength", "query", "balanced")}
        saved.describe(folder, {"name": "linear", **fields})

    def resolve(self) -> dict[str, Any]:
        """What a run records of a trained folder."""
        return saved.identity(self.model)

    def reply_to(self, request: Request) -> Reply:
        """The classes' probabilities; the prompt is truncated first. Raises `UserError` before it was fitted."""
        if not isinstance(request, Classify):
            raise self.unsupported(request)
        if not self._model:
            raise UserError("linear must be trained first: give data= a folder with train and test files")
        try:
            prompt = truncate(Prompt.of(request.text), self.max_input_tokens, count_words)
        except TooLong as error:
            return Reply.failed(str(error), error.fixed)
        return Reply(
            self._model[0].probabilities(self._read(prompt)),
            count_words([prompt.text])[0],
            truncated_tokens=prompt.truncated_tokens,
        )

    def _read(self, prompt: Prompt | str) -> str:
        """The passages' text, with `query` followed by its words crossed with the query."""
        prompt = Prompt.of(prompt)
        text = unicodedata.normalize("NFC", "\n".join(part.text for part in prompt.passages))
        if not self.query or not text.strip():
            return text
        query = " ".join(prompt.query.casefold().split())
        name = hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:CROSSED]
        words = _WORD.findall(text) if is_plain(text) else re.findall(re_pattern(), text)
        return "\n".join([text, *(f"{name}_{_crossable(word)}" for word in words)])

    def _pipeline(self, training_examples: Sequence[tuple[str, str]]) -> Any:
        """The fitted scikit-learn pipeline, None where all training examples have one label."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline, make_union

        texts, labels = [text for text, _ in training_examples], [label for _, label in training_examples]
        if len(set(labels)) < 2:
            return None
        vectorizers = []
        if self.words:
            pattern = _WORD.pattern if all(map(is_plain, texts)) else re_pattern()
            vectorizers.append(TfidfVectorizer(ngram_range=(1, self.words), token_pattern=pattern, sublinear_tf=True))
        if self.letters:
            vectorizers.append(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, self.letters), sublinear_tf=True))
        features = make_union(*vectorizers)
        matrix = features.fit_transform(texts)
        classifier = LogisticRegression(
            C=self.strength, class_weight="balanced" if self.balanced else None, max_iter=1000
        )
        classifier.fit(matrix, labels)
        if self.balanced:
            classifier.intercept_ -= _lean(classifier, matrix, labels)
        return make_pipeline(features, classifier)


def _crossable(word: str) -> str:
    """A word that the vectorizer keeps as one token behind a prefix; single letters become hexadecimal."""
    return word.encode("utf-8", "surrogatepass").hex() if unspaced(word) else word


@dataclass(frozen=True, slots=True)
class _Model:
    """The fitted model: the classes' shares, and a pipeline if there are two classes or more."""

    shares: dict[str, float]
    pipeline: Any

    @classmethod
    def unpacked(cls, shares: dict[str, float], vectorizers: Any, classifier: Any) -> "_Model":
        """The model that `packed` described."""
        from sklearn.pipeline import make_pipeline, make_union

        if classifier is None:
            return cls(shares, None)
        features = make_union(*map(_vectorizers.unpacked, vectorizers))
        return cls(shares, make_pipeline(features, classifier))

    def packed(self) -> dict[str, Any]:
        """The parts from which `unpacked` makes the model."""
        if self.pipeline is None:
            return {"shares": self.shares, "vectorizers": [], "classifier": None}
        (_, features), (_, classifier) = self.pipeline.steps
        vectorizers = [_vectorizers.packed(vectorizer) for _, vectorizer in features.transformer_list]
        return {"shares": self.shares, "vectorizers": vectorizers, "classifier": classifier}

    def probabilities(self, text: str) -> dict[str, float]:
        if self.pipeline is None or not text.strip():
            return dict(self.shares)
        (row,) = self.pipeline.predict_proba([text])
        values = dict(zip(map(str, self.pipeline.classes_), map(float, row), strict=True))
        return {label: values.get(label, 0.0) for label in self.shares}


def _lean(classifier: Any, matrix: Any, labels: Sequence[str]) -> Any:
    """The bias of decisions on unseen texts: the out-of-fold mean of each label's texts, averaged over labels."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    names, counts = np.unique(labels, return_counts=True)
    if counts.min() < 2:
        return 0.0
    folds = StratifiedKFold(min(FOLDS, int(counts.min())))
    unseen = cross_val_predict(classifier, matrix, labels, cv=folds, method="decision_function")
    return np.mean([unseen[np.array(labels) == name].mean(axis=0) for name in names], axis=0)
