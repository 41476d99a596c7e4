"""Our modules do not import each other in a circle. Imports inside functions count, those for type checking do not."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

import pytest

from longdoc.own_packages import PACKAGES

grimp = pytest.importorskip("grimp", reason="import-linter is not installed (extra dev)")


def test_our_modules_do_not_import_each_other_in_a_circle() -> None:
    modules = grimp.build_graph("longdoc", *PACKAGES, "benchmarks", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: modules.find_modules_directly_imported_by(module) for module in modules.modules}
    assert len(imports) > 1_000
    assert _circle(imports) == ""


@pytest.mark.parametrize(
    ("imports", "circle"),
    [
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, ""),
        ({"a": {"b"}, "b": {"a"}}, "a → b → a"),
        ({"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}, "b → c → d → b"),
    ],
)
def test_a_circle_is_shown_from_its_first_module_by_name(imports: Mapping[str, set[str]], circle: str) -> None:
    assert _circle(imports) == circle


def _circle(imports: Mapping[str, set[str]]) -> str:
    """The modules of one circle, each of which imports the next; "" if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        names = error.args[1][-1:0:-1]
        first = names.index(min(names))
        return " → ".join([*names[first:], *names[: first + 1]])
    return ""
