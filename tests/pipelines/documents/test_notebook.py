"""Notebooks: cells and the output of their code."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import documents


def cell(kind: str, source: Any, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {}, "outputs": list(outputs)}


def test_cells_and_texts_are_read_and_pictures_are_not(tmp_path: Path) -> None:
    cells = [
        cell("markdown", ["# Tides\n", "High at noon. ![a map](data:image/png;base64,AAAA)"]),
        cell(
            "code",
            "# a comment\nprint(x)",
            {"output_type": "stream", "text": ["\x1b[31m40\x1b[0m\n"]},
            {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}},
            {"output_type": "execute_result", "data": {"text/html": "<b>41</b>", "text/plain": ["41"]}},
            {"output_type": "error", "ename": "ValueError", "evalue": "no tide", "traceback": ["…"]},
        ),
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    text = documents.read(path)
    assert text.text == ("# Tides\nHigh at noon. a map\n\n# a comment\nprint(x)\n\n40\n\n41\n\nValueError: no tide")
    assert text.marks == ((0, "Tides"),)


def test_cells_are_read_as_pages_and_markdown_are(tmp_path: Path) -> None:
    frame = "<style>.x{}</style><table><tr><th>Ship</th><th>2024</th></tr><tr><td>Crane</td><td>380</td></tr></table>"
    cells = [
        cell("markdown", "Tides\n=====\n10<sup>6</sup> waves"),
        cell("code", "df", {"output_type": "execute_result", "data": {"text/html": frame, "text/plain": "…"}}),
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    text = documents.read(path)
    assert text.text == "Tides\n=====\n10^6 waves\n\ndf\n\n| Ship | 2024 |\n| --- | --- |\n| Crane | 380 |"
    assert [(heading.level, heading.title) for heading in text.headings] == [(1, "Tides")]
    ((start, end),) = text.tables
    assert text.text[start:end].startswith("| Ship") and end == len(text.text)


def test_other_json_and_cut_off_notebooks_are_refused(tmp_path: Path) -> None:
    for source, message in (
        ('{"a": 1}', "has no cells, so it is not a notebook"),
        ('{"cells": [', "is damaged or was cut off"),
    ):
        (tmp_path / "a.ipynb").write_text(source)
        with pytest.raises(UserError, match=message):
            documents.read(tmp_path / "a.ipynb")
