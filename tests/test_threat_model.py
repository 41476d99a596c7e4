"""The page on threats names tests that exist, and the bounds of the code."""

import re

from longdoc import archives, interrupts, plain_json
from models.apis import _asking
from models.apis.sending import bounded, keys
from pipelines.documents import file_bytes
from pipelines.engine.planning.files import settings_file
from pipelines.sources import reading
from tests.conftest import ROOT
from tests.turns import for_each

TEXT = (ROOT / "docs" / "threat_model.md").read_text(encoding="utf-8")


@for_each("name", sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", TEXT))))
def test_every_named_test_exists(name):
    path, _, function = name.partition("::")
    assert (ROOT / path).is_file()
    assert f"def {function}" in (ROOT / path).read_text(encoding="utf-8")


def test_the_bounds_are_those_of_the_code():
    assert (bounded.MOST_BYTES, _asking.TOKENS_PER_TIMEOUT, interrupts.WAIT) == (64 << 20, 4096, 10)
    assert (archives.MEMBERS, archives.RATIO, archives.FREE, archives.TOTAL) == (10_000, 5_000, 1 << 30, 256 << 30)
    assert (file_bytes.LIMIT, file_bytes.PARTS, file_bytes.TAGS) == (64 << 20, 4, 2_097_152)
    assert (reading.LONGEST, plain_json.DEEPEST, keys.MINIMUM) == (67_108_864, 100, 16)
    assert (settings_file.LARGEST, settings_file.DEEPEST, settings_file.MOST_VALUES) == (1 << 20, 32, 262_144)
