"""FinanceBench: questions of analysts about annual and quarterly reports, with evidence by page (Islam et al. 2023)."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.sources import DatasetInfo
from pipelines.strategies.shared.chat_words import ChatWords
from pipelines.tasks import Task
from pipelines.tasks.prompts.prompt_files import CLOSED_BOOK, PromptFile

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
        notes="Output length is that of its code (it samples at temperature 0.01), which keeps the first 105,000 tokens"
        " of a filing as GPT-4 counts them, or 95,000 as Claude 2 does, whichever is less; here the reader "
        "counts. Its prompts are in its notebook, which is read and never run: prompts_from=FILE takes the one "
        "with the filing first (inContext_reverse), FILE::inContext the one with the question first; for passages"
        " of a retriever it has none of its own, and they stand where the filing does. In our words "
        "prompt=document_first and prompt=question_first differ in the order alone. Answers are labelled by hand "
        "there: no scorer is official.",
    ),
)
