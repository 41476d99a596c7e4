"""Pages of templates: all text is escaped, and nothing is left out silently."""

import pytest
from jinja2 import UndefinedError
from lxml.html import fromstring

from pipelines.display import page

BASE = "display/templates/base.html"
VALUES = {"title": "runs", "brand": "longdoc", "main": "runs"}


def test_hostile_text_stays_text_in_elements_and_in_attributes() -> None:
    evil = "\"></title><script>alert(1)</script>' onload=x & {{ 7 * 7 }}"
    text = page.page(BASE, "b {}", "let a = 1 < 2;", **VALUES | {"title": evil, "main": evil})
    tree = fromstring(text)
    assert tree.findtext(".//title") == evil == tree.findtext(".//h1")
    assert tree.find(".//a").get("href") == f"#{evil}"
    assert [script.text for script in tree.iter("script")] == ["let a = 1 < 2;"]
    assert page.policy("b {}", "let a = 1 < 2;") in [meta.get("content") for meta in tree.iter("meta")]


def test_surrogates_without_their_other_half_become_replacement_characters() -> None:
    text = page.page(BASE, "", "", **VALUES | {"title": "a\ud800b\udfff"})
    assert text.encode().decode().count("<title>a\ufffdb\ufffd</title>") == 1


def test_a_value_that_a_template_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="brand"):
        page.page(BASE, "", "", title="runs", main="runs")
