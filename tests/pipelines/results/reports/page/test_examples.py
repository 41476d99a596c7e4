"""What the page holds of a prediction."""

from pipelines.records import Prediction
from pipelines.results.reports.page.examples import _run_values


def test_the_path_of_an_agent_is_a_step_a_line_and_other_notes_are_as_they_are() -> None:
    path = '[{"tool": "read", "argument": "3", "spans": [[40, 62]], "result": "passage 3"}]'
    notes = {"path": path, "budget": "steps", "counts": "[1]"}
    prediction = Prediction("e", "d", "who?", (), "x", (), (), 1, 2, 3, 0, notes=notes)
    assert _run_values(prediction)["notes"] == {
        "path": "1. READ: 3 -> passage 3 (characters 40–62)",
        "budget": "steps",
        "counts": "[1]",
    }
