"""The audit of `make audit`: what is installed against the list of tested versions with their SHA-256 sums."""

import importlib.util
import json
import os
import sys

import pytest

from tests.conftest import ROOT

SUM, OTHER = "a" * 64, "b" * 64
TEXT = rf"""numpy==2.4.6 \
    --hash=sha256:{SUM} \
    --hash=sha256:{OTHER}
Py_Stemmer==3.1.0 \
    --hash=sha256:{SUM}
"""


@pytest.fixture(scope="module")
def audit():
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    module = sys.modules["audit"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["audit"]


def report(name, version, found):
    archive = {"archive_info": {"hashes": {"sha256": found}}}
    return {"install": [{"download_info": archive, "metadata": {"name": name, "version": version}}]}


def test_a_pin_has_a_version_and_at_least_one_sum(audit):
    assert audit.pins_in(TEXT) == {
        "numpy": audit.Pin("2.4.6", frozenset({SUM, OTHER})),
        "py-stemmer": audit.Pin("3.1.0", frozenset({SUM})),
    }
    with pytest.raises(ValueError, match=r"not a version with SHA-256 sums: numpy==2\.4\.6"):
        audit.pins_in("numpy==2.4.6\n")


def test_the_list_of_this_project_fits_its_constraints_and_names_no_address(audit):
    text = audit.PINNED.read_text(encoding="utf-8")
    pins = audit.pins_in(text)
    assert audit.unfit(pins, audit.CONSTRAINTS.read_text(encoding="utf-8")) == []
    assert {"numpy", "torch", "pytest", "bandit", "pip-audit", "cyclonedx-bom"} <= set(pins)
    assert "://" not in text
    assert str(ROOT) not in text


def test_another_version_in_the_constraints_is_said(audit):
    assert audit.unfit(audit.pins_in(TEXT), "# numpy==1\nnumpy==2.4.7\ntorch==2.13.0\n") == [
        "numpy is 2.4.6 in .ci/pinned.txt and 2.4.7 in constraints.txt: make pins"
    ]


def test_another_version_and_a_file_with_another_sum_are_problems(audit):
    pins = audit.pins_in(TEXT)
    assert audit.differing(pins, {"numpy": "2.4.6", "other": "1"}, report("numpy", "2.4.6", OTHER)) == []
    assert audit.differing(pins, {"numpy": "2.4.5"}, None) == [
        "numpy 2.4.5 is installed, .ci/pinned.txt has 2.4.6: make clean, then make"
    ]
    assert audit.differing(pins, {}, report("numpy", "2.4.6", "c" * 64)) == [
        f"numpy 2.4.6 was installed from a file that .ci/pinned.txt does not have (sha256 {'c' * 64})"
    ]


def test_the_reports_of_all_set_ups_are_one(audit, tmp_path):
    assert audit.reported(tmp_path) is None
    for at, (name, reports) in enumerate(
        {
            "installed-9.json": report("numpy", "2.4.6", SUM),
            "installed-10.json": report("rich", "15.0.0", OTHER),
            "installed.json": report("NumPy", "2.4.6", OTHER),
        }.items()
    ):
        (tmp_path / name).write_text(json.dumps(reports), encoding="utf-8")
        os.utime(tmp_path / name, (at, at))
    assert list(audit.files_of(audit.reported(tmp_path))) == [("numpy", "2.4.6", OTHER), ("rich", "15.0.0", OTHER)]


def test_a_build_of_the_same_release_fits_and_what_was_not_compared_is_said(audit):
    pins = audit.pins_in(f"torch==2.13.0 \\\n    --hash=sha256:{SUM}\n")
    there = {"torch": "2.13.0+cpu", "longdoc": "1", "own-tool": "1"}
    assert audit.differing(pins, there, report("torch", "2.13.0+cpu", OTHER)) == []
    assert audit.remarks(pins, there, None) == [
        "not compared: the files' sums, since make did not install this environment",
        "not compared: the sums of torch 2.13.0+cpu, which no package index has",
        "not in .ci/pinned.txt: own-tool",
    ]


def test_pip_audit_counts_as_asked_only_where_it_has_data(audit):
    skipped = {"name": "numpy", "skip_reason": "not found"}
    known = {"name": "numpy", "version": "2.4.6", "vulns": [{"id": "CVE-1", "fix_versions": ["2.4.7"]}]}
    assert not audit.reachable(None)
    assert not audit.reachable({"dependencies": [skipped]})
    assert audit.reachable({"dependencies": [known]})
    assert audit.vulnerable({"dependencies": [known, skipped]}) == [
        "numpy 2.4.6: CVE-1 (fixed in 2.4.7)",
        "numpy was not audited: not found",
    ]
    assert audit.vulnerable(None) == ["pip-audit gave no answer for the whole list"]


@pytest.mark.parametrize("reached", [True, False])
def test_the_last_line_says_what_was_done(audit, reached, monkeypatch, capsys):
    whole = {"name": "numpy", "version": "2.4.6", "vulns": []}
    monkeypatch.setattr(audit, "asked", lambda *names: {"dependencies": [whole]} if reached else None)
    monkeypatch.setattr(audit, "installed", dict)
    assert audit.main() == 0
    last = capsys.readouterr().out.splitlines()[-1]
    number = len(audit.pins_in(audit.PINNED.read_text(encoding="utf-8")))
    if reached:
        assert last == f"audit: pip-audit looked for known vulnerabilities of {number} packages: nothing wrong"
    else:
        asked = "pip-audit's data cannot be had here; .ci/pinned.txt was compared instead"
        assert last == f"audit: {asked}, {number} packages: nothing wrong"
