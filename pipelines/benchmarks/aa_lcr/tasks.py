"""AA-LCR: questions that need several documents of a set of about 100,000 tokens (Artificial Analysis 2025)."""

from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.prompt_files import PromptFile

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
        notes="Sets are never cut: a model whose window is too small is not asked. No output length is published; this "
        "one is longdoc's. The benchmark's own score is a judge's, the mean over three runs (`--judge`). Its "
        "wording is not included: `--prompts-from FILE` reads the question's from a text file with the places "
        "{documents} and {question}, and `--judge-prompts-from FILE` the judge's, with {question}, "
        "{official_answer} and {candidate_answer}.",
    ),
)
