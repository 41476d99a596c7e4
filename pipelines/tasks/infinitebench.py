"""The English tasks of ∞Bench that are about books and film scripts (Zhang et al. 2024)."""

from pipelines.tasks import Task
from pipelines.tasks._infinitebench_datasets import DATASETS
from pipelines.tasks._prompt_files import PromptFile

FIELDS = {
    "{context}": "document",
    "{question}": "query",
    "{input}": "query",
    "{OPTION_A}": "option_a",
    "{OPTION_B}": "option_b",
    "{OPTION_C}": "option_c",
    "{OPTION_D}": "option_d",
}


TASKS = (
    Task(
        name="infinitebench/en_qa",
        summary="questions about whole novels",
        dataset=DATASETS["en_qa"],
        chunker="whole",
        retriever="all",
        model="google/flan-t5-base",
        prompt="Below are a novel and a question about it. Answer in a few words.\n\n{document}\n\n{query}\n\nAnswer:",
        prompt_file=PromptFile("src/prompt.py", FIELDS, entry="longbook_qa_eng", group="gpt4_templates"),
        predictions="infinitebench",
        cut_at="token",
        metrics=("f1",),
        max_new_tokens=40,
    ),
)
