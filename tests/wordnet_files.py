"""A fixture with WordNet."""

import pytest

from benchmarks import wordnet as files


@pytest.fixture(scope="session")
def wordnet() -> None:
    """Make nltk find WordNet 3.0 in this process; skip the test if there is none."""
    if not files.wordnet():
        pytest.skip(f"no WordNet: neither nltk's files nor {files.DEBIAN} (Debian: apt-get install wordnet-base)")
