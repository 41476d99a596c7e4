"""The path of an agent, a step a line, and notes that are none."""

import pytest

from pipelines.results.run_folders.path_text import path_steps, path_text
from pipelines.strategies.shared.agent_path import PathStep


def test_each_step_is_a_line_with_its_spans() -> None:
    note = (
        '[{"tool": "search", "argument": "who  is\\nit", "spans": [[0, 22], [40, 62]], "result": "passages 1, 3"},'
        ' {"tool": "note", "argument": "Oslo", "spans": [], "result": "noted"}]'
    )
    assert path_text(note) == ("1. SEARCH: who is it -> passages 1, 3 (characters 0–22, 40–62)\n2. NOTE: Oslo -> noted")
    spans = ", ".join(f"[{i}, {i + 1}]" for i in range(9))
    assert path_text(f'[{{"spans": [{spans}]}}]').endswith("(characters 0–1, 1–2, 2–3, 3–4, 4–5, 5–6, …)")


@pytest.mark.parametrize("note", ["", "x", "{}", "[1]", "3", "[" * 5000])
def test_other_notes_stay_as_they_are(note: str) -> None:
    assert path_text(note) == note


def test_strange_steps_are_shown_and_no_error() -> None:
    assert path_text('[{"tool": 3, "spans": {"a": 1}}, {"spans": [1, [2]]}]') == "1. 3: -> \n2. : ->  (characters 2)"


def test_steps_have_short_texts_and_spans_that_are_some() -> None:
    note = (
        '[{"tool": "grep", "argument": "a  b", "spans": [[0, 22], [40, 30], [-1, 4], [true, 3], [1], "x", [1, 2.5]],'
        ' "result": "2 places"}, {"tool": 3, "spans": {"a": 1}}, {"argument": "' + "x" * 500 + '"}]'
    )
    first, second, third = path_steps(note)
    assert first == PathStep("GREP", "a b", ((0, 22),), "2 places")
    assert second == PathStep("3", "", (), "")
    assert third.argument == "x" * 200 + "…"


@pytest.mark.parametrize("note", ["", "x", "{}", "[1]", "3", "[" * 5000])
def test_other_notes_have_no_steps(note: str) -> None:
    assert path_steps(note) == []
