"""The software bill of materials of a release: CycloneDX, with the core and the extras."""

import json
import subprocess
import sys

import pytest

import longdoc
from tests.conftest import ROOT

pytest.importorskip("cyclonedx", reason="no cyclonedx-bom")


def write_sbom(path):
    """Write the bill of materials; return its text."""
    subprocess.run([sys.executable, ROOT / ".ci" / "sbom.py", path], check=True, capture_output=True)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return write_sbom(tmp_path_factory.mktemp("sbom") / "dist" / "longdoc.cdx.json")


def test_the_bill_is_valid_and_the_same_each_time_and_says_nothing_about_the_machine(text, tmp_path):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert write_sbom(tmp_path / "again.json") == text
    assert str(ROOT) not in text
    assert sys.prefix not in text
    assert "timestamp" not in text
    assert "serialNumber" not in text


def test_the_core_is_required_and_an_extra_is_optional(text):
    record = json.loads(text)
    main = record["metadata"]["component"]
    assert (main["name"], main["version"]) == ("longdoc", longdoc.__version__)
    parts = {part["name"]: part for part in record["components"]}
    assert parts["numpy"]["scope"] == parts["pyyaml"]["scope"] == "required"
    assert parts["torch"]["scope"] == "optional"
    assert parts["torch"]["purl"].startswith("pkg:pypi/torch@")
    assert "+" not in parts["torch"]["version"]
    assert {"name": "longdoc:required-by", "value": "neural"} in parts["torch"]["properties"]
    assert {"name": "longdoc:required-by", "value": "core"} not in parts["torch"]["properties"]
    assert {"name": "longdoc:not-resolved", "value": "faiss-gpu"} in main["properties"]
    assert "pytest" not in parts
    assert "bandit" not in parts


def test_every_part_lists_its_dependencies_and_nearly_every_part_its_license(text):
    record = json.loads(text)
    references = {part["bom-ref"] for part in record["components"]}
    dependencies = {entry["ref"]: entry.get("dependsOn", []) for entry in record["dependencies"]}
    assert references <= set(dependencies)
    assert all(set(needed) <= references for needed in dependencies.values())
    unlicensed = [part["name"] for part in record["components"] if not part.get("licenses")]
    assert len(unlicensed) < 5  # those give the text of their license instead of its name
