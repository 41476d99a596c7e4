"""What docs/compatibility.md promises until 1.0 holds: names stay, and files that 0.4 reads are read."""

import json
import re

import pytest

from pipelines.builders import _folder as built_sets
from pipelines.cli import main
from pipelines.engine.batches import request_files
from pipelines.results import formats
from pipelines.results.conditions import versus_file as ways
from pipelines.training.shared import folder as trained
from tests import kept_names
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
KEPT = json.loads(kept_names.FILE.read_text(encoding="utf-8"))
READ_BY_0_4 = {
    "run.json": 3,
    "ablation.json": 2,
    "versus.json": 1,
    "batch.json": 2,
    "training.json": 1,
    "manifest.json": 1,
}


def read_now():
    """The oldest and the newest format of each record that is read."""
    return {
        "run.json": (formats.UPGRADED, formats.FORMAT),
        "ablation.json": (formats.OLDEST_ABLATION, formats.ABLATION_FORMAT),
        "versus.json": (ways.OLDEST, ways.FORMAT),
        "batch.json": (request_files.CHECKED[0], request_files.FORMAT),
        "training.json": (trained.FORMAT, trained.FORMAT),
        "manifest.json": (built_sets.FORMAT, built_sets.FORMAT),
    }


@pytest.fixture(scope="module")
def names():
    return kept_names.present()


@pytest.mark.parametrize("kind", KEPT)
def test_the_names_of_0_4_are_there(kind, names):
    assert kept_names.missing(KEPT[kind], names[kind]) == []


def test_a_name_that_is_gone_is_found():
    kept = {"run": ["--data", "--seed"], "ask": ["--seed"], "view": []}
    assert kept_names.missing(kept, {"run": ["--data"], "ask": ["--new", "--seed"]}) == ["view", "run --seed"]


def test_the_kept_names_are_written_as_they_are_read():
    assert kept_names.text(KEPT) == kept_names.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", READ_BY_0_4)
def test_the_formats_that_0_4_reads_are_read(name):
    assert read_now()[name][0] <= READ_BY_0_4[name]


def test_the_page_has_the_formats_of_the_code():
    told = dict(re.findall(r"^\| .*`([\w.]+)` \| ([\d–]+) \|$", PAGE, re.MULTILINE))
    assert told == {name: f"{old}–{new}" if new > old else str(new) for name, (old, new) in read_now().items()}


def test_the_page_has_the_exit_codes_of_the_code():
    from longdoc.interrupts import INTERRUPTED, TERMINATED

    told = set(map(int, re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)))
    assert told == {0, 1, 2, main.AWAITING_LIMIT, INTERRUPTED, TERMINATED}
