"""Prompts by name: those that families of models were trained with, `prompt="t5"`, and two that differ in their order.

No run has them by default. The order of document and question matters: FinanceBench's authors found one model right in
79 % of their questions with the filing first, in 25 % with the question first (Islam et al. 2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from models.prompts import Part, Prompt
from pipelines.prompts.template import Template
from pipelines.records import Example


@dataclass(frozen=True, slots=True)
class PromptPreset(Template):
    """A prompt with two wordings: `text` for examples with a query, `without_query` for others."""

    without_query: str = "{document}"

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts."""
        text = self.text if example.query else self.without_query
        return Template(text, self.instruction, self.separator, self.cut_at).render(example, passages)


@dataclass(frozen=True, slots=True)
class Family:
    """The wordings of a model family, the models trained with them, and their source."""

    with_query: str
    without_query: str
    models: str
    source: str

    @property
    def prompt(self) -> PromptPreset:
        """The prompt with these wordings."""
        return PromptPreset(self.with_query, without_query=self.without_query)


FAMILIES = {
    "t5": Family(
        "question: {query} context: {document}",
        "summarize: {document}",
        "T5",
        "Raffel et al. 2020, appendix D (SQuAD, CNN/Daily Mail)",
    ),
    "flan": Family(
        "Read this and answer the question\n\n{document}\n\n{query}",
        "Write highlights for this article:\n\n{document}",
        "Flan-T5 and Flan-UL2",
        "github.com/google-research/FLAN, flan/v2/templates.py: one of ten of squad_v1, of cnn_dailymail",
    ),
    "unifiedqa": Family(
        "{query} \\n {document}",
        "{document}",
        "UnifiedQA, whose training texts were lower-cased besides",
        "github.com/allenai/unifiedqa: a backslash and an n separate question and context",
    ),
    "document_first": Family(
        "{document}\n\nQuestion about the text above: {query}\n\nAnswer:",
        "{document}",
        "any model, to be set beside question_first",
        "words of our own",
    ),
    "question_first": Family(
        "Question about the text below: {query}\n\n{document}\n\nAnswer:",
        "{document}",
        "any model, to be set beside document_first",
        "words of our own",
    ),
    "document": Family(
        "{document}",
        "{document}",
        "PEGASUS and BART fine-tuned to summarize",
        "Zhang et al. 2020 (PEGASUS), Lewis et al. 2020 (BART): the source document is the input",
    ),
}
