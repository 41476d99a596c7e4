"""Answers with quotes, and whether they are right."""

from dataclasses import dataclass
from typing import Any

from longdoc.plain_values import plain_fields
from pipelines.strategies.shared.calibration import CalibrationAnswer
from pipelines.strategies.shared.certification import WITHHELD
from pipelines.support import Claim, answer_support


@dataclass(frozen=True, slots=True)
class CertifiedAnswer:
    """An answer with its claims. `is_right` says whether it is, by a label or a metric; refusals are no answers."""

    task: str
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

    @property
    def calibration(self) -> CalibrationAnswer:
        """What a threshold is calibrated on."""
        return CalibrationAnswer(self.document, self.support, self.is_right, self.is_refusal)

    def is_shown(self, threshold: float) -> bool:
        """Whether it is shown: it answers, and its support is the threshold or more."""
        return self.calibration.is_shown(threshold)

    def record(self, threshold: float) -> dict[str, Any]:
        """For programs: what is shown in its place, its claims with their quotes, and the threshold."""
        is_shown = self.is_shown(threshold)
        text = self.prediction if is_shown or self.is_refusal else WITHHELD
        fields = {"task": self.task, "id": self.id, "answer": text, "shown": is_shown}
        fields |= {"support": self.support, "threshold": threshold}
        return fields | {"claims": [plain_fields(claim) for claim in self.claims]}
