"""The software bill of materials of a release: CycloneDX, of the core and of the extras."""

import json
import subprocess
import sys

import pytest

import longdoc
from tests.conftest import ROOT

pytest.importorskip("cyclonedx", reason="no cyclonedx-bom")


def made(place):
    subprocess.run([sys.executable, ROOT / ".ci" / "sbom.py", place], check=True, capture_output=True)
    return place.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return made(tmp_path_factory.mktemp("sbom") / "dist" / "longdoc.cdx.json")


def test_it_is_valid_and_equal_each_time_and_says_nothing_of_the_machine(text, tmp_path):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert made(tmp_path / "again.json") == text
    assert str(ROOT) not in text
    assert sys.prefix not in text
    assert "timestamp" not in text
    assert "serialNumber" not in text


def test_the_core_is_required_and_an_extra_is_optional(text):
    record = json.loads(text)
    main = record["metadata"]["component"]
    assert (main["name"], main["version"]) == ("longdoc", longdoc.__version__)
    parts = {one["name"]: one for one in record["components"]}
    assert parts["numpy"]["scope"] == parts["pyyaml"]["scope"] == "required"
    assert parts["torch"]["scope"] == "optional"
    assert parts["torch"]["purl"].startswith("pkg:pypi/torch@")
    assert "+" not in parts["torch"]["version"]
    assert {"name": "longdoc:required-by", "value": "neural"} in parts["torch"]["properties"]
    assert {"name": "longdoc:required-by", "value": "core"} not in parts["torch"]["properties"]
    assert {"name": "longdoc:not-resolved", "value": "faiss-gpu"} in main["properties"]
    assert "pytest" not in parts
    assert "bandit" not in parts


def test_every_part_has_its_dependencies_and_nearly_every_one_a_license(text):
    record = json.loads(text)
    known = {one["bom-ref"] for one in record["components"]}
    depends = {one["ref"]: one.get("dependsOn", []) for one in record["dependencies"]}
    assert known <= set(depends)
    assert all(set(others) <= known for others in depends.values())
    unlicensed = [one["name"] for one in record["components"] if not one.get("licenses")]
    assert len(unlicensed) < 5  # these give the whole text of theirs instead of a name
