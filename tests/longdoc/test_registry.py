"""Components by name: their parameters, descriptions, and errors."""

from dataclasses import dataclass
from importlib.metadata import EntryPoints
from typing import Any, Literal

import pytest

import chunkers
import retrievers
from longdoc import extensions
from longdoc.construction import construct
from longdoc.errors import UserError
from longdoc.registry import describe, name_of
from models import encoders
from pipelines.plugins.training import recipe as training


@dataclass(frozen=True)
class Painter:
    """A component for these tests."""

    colours: tuple[str, ...] = ("red",)
    coats: int = 1
    finish: Literal["matt", "gloss"] = "matt"
    helper: Any = None


def test_the_first_unnamed_value_goes_to_the_first_field():
    assert construct(Painter, "painter", {None: ["blue"], "coats": 2}) == Painter(("blue",), 2)


def test_an_unknown_parameter_is_refused_with_the_nearest():
    with pytest.raises(UserError, match=r"unknown parameter of painter: 'coat'; did you mean coats\?"):
        construct(Painter, "painter", {"coat": 1})


@pytest.mark.parametrize(("field", "value"), [("coats", "two"), ("finish", "silk"), ("colours", [1])])
def test_a_badly_typed_parameter_is_refused_by_name(field, value):
    with pytest.raises(UserError, match=f"painter: {field} must be"):
        construct(Painter, "painter", {field: value})


@dataclass(frozen=True)
class Sieve:
    """A component with parameters of compound types."""

    sizes: tuple[Literal["fine", "coarse"], ...] = ()
    words: Literal["english"] | tuple[str, ...] | None = None
    share: float | None = None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"sizes": ["sentence"]}, "sizes must be a list of 'fine', 'coarse', got"),
        ({"words": "german"}, "words must be 'english' or a list of str or None, got 'german'"),
        ({"share": "half"}, "share must be float or None, got 'half'"),
    ],
)
def test_a_message_names_types_in_words(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        construct(Sieve, "sieve", fields)


def test_a_parameter_given_twice_is_refused():
    with pytest.raises(UserError, match="colours given twice"):
        construct(Painter, "painter", {None: ["a"], "colours": ["b"]})


def test_a_missing_parameter_is_named():
    @dataclass
    class Needy:
        size: int

    with pytest.raises(UserError, match="needy needs size"):
        construct(Needy, "needy", {})


def test_describe_fills_defaults_and_get_accepts_the_description():
    bm25 = retrievers.get("bm25:b=0.5")
    assert describe(bm25)["name"] == "bm25"
    assert retrievers.get(describe(bm25)) == bm25


def test_describe_nests_components():
    assert describe(Painter(helper=Painter()))["helper"]["coats"] == 1


def test_an_object_without_fields_is_described_as_unrepeatable():
    class Opaque:
        pass

    assert describe(Opaque())["repeatable"] is False


def test_our_components_are_named_by_file_and_others_by_module_and_class():
    assert name_of(retrievers.get("tfidf")) == "tfidf"
    assert name_of(Painter()).endswith(":Painter")


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(UserError, match=r"unknown retriever 'tfdif'; did you mean tfidf"):
        retrievers.get("tfdif")
    with pytest.raises(UserError, match=r"unknown retriever 'bm52'"):
        retrievers.get("bm52:b=0.5")


def test_a_component_comes_from_a_module_and_class(tmp_path, monkeypatch):
    (tmp_path / "workshop.py").write_text(
        "from dataclasses import dataclass\nfrom retrievers import Retriever\n"
        "@dataclass\nclass Mine(Retriever):\n    size: int = 1\n    def index(self, chunks): ...\n"
        "@dataclass\nclass Half(Retriever):\n    query_source: str = 'query'\n"
        "@dataclass\nclass Alien:\n    query_source: str = 'query'\n"
        "def made(size=2) -> Mine:\n    return Mine(size)\n"
        "def unsaid(size=2):\n    raise SystemExit('called')\n"
        "def other(size=2) -> 'Alien':\n    raise SystemExit('called')\n"
        "class Called:\n    def __init__(self):\n        raise SystemExit('called')\n"
        "number = 3\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert retrievers.get("workshop:Mine:size=3").size == 3
    assert describe(retrievers.get("workshop:Mine")) == {"name": "workshop:Mine", "size": 1}
    for nested in ("{workshop:Mine}", "{workshop:Mine:size=3}", "{workshop:Mine:3}"):
        (_, mine) = retrievers.get(f"hybrid:[bm25,{nested}]").retrievers
        assert (name_of(mine), mine.size) == ("workshop:Mine", 3 if "3" in nested else 1)
    with pytest.raises(UserError, match="no module 'garage' for the retriever garage:Mine"):
        retrievers.get({"name": "garage", None: "Mine"})
    with pytest.raises(UserError, match="module 'workshop' has no 'Yours'"):
        retrievers.get("workshop:Yours")
    with pytest.raises(UserError, match="no module 'garage'"):
        retrievers.get("garage:Mine")
    assert retrievers.get("workshop:made:size=5").size == 5
    with pytest.raises(UserError, match=r"retriever workshop:made: got an unexpected keyword argument 'colour'"):
        retrievers.get("workshop:made:colour=red")
    with pytest.raises(UserError, match=r"workshop:Half is not a retriever: it lacks index"):
        retrievers.get("workshop:Half")
    for name in ("Alien", "Called"):
        advice = r"it must be a class that extends retrievers\.Retriever; it lacks index"
        with pytest.raises(UserError, match=f"^workshop:{name} is not a retriever: {advice}"):
            retrievers.get(f"workshop:{name}")
    for name in ("unsaid", "other"):
        advice = r"a function must say that it returns a class that extends retrievers\.Retriever, as in: def "
        with pytest.raises(UserError, match=f"^workshop:{name} is not a retriever: {advice}{name}\\(\\) -> Retriever$"):
            retrievers.get(f"workshop:{name}")
    with pytest.raises(UserError, match="workshop:number is neither a class nor a function that makes a retriever"):
        retrievers.get("workshop:number")


@pytest.mark.parametrize("name", ["sys:exit", "os:system", "os:abort", "builtins:print"])
def test_a_builtin_function_is_not_a_component_and_is_not_called(name):
    problem = "is neither a class nor a function that makes a chunker: name a class that implements one"
    with pytest.raises(UserError, match=f"{name} {problem}"):
        chunkers.get(name)


def test_what_extends_no_contract_is_never_called():
    with pytest.raises(UserError, match="os:getcwd is neither a class nor a function"):
        chunkers.get("os:getcwd")
    for name in ("builtins:dict", "builtins:str", "subprocess:Popen"):
        with pytest.raises(
            UserError, match=rf"^{name} is not a chunker: it must be a class that extends chunkers\.Chunker"
        ):
            chunkers.get(name)
    with pytest.raises(
        UserError, match=r"^shutil:rmtree is not a chunker: a function must say that it returns a class"
    ):
        chunkers.get("shutil:rmtree")
    with pytest.raises(
        UserError, match=r"^builtins:dict is not an encoder: it must be a class with the methods of models"
    ):
        encoders.get("builtins:dict")


def test_an_object_that_is_not_a_component_is_refused():
    advice = r"give a name \(chunker='sentences'\), a mapping with one, or an object that extends chunkers\.Chunker$"
    with pytest.raises(UserError, match=f"<object .* is not a chunker: {advice}"):
        chunkers.get(object())


def test_a_recipe_without_a_required_attribute_is_refused():
    class Mine(training.Recipe):
        def __call__(self, job):
            raise NotImplementedError

    with pytest.raises(UserError, match=r"is not a recipe: it lacks trains"):
        training.get(Mine())


def test_a_mapping_needs_a_name_and_an_object_takes_no_fields():
    with pytest.raises(UserError, match="needs a 'name'"):
        retrievers.get({"k1": 1.0})
    with pytest.raises(UserError, match="takes no further fields"):
        retrievers.get(retrievers.get("tfidf"), norm="l1")


def test_the_entry_points_of_packages_are_read_once(monkeypatch):
    calls = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda: calls.append(None) or EntryPoints())
    monkeypatch.setattr(extensions, "_has_points_for_us", lambda place: True)
    caches = (extensions._entry_points, extensions._installed)
    for cache in caches:
        cache.cache_clear()
    try:
        for _ in range(3):
            assert {"bm25", "tfidf"} <= set(retrievers.names()) and "tokens" in chunkers.names()
    finally:
        for cache in caches:
            cache.cache_clear()
    assert calls == [None]
