"""AA-LCR: questions that need several documents of a set of about 100,000 tokens (Artificial Analysis 2025)."""

from pipelines.sources import DatasetInfo
from pipelines.strategies.shared.chat_words import ChatWords
from pipelines.tasks import Task
from pipelines.tasks.prompts.prompt_files import PromptFile

TASKS = (
    Task(
        name="aa_lcr",
        summary="questions that need several documents of a set: reports, transcripts, laws, papers",
        dataset=DatasetInfo(repository="", files={}, layout="aa_lcr", counts={"test": 100}),
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt="Below are several documents and a question that they answer together. Give a short answer.\n\n"
        "{document}\n\nQuestion: {query}\n\nAnswer:",
        prompt_file=PromptFile(
            "prompt.txt",
            {"{documents}": "document", "{document}": "document", "{context}": "document", "{question}": "query"},
        ),
        predictions="aa_lcr",
        metrics=("f1", "rouge", "document_coverage", "answer_recall"),
        max_new_tokens=1024,
        chat=ChatWords(
            "Answer a question about several documents, which answer it together: each has its number and name above.",
            "Give a short answer and nothing else.",
            document="Documents",
        ),
        notes="Nothing is cut: models that read less than a set are not asked. No output length is published, and this "
        "one is ours. The documents are joined behind lines of ours with number and file name. The benchmark's own "
        "score is a judge's, the mean over three runs: judge=. Its wording is read from a text file of yours with "
        "named places: prompts_from=FILE ({documents}, {question}) for the question, and judge_prompts_from=FILE "
        "({question}, {official_answer}, {candidate_answer}) for the judge.",
    ),
)
