"""Names are nouns of the field: in each package those that are everyday words may only become fewer."""

import pytest

from benchmarks.bound_names import PACKAGES, ROOT, bindings_in, bindings_of, everyday, is_everyday

CEILINGS = {"longdoc": 10, "chunkers": 11, "models": 66, "retrievers": 16, "pipelines": 215}
SLACK = 5  # so many fewer are let pass, that not every commit has to lower a ceiling

SOURCE = """
import json as given
from pathlib import Path

def found(query: str, *, known: int = 3) -> None:
    whole: str = query
    whole = query.strip()
    with open(query) as one, open(query):
        pass
    if (what := [word for one in query for word in one]):
        given_words = what

class MadeAgain:
    chunk: str

    def __init__(self) -> None:
        self.kept, self._one = 1, 2
        self.kept = 3

    def is_known(self) -> bool:
        return (lambda one: one)(self.kept)
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_names_that_are_everyday_words_become_fewer(package: str) -> None:
    count, ceiling = len(everyday(bindings_in([ROOT / package]))), CEILINGS[package]
    command = f"python -m benchmarks.bound_names {package} --list"
    assert count <= ceiling, f"{count} names in {package} are everyday words, {ceiling} may be: see `{command}`"
    assert count >= ceiling - SLACK, f"only {count} names in {package} are everyday words: lower its ceiling to {count}"


def test_a_name_counts_once_in_each_scope_that_binds_it() -> None:
    counted = everyday(bindings_of(SOURCE, "chunkers/of_one.py"))
    assert [(binding.line, binding.kind, binding.qualname) for binding in counted] == [
        (1, "module", "of_one"),
        (2, "import", "given"),
        (5, "function", "found"),
        (5, "parameter", "found.known"),
        (6, "variable", "found.whole"),
        (8, "variable", "found.one"),
        (10, "variable", "found.what"),
        (10, "variable", "found.one"),
        (13, "class", "MadeAgain"),
        (17, "attribute", "MadeAgain.kept"),
        (17, "attribute", "MadeAgain._one"),
        (21, "parameter", "MadeAgain.is_known.one"),
    ]


def test_all_names_that_a_module_binds_are_counted() -> None:
    assert len(bindings_of(SOURCE, "chunkers/of_one.py")) == 17


@pytest.mark.parametrize(
    "name", ["one", "_found", "KNOWN", "as_they_come", "made_again", "EachAlone", "of_run", "_in_words"]
)
def test_everyday_words_alone_count(name: str) -> None:
    assert is_everyday(name)


@pytest.mark.parametrize(
    "name", ["chunk", "given_arguments", "is_known", "found_passages", "WayTable", "_", "other", "k"]
)
def test_words_with_a_noun_and_usual_names_do_not_count(name: str) -> None:
    assert not is_everyday(name)
