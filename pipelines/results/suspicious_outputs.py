"""Outputs that point to a wrong prompt, chat template or server, and not to what the model can do.

A model that answers "Yes" to every question has low scores, and nothing in them says why. Here each such kind gets a
line: a few short answers, or one long text, in place of all, questions refused that have an answer, special tokens in
the text. Outputs are judged by the references, so a task whose answers are yes and no, labels or "unanswerable" gets
none.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from longdoc.messages import counted
from longdoc.words import words
from models.refusals import refuses
from pipelines.display.numbers import shortened
from pipelines.prompts.closed_answers import LETTERS, short_of
from pipelines.records import Prediction
from pipelines.results.few_answers import MIN_OUTPUTS, OPEN_SHARE, Overuse, ShortAnswer, is_closed, is_letter, overuse
from pipelines.results.special_tokens import special_token
from pipelines.statistics.binomial import upper_tail

SHORT_WORDS, SHORT_CHARACTERS = 3, 40  # the most of a short text
ABSTAIN_SHARE = 0.2  # of the questions that have an answer: honest runs that were shown it abstain from at most 0.14
HONEST_SHARE = 0.1  # that honest runs are taken to abstain from: over 100 published ones, nine in ten have less
CHANCE = 0.01  # probability of so many abstentions by chance, for an honest run
TOKENS_SHARE = 0.01  # of the outputs, that may hold special tokens: a published run has 1 of 1,000

_LETTERED = re.compile(r"\s*\(?([A-Z])(?:\)|[.:](?=\s|$)|\s*(?:\n|$))")  # "B", "(B) the mill", "B. the mill"


@dataclass(slots=True)
class SuspiciousOutputs:
    """Collects predictions one by one; of their texts it keeps only short ones.

    `answers` are the predictions with references, `choices` the letters of the options chosen and right, where they are
    known. `spellings` has each short text as it was first written. `answerable` counts questions that have an answer,
    `abstained` the outputs that abstain from it, `shown_…` the same for examples whose evidence was shown as a whole,
    or is not known; predictions that others made (without requests) are left out, as nobody knows what was shown.
    `tokens` counts outputs by their first special token, `wrong` those that are no reference by a digest of their text,
    and `beginnings` has how those begin that stand for several documents.
    """

    outputs: int = 0
    answers: list[ShortAnswer] = field(default_factory=list)
    choices: list[ShortAnswer] = field(default_factory=list)
    spellings: dict[str, str] = field(default_factory=dict)
    answerable: int = 0
    abstained: int = 0
    shown_answerable: int = 0
    shown_abstained: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    wrong: Counter[bytes] = field(default_factory=Counter)
    beginnings: dict[bytes, str] = field(default_factory=dict)
    _documents: dict[bytes, str] = field(default_factory=dict)  # the first of each text
    _shared: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_predictions(cls, predictions: Iterable[Prediction]) -> "SuspiciousOutputs":
        """The outputs of predictions that have their texts."""
        outputs = cls()
        for prediction in predictions:
            outputs.add(prediction)
        return outputs

    def add(self, prediction: Prediction) -> None:
        """Add a prediction to the counts."""
        output, references = prediction.prediction, prediction.references
        self.outputs += 1
        if (token := special_token(output)) and not any(token in text for text in (prediction.query, *references)):
            self.tokens[token] += 1
        if not references:
            return
        if output.strip() and output not in references:
            self._add_text(output, prediction.document)
        forms = tuple(self._short(text) for text in references)
        self.answers.append(ShortAnswer(self._short(output), self._shared.setdefault(forms, forms)))
        if prediction.choice:
            letter, right_letter = (LETTERS[prediction.choice[name] - 1].lower() for name in ("chosen", "right"))
            self.choices.append(ShortAnswer(letter, (right_letter,)))
        if prediction.requests and not any(map(_abstains, references)):
            is_shown, abstained = _is_evidence_shown(prediction), bool(output.strip()) and _abstains(output)
            self.answerable += 1
            self.abstained += abstained
            self.shown_answerable += is_shown
            self.shown_abstained += is_shown and abstained

    def messages(self) -> list[str]:
        """A line for each kind of suspicious outputs that occurs."""
        lines = (self._overuse() or self._same_text(), self._abstentions(), self._special_tokens())
        return [line for line in lines if line]

    def _add_text(self, output: str, document: str) -> None:
        digest = sha256(output.encode("utf-8", "surrogatepass")).digest()
        self.wrong[digest] += 1
        if self._documents.setdefault(digest, document) != document:
            self.beginnings.setdefault(digest, shortened(output, SHORT_CHARACTERS))

    def _same_text(self) -> str:
        """The line on one text that most outputs are, for several documents; else ""."""
        digest, count = next(iter(self.wrong.most_common(1)), (b"", 0))
        total, beginning = len(self.answers), self.beginnings.get(digest, "")
        if total < MIN_OUTPUTS or count < OPEN_SHARE * total or not beginning or _abstains(beginning):
            return ""
        return f'{count:,} of {counted(total, "output")} are the same text: "{beginning}"'

    def _overuse(self) -> str:
        """The line on a few short answers, or one option's letter, that are given too often; else ""."""
        counts, option_counts = overuse(self.answers), overuse(self.choices)
        if option_counts is not None and (counts is None or is_letter(counts.texts[0])):
            return _overuse_line(option_counts, f"option {option_counts.texts[0].upper()}")
        texts = [] if counts is None else [self.spellings[text] for text in counts.texts]
        if counts is None or all(map(_abstains, texts)):  # the line on abstentions says these
            return ""
        return _overuse_line(counts, " or ".join(f'"{text}"' for text in texts))

    def _abstentions(self) -> str:
        total, abstained = self.shown_answerable, self.shown_abstained
        if (
            total < MIN_OUTPUTS
            or abstained < ABSTAIN_SHARE * total
            or upper_tail(abstained, total, HONEST_SHARE) >= CHANCE
        ):
            return ""
        if self.answerable == len(self.answers):
            return f"{self.abstained:,} of {counted(self.answerable, 'output')} abstain; every question has an answer"
        if is_closed(self.answers):  # "not mentioned" is one of the labels
            return ""
        questions = counted(self.answerable, "question")
        return f"{self.abstained:,} of {questions} that have an answer are answered by an output that abstains"

    def _special_tokens(self) -> str:
        if self.tokens.total() <= TOKENS_SHARE * self.outputs:
            return ""
        verb = "contains" if self.tokens.total() == 1 else "contain"
        return (
            f"{self.tokens.total():,} of {counted(self.outputs, 'output')} {verb} special tokens such as "
            f"{self.tokens.most_common(1)[0][0]}, which are scored as words: check the model's chat template"
        )

    def _short(self, text: str) -> str:
        """The form in which short texts are compared: lower-case words, or the letter of an option; else ""."""
        if letter_match := _LETTERED.match(text):
            form, text = letter_match[1].lower(), letter_match[1]
        else:
            text = text.strip()
            text_words = words(text) if len(text) <= SHORT_CHARACTERS and "\n" not in text else []
            form = " ".join(text_words) if len(text_words) <= SHORT_WORDS else ""
        if form:
            self.spellings.setdefault(form, text)
        return form


def _overuse_line(counts: Overuse, texts: str) -> str:
    verbs = ["is" if number == 1 else "are" for number in (counts.outputs, counts.references)]
    return (
        f"{counts.outputs:,} of {counted(counts.total, 'output')} {verbs[0]} {texts}; "
        f"{counts.references:,} of {counted(counts.total, 'reference')} {verbs[1]}"
    )


def _abstains(text: str) -> bool:
    """Whether a text says that there is no answer, or is empty."""
    return refuses(text) or short_of(text) == "Unanswerable"


def _is_evidence_shown(prediction: Prediction) -> bool:
    """Whether the model was shown all gold evidence; True where none is known."""
    return prediction.evidence.get("shown", 0) >= prediction.evidence.get("characters", 0)
