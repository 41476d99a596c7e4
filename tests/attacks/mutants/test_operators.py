"""What mutation testing changes, and what it leaves alone."""

import ast
from pathlib import Path

import pytest

from tests.attacks.mutants.sample import GROUPS, group_of, modules, mutants_of_file, sample_of, shares
from tests.attacks.mutants.selection import test_files as files_of_tests
from tests.turns import for_each

FILE = "chunkers/example.py"
ROOT = Path(__file__).resolve().parents[3]


def changes(source: str) -> list[str]:
    return [f"{mutant.before} -> {mutant.after}" for mutant in mutants_of_file(FILE, source.encode())]


@for_each(
    ("source", "expected"),
    [
        ("a < b", ["a < b -> a <= b", "a < b -> a >= b"]),
        ("a == b != c", ["a == b != c -> a != b != c", "a == b != c -> a == b == c"]),
        ("a + b", ["a + b -> a - b"]),
        ("f'{a}' + b", []),
        ("a and b", ["a and b -> a or b", "a and b -> b", "a and b -> a"]),
        ("not a", ["not a -> a"]),
        ("a if b else c", ["a if b else c -> a if not b else c"]),
        ("[a for a in b if c]", ["[a for a in b if c] -> [a for a in b]"]),
        ("7", ["7 -> 8", "7 -> 6"]),
        ("True", ["True -> False"]),
        ("a[b:c]", ["a[b:c] -> a[:c]", "a[b:c] -> a[b:]"]),
        ("min(a)", ["min(a) -> max(a)"]),
        ("max(a, b)", ["max(a, b) -> min(a, b)"]),
        ("a.find(b)", ["a.find(b) -> a.rfind(b)"]),
        ("a.split(b)", []),  # rsplit does the same
        ("f(a, b)", ["f(a, b) -> f(b, a)"]),
        ("f(a, a)", []),
        ("f(a=b)", ["f(a=b) -> f()"]),
        ("zip(a, strict=True)", []),
    ],
)
def test_each_kind_of_expression_has_its_changes(source, expected):
    assert changes(f"with {source}:\n    pass") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f() -> list[int]:\n    return a", ["a -> []"]),
        ("def f() -> bool:\n    return a", ["a -> not a"]),
        ("def f(a: int = 0, *, b=c):\n    return", ["0 -> 1", "0 -> -1"]),
        ("for a in b:\n    break", ["b -> ()", "break -> continue"]),
        ("if a:\n    f()", ["a -> not a", "f() -> pass"]),
        ("try:\n    pass\nexcept KeyError:\n    pass", ["KeyError -> ()"]),
        ("a += b", ["a += b -> a -= b", "a += b -> pass"]),
        ("a = b", ["b -> None"]),
        ("raise a", ["raise a -> pass"]),
    ],
)
def test_each_kind_of_statement_has_its_changes(source, expected):
    assert changes(source) == expected


def test_what_only_a_reader_or_a_type_checker_sees_is_left_alone():
    source = '''"""Text."""
from a import b
__all__ = ["a"]
if TYPE_CHECKING:
    c = 1
Pairs = list[tuple[int, int]]
@cache(2)
def f(a: "Literal[3]") -> "int":
    """Text."""
    d: "int"
    assert a < 4
    return cast("int", a)
LOGGER.info("text %s", 5)
'''
    assert changes(source) == [
        "cast('int', a) -> None".replace("'", '"'),
        'LOGGER.info("text %s", 5) -> pass',
        "LOGGER.info(\"text %s\", 5) -> LOGGER.info(5, 'text %s')",
        "5 -> 6",
        "5 -> 4",
    ]


def test_a_change_is_made_where_the_code_is_also_after_letters_of_several_bytes():
    source = 'a = "é"; b = f(\n    c,\n    d,\n)\ne = 1\n'.encode()
    changed_sources = {mutant.before: mutant.applied(source).decode() for mutant in mutants_of_file(FILE, source)}
    assert changed_sources["f( c, d, )"].splitlines()[-1] == "e = 1"
    assert [ast.unparse(ast.parse(text)) for before, text in changed_sources.items() if before.startswith("f(")] == [
        "a = 'é'\nb = f(d, c)\ne = 1"
    ]


def test_a_sample_is_of_every_group_by_its_share_and_keeps_its_mutants_when_other_code_changes():
    files = {"chunkers/a.py": "a = 1\n" * 30, "retrievers/b.py": "f(1)\n" * 10, "pipelines/engine/c.py": "g(2)\n" * 20}
    mutants = [mutant for name, text in files.items() for mutant in mutants_of_file(name, text.encode())]
    counts = dict.fromkeys(GROUPS, 0) | {"chunkers": 6, "retrievers": 3, "pipelines/engine": 6}
    assert shares(mutants, 15) == counts
    before = [mutant.key for mutant in sample_of(mutants, 15, seed=1)]
    moved_mutants = [*mutants_of_file("chunkers/a.py", ("\n\n" + files["chunkers/a.py"]).encode()), *mutants[60:]]
    assert [mutant.key for mutant in sample_of(moved_mutants, 15, seed=1)] == before
    assert [mutant.key for mutant in sample_of(mutants, 15, seed=2)] != before


def test_every_package_has_mutants_and_each_module_once():
    packages = {path.relative_to(ROOT).parts[0] for path in modules(ROOT)}
    assert packages == {"longdoc", "chunkers", "models", "retrievers", "pipelines"}
    assert {group_of(str(path.relative_to(ROOT))) for path in modules(ROOT)} == set(GROUPS)
    assert len(modules(ROOT)) == len(set(modules(ROOT)))
    assert [group_of(f"pipelines/{name}.py") for name in ("cli/run", "sources/a/b", "records", "tasks/lara")] == [
        "pipelines/cli", "pipelines/sources", "pipelines", "pipelines",
    ]  # fmt: skip


def test_the_tests_of_a_module_are_those_of_the_folder_that_mirrors_its_own_or_of_the_nearest_above():
    files = files_of_tests(ROOT, "pipelines/plugins/study/logs/compare_logs.py")
    assert "tests/pipelines/plugins/study/logs/test_compare_logs.py" in files
    assert {file.rpartition("/")[0] for file in files} == {"tests/pipelines/plugins/study/logs"}
    assert {file.rpartition("/")[0] for file in files_of_tests(ROOT, "longdoc/nothing/deep/a.py")} == {"tests/longdoc"}
