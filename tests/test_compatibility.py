"""The promises of docs/compatibility.md: names stay, and old formats can still be read."""

import json
import re

import pytest

from pipelines.cli import main
from tests import kept_names
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
KEPT = json.loads(kept_names.FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def names():
    return kept_names.current_names()


@pytest.mark.parametrize("kind", KEPT)
def test_the_kept_names_and_formats_still_exist(kind, names):
    assert kept_names.missing(KEPT[kind], names[kind]) == []


def test_a_missing_name_is_found():
    kept = {"run": ["--data", "--seed"], "ask": ["--seed"], "view": []}
    assert kept_names.missing(kept, {"run": ["--data"], "ask": ["--new", "--seed"]}) == ["view", "run --seed"]


def test_the_kept_names_are_written_as_they_are_read():
    assert kept_names.text(KEPT) == kept_names.FILE.read_text(encoding="utf-8")


def test_the_page_has_the_formats_of_the_code():
    documented = dict(re.findall(r"^\| .*`([\w.]+)` \| ([\d–]+) \|$", PAGE, re.MULTILINE))
    read = kept_names.formats_read().items()
    assert documented == {name: "–".join(map(str, sorted({numbers[0], numbers[-1]}))) for name, numbers in read}


def test_the_page_has_the_exit_codes_of_the_code():
    from longdoc.interrupts import INTERRUPTED, TERMINATED

    documented = set(map(int, re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)))
    assert documented == {0, 1, 2, main.AWAITING, INTERRUPTED, TERMINATED}
