"""The picture of the packages in docs/architecture.md."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import documents

FOLDERS = sorted(path.parent.name for path in (documents.ROOT / "pipelines").glob("*/__init__.py"))


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(documents.ROOT / "docs" / "_generator")
    import architecture_picture

    return architecture_picture


def test_every_package_has_a_box_with_its_number_of_files(drawing) -> None:
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", drawing.picture())
    for name in (*FOLDERS, "longdoc", "chunkers", "models", "retrievers"):
        folder = documents.ROOT / ("pipelines" if name in FOLDERS else "") / name
        assert f"{name} · {len(list(Path(folder).rglob('*.py')))}" in labels


def test_lines_only_lead_down(drawing) -> None:
    numbers = {name: number for number, layer in enumerate(drawing.layers()) for name in layer}
    assert drawing.imports()
    for importing, imported in drawing.imports():
        assert numbers[importing] <= numbers[imported], (importing, imported)


def test_the_picture_is_an_svg_and_the_same_each_time(drawing) -> None:
    picture = drawing.picture()
    assert ElementTree.fromstring(picture).tag == "svg"  # noqa: S314  (our own picture)
    assert picture == drawing.picture()
