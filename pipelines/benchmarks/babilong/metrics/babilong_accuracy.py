"""BABILong's accuracy (Kuratov et al. 2024; `babilong/metrics.py`): an output names the right label and no other.

Every bAbI task has a set of labels. An output, in lower case, counts up to its first full stop, and before `<context>`
or `<example>`. The labels in it, as parts of the text, without those that the question holds, must be the target, or
the targets where it has several with commas between (`qa8`: "apple,milk"; "e,e" of `qa19` is one label).

Two quirks of the code are kept, since the published figures rest on them: it cuts an output at "Question" as well, but
only after it has been put into lower case, which has no effect; and labels are parts of words, so that "none" holds
"one", and no output can be right where the target of `qa7` is "none".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError, unknown
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

ROOMS = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
YES_NO = ("no", "yes")
LABELS = {
    **dict.fromkeys(("qa1", "qa2", "qa3", "qa4", "qa11", "qa12", "qa13"), ROOMS),
    "qa5": ("bill", "fred", "jeff", "mary", "apple", "football", "milk"),
    "qa7": ("none", "one", "three", "two"),
    "qa8": ("apple", "football", "milk", "nothing"),
    **dict.fromkeys(("qa6", "qa9", "qa17", "qa18"), YES_NO),
    "qa10": ("maybe", "no", "yes"),
    "qa14": ("bedroom", "cinema", "kitchen", "office", "park", "school"),
    "qa15": ("cat", "mouse", "sheep", "wolf"),
    "qa16": ("gray", "green", "white", "yellow"),
    "qa19": ("e,e", "e,n", "e,s", "n,e", "n,n", "n,w", "s,e", "s,s", "s,w", "w,n", "w,s", "w,w"),
    "qa20": ("bedroom", "bored", "garden", "hungry", "kitchen", "thirsty", "tired"),
}
LONGEST_LABEL = 3  # characters of a target with a comma that is one label


@dataclass(frozen=True)
class BabilongAccuracy(Metric):
    """The share of outputs that name the target and no other label, 0–100; the key is "babilong_accuracy".

    The labels are those of the example's task, `meta["task"]` ("qa1" to "qa20"), or else of the first task of which the
    target is a label. Raises `UserError` for another task, and for a target that is not a label of any.
    """

    needs_example = True
    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "babilong_accuracy|output:lower case, to the first full stop|labels:those of the task but the question's"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the output names the target of a reference and no other label, else 0."""
        output, question = first_sentence(prediction), example.query.lower()
        right = False
        for reference in example.references:
            labels = labels_of(example, reference)
            output_labels = {label for label in labels if label in output and label not in question}
            right = right or sorted(output_labels) == sorted(targets(reference))
        return {"babilong_accuracy": 100.0 * right}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "babilong_accuracy")


def first_sentence(output: str) -> str:
    """The part of an output that is scored, in lower case."""
    sentence = output.lower().partition(".")[0]
    return sentence.partition("<context>")[0].partition("<example>")[0]


def targets(reference: str) -> list[str]:
    """The labels that a target consists of."""
    target = reference.lower()
    return target.split(",") if "," in target and len(target) > LONGEST_LABEL else [target]


def labels_of(example: Example, reference: str) -> Sequence[str]:
    """The labels among which an output has to name the target. Raises `UserError` where none are known."""
    if task := example.meta.get("task"):
        if task not in LABELS:
            raise unknown(f"task of example {example.id}", task, LABELS)
        return LABELS[task]
    for labels in LABELS.values():
        if set(targets(reference)) <= set(labels):
            return labels
    raise UserError(
        f"example {example.id}: the target {reference!r} must be a label of one of BABILong's tasks: fix the data, or "
        "use metric exact_match"
    )
