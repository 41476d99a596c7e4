"""BABILong: facts of bAbI's tasks, spread over the text of books (Kuratov et al. 2024)."""

from pipelines.benchmarks.babilong.prompts import PartsFile
from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

INSTRUCTION = (
    "Below is a long text from books. Simple facts about people, things and places, which belong together, are spread "
    "over it. Answer the question from these facts alone; where one contradicts an earlier one, the later one holds."
)
ANSWER = "Answer with one short sentence, and write nothing else."

TASKS = (
    Task(
        name="babilong",
        summary="questions about facts that are spread over the text of books (data=FILE)",
        dataset=DatasetInfo(repository="", files={}, layout="babilong", counts={}),
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt=f"{INSTRUCTION}\n\n{{document}}\n\nQuestion: {{query}}\n{ANSWER}\nAnswer:",
        prompt_file=PartsFile(
            "babilong/prompts.py", {"{context}": "document", "{question}": "query"}, formatted=False, name_field="task"
        ),
        predictions="babilong",
        metrics=("babilong_accuracy",),
        max_new_tokens=20,
        chat=ChatWords(
            "Answer a question from simple facts about people, things and places that are spread over a long text. "
            "Where a fact contradicts an earlier one, the later one holds.",
            ANSWER,
            document="Text",
        ),
        notes="The benchmark's prompts have examples for each task: `--prompts-from prompts.py` reads them. longdoc's "
        "prompt has none. The output length, a sentence, is longdoc's. A file holds one task at one length; its "
        "name or a field `task` says which (qa1 to qa20).",
    ),
)
