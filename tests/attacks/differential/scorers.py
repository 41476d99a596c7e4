"""Metrics beside rouge-score, sacrebleu, nltk, scikit-learn and scipy.

The published script of SQuAD is in no package that is installed here: F1 and exact match are compared with its figures
in tests/parity. Our BLEU follows the COCO captions scorer, whose guards against zero give a small number where
sacrebleu gives 0 (up to 3.2 where no prediction is as long as the order): there it is that number by its counts.
"""

import random
from functools import cache
from math import exp, prod
from typing import Any

from pipelines import metrics
from tests.attacks.differential.comparisons import Comparison, Differences

STEMS = (
    "gull",
    "ship",
    "wall",
    "cry",
    "rest",
    "sail",
    "old",
    "quick",
    "large",
    "hound",
    "été",
    "x_1",
    "42",
    "3",
    "a",
    "the",
)
WORDS = [*STEMS, *(word + ending for word in STEMS for ending in ("s", "ed", "ing", "ies"))]
MARKS = ("", "", "", ",", ".", ";", "'s", ".\n", " — ", "!")


def text(draw: random.Random, most: int = 30) -> str:
    """Words in either case with punctuation and line ends; few different ones, so that many are common."""
    vocabulary = draw.sample(WORDS, draw.choice((3, 8, 30)))
    words = draw.choices(vocabulary, k=draw.randint(0, most))
    return " ".join(
        draw.choice((str.lower, str.lower, str.upper, str.title))(word) + draw.choice(MARKS) for word in words
    )


def pair(draw: random.Random, most: int = 30) -> tuple[str, str]:
    """A prediction and a reference that share words: one is often the other with changes."""
    prediction = text(draw, most)
    if draw.random() < 0.3:
        return prediction, text(draw, most)
    words = prediction.split(" ")
    changed = [draw.choice(WORDS) if draw.random() < 0.3 else word for word in words if draw.random() < 0.8]
    return prediction, " ".join(changed)


def rouge(draw: random.Random, n: int) -> Differences:
    """ROUGE-1, -2 and -L with and without stemming, and ROUGE-Lsum; of two references the better one."""
    from rouge_score.rouge_scorer import RougeScorer

    kinds = ["rouge1", "rouge2", "rougeL"]
    scorers = {stemming: RougeScorer(kinds, use_stemmer=stemming) for stemming in (False, True)}
    lines = RougeScorer(["rougeLsum"])
    for _ in range(n):
        stemming = draw.random() < 0.5
        prediction, reference = pair(draw)
        references = [reference, text(draw)][: draw.randint(1, 2)]
        ours = metrics.get("rouge", stemming=stemming).score([prediction], [references])
        theirs = scorers[stemming].score_multi(references, prediction)
        summary = metrics.get("rouge_lsum").score([prediction], [references])["rouge_lsum"]
        differences = [abs(ours[kind] - 100 * theirs[kind].fmeasure) for kind in kinds]
        yield max(*differences, abs(summary - 100 * lines.score_multi(references, prediction)["rougeLsum"].fmeasure))


def bleu(draw: random.Random, n: int) -> Differences:
    """Corpus BLEU of all orders to 4 over a few examples of one to three references, on our tokens."""
    from sacrebleu.metrics import BLEU

    from pipelines.metrics.shared.words import words

    def tokens(sentence: str) -> str:
        return " ".join(words(sentence))

    for _ in range(n):
        pairs = [pair(draw) for _ in range(draw.randint(1, 4))]
        predictions = [prediction for prediction, _ in pairs]
        references = [[reference, *(text(draw) for _ in range(draw.randint(0, 2)))] for _, reference in pairs]
        order = draw.randint(1, 4)
        ours = metrics.get("bleu", n=order).score(predictions, references)[f"bleu-{order}"]
        columns = max(map(len, references))
        streams = [[tokens((row + row[-1:] * columns)[i]) for row in references] for i in range(columns)]
        scorer = BLEU(tokenize="none", smooth_method="none", max_ngram_order=order, force=True)
        theirs = scorer.corpus_score([tokens(prediction) for prediction in predictions], streams)
        yield abs(ours - (theirs.score or guarded(theirs)))


def guarded(bleu: Any) -> float:
    """The COCO scorer's BLEU by sacrebleu's counts, for a corpus in which an order has no match or no n-gram at all."""
    precisions = [(right + 1e-15) / (total + 1e-9) for right, total in zip(bleu.counts, bleu.totals, strict=True)]
    ratio = (bleu.sys_len + 1e-15) / (bleu.ref_len + 1e-9)
    return 100 * min(1.0, exp(1 - 1 / ratio)) * prod(precisions) ** (1 / len(precisions))


def bleu_loogle(draw: random.Random, n: int) -> Differences:
    """Sentence BLEU of one order: LooGLE's weights."""
    import warnings

    from nltk.translate.bleu_score import sentence_bleu

    for _ in range(n):
        prediction, reference = pair(draw)
        ours = metrics.get("bleu_loogle").score([prediction], [[reference]])
        words = [(sentence or "None").split() for sentence in (reference, prediction)]
        if not words[0] or not words[1]:  # white space alone, which nltk divides by
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = [sentence_bleu([words[0]], words[1], weights=weights) for weights in ((1,), (0, 0, 0, 1))]
        yield max(abs(ours[f"bleu-{k}_loogle"] - 100 * score) for k, score in zip((1, 4), theirs, strict=True))


class NoWordnet:
    """A WordNet that knows no word: what nltk takes to leave synonyms out."""

    def synsets(self, word: str) -> list[Any]:
        return []


def meteor(draw: random.Random, n: int) -> Differences:
    """METEOR of words and stems, on our tokens; of two references the better one."""
    from nltk.translate.meteor_score import meteor_score

    from pipelines.metrics.shared.words import words

    metric: Any = metrics.get("meteor", wordnet=False)
    for _ in range(n):
        prediction, reference = pair(draw, 40)
        references = [reference, text(draw)][: draw.randint(1, 2)]
        theirs = meteor_score(
            [words(reference_text) for reference_text in references], words(prediction), wordnet=NoWordnet()
        )
        yield abs(metric.score([prediction], [references])["meteor"] - 100 * theirs)


LABELS = ("hero", "villain", "neither", "Both of them")


def classes(draw: random.Random, n: int) -> Differences:
    """Accuracy and macro F1 over the labels that occur, of classes predicted at random."""
    from sklearn.metrics import accuracy_score, f1_score

    for _ in range(n):
        size = draw.randint(1, 40)
        actual, predicted = (draw.choices(LABELS[: draw.randint(1, 4)], k=size) for _ in range(2))
        ours = metrics.get("macro_f1", labels=LABELS).score(predicted, [[label] for label in actual])
        labels_present = sorted({*actual, *predicted})
        theirs = 100 * f1_score(actual, predicted, labels=labels_present, average="macro", zero_division=0)
        accuracy = metrics.get("accuracy").score(predicted, [[label] for label in actual])["accuracy"]
        yield max(abs(ours["macro_f1"] - theirs), abs(accuracy - 100 * accuracy_score(actual, predicted)))


def orders(draw: random.Random, n: int) -> Differences:
    """The concordance index of permutations is (tau + 1) / 2."""
    from scipy.stats import kendalltau

    for _ in range(n):
        gold = list(range(draw.randint(2, 30)))
        predicted = draw.sample(gold, len(gold))
        shuffled = draw.sample(gold, len(gold))
        score = _concordance().score([", ".join(map(str, predicted))], [[", ".join(map(str, shuffled))]])
        places = [shuffled.index(number) for number in predicted]
        yield abs(score["concordance_index"] - 50 * (float(kendalltau(gold, places).statistic) + 1))


@cache
def _concordance() -> Any:
    return metrics.get("concordance_index")


COMPARISONS = (
    Comparison("rouge, rouge_lsum", "RougeScorer", "rouge-score", 1e-9, rouge),
    Comparison("bleu-1 to bleu-4", "BLEU on the same tokens", "sacrebleu", 1e-4, bleu),
    Comparison("bleu_loogle", "sentence_bleu of one order", "nltk", 1e-9, bleu_loogle),
    Comparison("meteor without WordNet", "meteor_score", "nltk", 1e-9, meteor),
    Comparison("accuracy, macro_f1", "accuracy_score, f1_score", "scikit-learn", 1e-9, classes),
    Comparison("concordance_index", "kendalltau", "scipy", 1e-9, orders),
)
