"""Answers with the quotes that support their claims, withheld where these support them too little (`certify`).

Where calibration answers are given, of which it is known whether they are right, the threshold of support is the lowest
one at which the share of a document's questions that have a wrong answer shown is at most `risk` in expectation, for a
further document that is exchangeable with theirs (conformal risk control, `pipelines.statistics.risk_control`).
Without them nothing is withheld but what no quote supports at all, and there is no rate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from longdoc import record_checks
from longdoc.errors import UserError
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from longdoc.registry import construct, describe
from longdoc.specs import parse_arguments
from models.refusals import refuses
from pipelines import support as support_scores
from pipelines.records import Document
from pipelines.strategies.shared.calibration import HINT, Calibration, certified_threshold, read_calibration
from pipelines.support import Claim, Support, SupportedDocument, answer_support

MOST_DOCUMENTS = 100  # kept with their sentences
WITHHELD = "not shown by the document"


@dataclass(frozen=True, slots=True)
class CertificationRule:
    """What decides whether an answer is shown: the support score's description, the threshold, and what it promises.

    `risk` is None and `documents` is 0 without calibration answers: then there is no promise. `tasks` are theirs, and
    `readers` gave them, as far as runs name them.
    """

    support: Mapping[str, Any]
    threshold: float = 0.0
    risk: float | None = None
    documents: int = 0
    tasks: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What is promised, or that nothing is."""
        if self.risk is None:
            return "no error rate, since there are no calibration answers: what no quote supports at all is withheld"
        about = f"{counted(self.documents, 'document')} of {', '.join(self.tasks)}"
        about += f", answers of {', '.join(self.readers)}" if self.readers else ""
        return (
            f"wrong answers to at most {100 * self.risk:g}% of a document's questions are shown: calibrated on {about}"
        )

    def certified(self, answer: str, claims: Sequence[Claim]) -> "CertifiedText":
        """The answer with its claims, shown or withheld."""
        value, is_refusal = answer_support(claims), refuses(answer)
        is_shown = not is_refusal and value > 0 and value >= self.threshold
        return CertifiedText(answer, tuple(claims), value, is_refusal, is_shown)


@dataclass(frozen=True, slots=True)
class CertifiedText:
    """An answer as it was given, its claims with their quotes, and whether it is shown."""

    answer: str
    claims: tuple[Claim, ...]
    support: float
    is_refusal: bool
    is_shown: bool

    @property
    def is_withheld(self) -> bool:
        """Whether an answer was given and is not shown."""
        return not self.is_shown and not self.is_refusal


@dataclass(frozen=True)
class Certifier:
    """Finds the quotes of answers, and withholds what they support too little.

    `support` is a support score (by default "overlap", or that of the calibration). `calibration` is a file of
    `longdoc analyze certify --calibration`, or the record of a rule that was made of one, `risk` the share of a
    document's questions that may have a wrong answer shown: both or neither. A calibration of other tasks is refused
    for a run, unless `any_task`; one on answers of other readers, unless `any_reader`. Raises `UserError`, also for
    fewer documents than the risk needs.
    """

    support: Any = None
    calibration: Any = None
    risk: float | None = None
    any_task: bool = False
    any_reader: bool = False
    rule: CertificationRule = field(init=False, repr=False)
    _score: Support = field(init=False, repr=False, compare=False)
    _documents: dict[str, SupportedDocument] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.risk is None and self.calibration is not None:
            raise UserError("certify: calibration needs a risk, as in certify=calibration=FILE,risk=0.1")
        if self.risk is not None and self.calibration is None:
            raise UserError(f"certify: risk={self.risk:g} needs calibration answers, calibration=FILE: {HINT}")
        source: Calibration | CertificationRule | None = None
        if isinstance(self.calibration, Mapping):
            source = _rule_of_record(self.calibration)
        elif self.calibration is not None:
            source = read_calibration(self.calibration)
        default = "overlap" if source is None else source.support
        score = support_scores.get(default if self.support is None else self.support)
        object.__setattr__(self, "_score", score)
        object.__setattr__(self, "rule", _rule(describe(score), source, self.risk))

    def arguments(self) -> dict[str, Any]:
        """The fields by which it is made again, without the file of calibration."""
        fields = {"support": dict(self.rule.support), "any_task": self.any_task, "any_reader": self.any_reader}
        return fields | ({} if self.risk is None else {"calibration": plain_fields(self.rule), "risk": self.risk})

    def check_task(self, task: str) -> None:
        """Raises `UserError` for a task that the calibration answers are not of."""
        if self.rule.tasks and task not in self.rule.tasks and not self.any_task:
            raise UserError(
                f"certify: the calibration is of {', '.join(self.rule.tasks)}, not of {task}: calibrate on {task}, or "
                "give any_task=true as well"
            )

    def check_reader(self, reader: str) -> None:
        """Raises `UserError` for a reader whose answers the calibration does not have."""
        if self.rule.readers and reader not in self.rule.readers and not self.any_reader:
            raise UserError(
                f"certify: the calibration is of answers of {', '.join(self.rule.readers)}, not of {reader}: calibrate "
                f"on answers of {reader}, or give any_reader=true as well"
            )

    def certified(self, document: Document, answer: str, query: str) -> CertifiedText:
        """The answer to a question about a document, with its quotes."""
        return self.rule.certified(answer, self.supported(document).claims(answer, query))

    def supported(self, document: Document) -> SupportedDocument:
        """A document whose sentences support claims; the latest ones are kept."""
        found_document = self._documents.pop(document.id, None) or SupportedDocument(document.text, self._score)
        self._documents[document.id] = found_document  # now the latest
        while len(self._documents) > MOST_DOCUMENTS:
            self._documents.pop(next(iter(self._documents)))
        return found_document


def certifier_of(value: Any) -> Certifier:
    """The certifier of an argument: a support score's name, FIELD=VALUE,…, a mapping of fields. Raises `UserError`."""
    if isinstance(value, Certifier):
        return value
    if not isinstance(value, (str, Mapping)):
        raise UserError(f"certify must be a support score or fields, as 'overlap', got {type(value).__name__}")
    return construct(Certifier, "certify", parse_arguments(value) if isinstance(value, str) else value)  # type: ignore[no-any-return]


def _rule(
    support: Mapping[str, Any], calibration: Calibration | CertificationRule | None, risk: float | None
) -> CertificationRule:
    """The rule of a support score, calibrated where there are answers. Raises `UserError`."""
    if calibration is None or risk is None:
        return CertificationRule(support)
    if dict(calibration.support) != dict(support):
        raise UserError(
            f"certify: the calibration is of support {dict(calibration.support)}, not {dict(support)}: leave support "
            "out, or calibrate anew"
        )
    if isinstance(calibration, CertificationRule):
        if calibration.risk != risk:
            raise UserError(
                f"certify: this rule is of risk={calibration.risk}, not {risk:g}: give the calibration's file"
            )
        return calibration
    threshold = certified_threshold(calibration.answers, risk)
    documents = len({answer.document for answer in calibration.answers})
    return CertificationRule(support, threshold, risk, documents, calibration.tasks, calibration.readers)


_RULE_TESTS = {
    "support": record_checks.mapping(lambda value: True),
    "threshold": lambda value: record_checks.number(value) and isfinite(value),
    "risk": record_checks.maybe(record_checks.number),
    "documents": record_checks.count,
    "tasks": record_checks.each_item(record_checks.text),
    "readers": record_checks.each_item(record_checks.text),
}


def _rule_of_record(record: Mapping[str, Any]) -> CertificationRule:
    """The rule of a record. Raises `UserError` for what is none."""
    try:
        record_checks.check(record, _RULE_TESTS)
    except ValueError as error:
        raise UserError(f"certify: calibration is no rule ({error}): give the file of calibration") from None
    values = {name: record[name] for name in _RULE_TESTS}
    return CertificationRule(**{**values, "tasks": tuple(record["tasks"]), "readers": tuple(record["readers"])})
