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


def report(name, version, sha256):
    archive = {"archive_info": {"hashes": {"sha256": sha256}}}
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


def test_another_version_in_the_constraints_is_reported(audit):
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


def test_the_reports_of_all_set_ups_are_joined(audit, tmp_path):
    assert audit.reported(tmp_path) is None
    for time, (name, content) in enumerate(
        {
            "installed-9.json": report("numpy", "2.4.6", SUM),
            "installed-10.json": report("rich", "15.0.0", OTHER),
            "installed.json": report("NumPy", "2.4.6", OTHER),
        }.items()
    ):
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
        os.utime(tmp_path / name, (time, time))
    assert list(audit.files_of(audit.reported(tmp_path))) == [("numpy", "2.4.6", OTHER), ("rich", "15.0.0", OTHER)]


def test_a_build_of_the_same_release_fits_and_what_was_not_compared_is_reported(audit):
    pins = audit.pins_in(f"torch==2.13.0 \\\n    --hash=sha256:{SUM}\n")
    installed = {"torch": "2.13.0+cpu", "longdoc": "1", "own-tool": "1"}
    assert audit.differing(pins, installed, report("torch", "2.13.0+cpu", OTHER)) == []
    assert audit.remarks(pins, installed, None) == [
        "not compared: the files' sums, since make did not install this environment",
        "not compared: the sums of torch 2.13.0+cpu, which no package index has",
        "not in .ci/pinned.txt: own-tool",
    ]


def test_pip_audit_counts_as_reachable_only_if_it_has_data(audit):
    skipped = {"name": "numpy", "skip_reason": "not found"}
    audited = {"name": "numpy", "version": "2.4.6", "vulns": [{"id": "CVE-1", "fix_versions": ["2.4.7"]}]}
    assert not audit.reachable(None)
    assert not audit.reachable({"dependencies": [skipped]})
    assert audit.reachable({"dependencies": [audited]})
    assert audit.vulnerable({"dependencies": [audited, skipped]}) == [
        "numpy 2.4.6: CVE-1 (fixed in 2.4.7)",
        "numpy was not audited: not found",
    ]
    assert audit.vulnerable(None) == ["pip-audit gave no answer for the whole list"]


@pytest.mark.parametrize("reached", [True, False])
def test_the_last_line_says_what_was_done(audit, reached, monkeypatch, capsys):
    numpy = {"name": "numpy", "version": "2.4.6", "vulns": []}
    monkeypatch.setattr(audit, "asked", lambda *names: {"dependencies": [numpy]} if reached else None)
    monkeypatch.setattr(audit, "installed", dict)
    assert audit.main() == 0
    last = capsys.readouterr().out.splitlines()[-1]
    number = len(audit.pins_in(audit.PINNED.read_text(encoding="utf-8")))
    if reached:
        assert last == f"audit: pip-audit looked for known vulnerabilities of {number} packages: nothing wrong"
    else:
        text = "pip-audit's data cannot be had here; .ci/pinned.txt was compared instead"
        assert last == f"audit: {text}, {number} packages: nothing wrong"
