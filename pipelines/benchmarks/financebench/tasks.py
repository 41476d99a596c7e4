"""FinanceBench: questions of analysts about annual and quarterly reports, with evidence by page (Islam et al. 2023)."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.prompt_files import CLOSED_BOOK, PromptFile

NOTEBOOK = "evaluation_playground.ipynb"

TASKS = (
    Task(
        name="financebench",
        summary="questions about the annual and quarterly reports of companies, with evidence by page",
        dataset=DatasetInfo(repository="", files={}, layout="financebench", counts={"test": 150}),
        chunker="truncate:105000",
        retriever="all",
        model="google/flan-t5-base",
        prompt="Below are a company's filing and a question about it. Give a short answer with its figures.\n\n"
        "{document}\n\nQuestion: {query}\n\nAnswer:",
        prompt_file=PromptFile(
            NOTEBOOK,
            {"{context}": "document", "{question}": "query"},
            entry="inContext_reverse",
            forms={CLOSED_BOOK: f"{NOTEBOOK}::closedBook"},
        ),
        predictions="financebench",
        cut_at="token",
        metrics=("f1", "rouge", "numeric_match", "page_recall", *EVIDENCE_NAMES),
        max_new_tokens=2048,
        chat=ChatWords(
            "Answer a question about a filing of a company, which is an annual or quarterly report, or a release.",
            "Give a short answer with the figures that it rests on, and nothing else.",
            document="Filing",
        ),
        notes="The output length is that of the published code, which samples at temperature 0.01. The code keeps the "
        "first 105,000 tokens of a filing by GPT-4's count, or 95,000 by Claude 2's if that is less; here the "
        "reader counts. `--prompts-from FILE` reads its prompts from its notebook, which is never run: the one "
        "with the filing first (inContext_reverse), or by FILE::inContext the one with the question first. For "
        "passages it has no prompt; they take the filing's place. longdoc's `--prompt document_first` and "
        "`--prompt question_first` differ in the order alone.",
    ),
)
