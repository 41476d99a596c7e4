"""Answers with quotes, and the threshold of support under which they are withheld.

The threshold is the lowest one at which the share of a document's questions that have a wrong answer shown is at most
`risk` in expectation, for a further document that is exchangeable with the calibration documents (conformal risk
control, `pipelines.statistics.risk_control`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longdoc.errors import UserError
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.statistics.risk_control import largest_threshold, units_needed
from pipelines.support import Claim, answer_support

WITHHELD = "not shown by the document"


@dataclass(frozen=True, slots=True)
class CertifiedAnswer:
    """An answer with its claims. `is_right` says whether it is, by a label or a metric; refusals are no answers."""

    id: str
    document: str
    prediction: str
    claims: tuple[Claim, ...]
    is_right: bool
    is_refusal: bool

    @property
    def support(self) -> float:
        """How well the document supports it, 0–1: as its worst claim."""
        return answer_support(self.claims)

    def is_shown(self, threshold: float) -> bool:
        """Whether it is shown: it answers, and its support is the threshold or more."""
        return not self.is_refusal and self.support >= threshold

    def record(self, threshold: float) -> dict[str, Any]:
        """For programs: what is shown in its place, its claims with their quotes, and the threshold."""
        is_shown = self.is_shown(threshold)
        text = self.prediction if is_shown or self.is_refusal else WITHHELD
        fields = {"id": self.id, "answer": text, "shown": is_shown, "support": self.support, "threshold": threshold}
        return fields | {"claims": [plain_fields(claim) for claim in self.claims]}


def check_documents(answers: Sequence[CertifiedAnswer], risk: float) -> None:
    """Raise `UserError` for a risk that is no share, or that so few documents cannot give."""
    if not 0 < risk < 1:
        raise UserError(f"risk must be between 0 and 1, got {risk}: give a share, as risk=0.1")
    documents = len({answer.document for answer in answers})
    if documents < (needed_count := units_needed(risk)):
        raise UserError(
            f"{counted(documents, 'document')} cannot give risk={risk:g}: {needed_count} are needed; give more, or a "
            f"risk of {1 / (documents + 1):.3f} or more"
        )


def certified_threshold(answers: Sequence[CertifiedAnswer], risk: float) -> float:
    """The lowest threshold of support with that risk. Raises `UserError`."""
    check_documents(answers, risk)
    values = sorted({answer.support for answer in answers})
    thresholds = [*values, values[-1] + 1]
    names = np.array([answer.document for answer in answers])
    wrong_table = np.array(
        [[answer.is_shown(value) and not answer.is_right for value in thresholds] for answer in answers]
    )
    losses = np.stack([wrong_table[names == name].mean(0) for name in dict.fromkeys(names.tolist())])
    choice = largest_threshold([-value for value in thresholds], losses, risk)
    assert choice is not None  # above all values nothing is shown, and check_documents says that 1/(n+1) is less
    return -choice[0]
