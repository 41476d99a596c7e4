"""Prompts of benchmarks: several for the examples of one task, and labels before passages."""

import pytest

from longdoc.errors import UserError
from models.prompts import Part
from pipelines.prompts.benchmark_prompt import BenchmarkPrompt
from pipelines.records import Document, Example

PASSAGES = [Part("document", "three", 8, 13, 0), Part("document", "one", 0, 3, 1)]


def example(**meta: str) -> Example:
    return Example("e", Document("d", "one two three"), "Why?", meta=meta)


def test_an_examples_metadata_choose_its_prompt() -> None:
    texts = {"law": "Judge.\n{document}\n{query}", "novel": "{query}\n{document}"}
    template = BenchmarkPrompt(texts["law"], by="domain", texts=texts)
    assert template.render(example(domain="law"), PASSAGES).text == "Judge.\nthree\none\nWhy?"
    assert template.render(example(domain="novel"), PASSAGES).text == "Why?\nthree\none"
    with pytest.raises(UserError, match="unknown domain of the benchmark's prompts 'laws'; did you mean law"):
        template.render(example(domain="laws"), PASSAGES)


def test_passages_are_numbered_from_1_where_the_benchmark_labels_them() -> None:
    template = BenchmarkPrompt("{document}", label="Passage {number}:\n", separator="\n\n")
    assert template.render(example(), PASSAGES).text == "Passage 1:\nthree\n\nPassage 2:\none"
