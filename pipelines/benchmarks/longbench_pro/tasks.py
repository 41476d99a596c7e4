"""LongBench Pro: 25 kinds of tasks in Chinese and English over texts of 8,000 to 256,000 tokens."""

from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

TASKS = (
    Task(
        name="longbench_pro",
        summary="eleven kinds of tasks in Chinese and English over long texts (data=FILE)",
        dataset=DatasetInfo(repository="", files={}, layout="longbench_pro", counts={}),
        chunker="truncate:side=middle",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt="{document}\n\n\n\n{query}",
        cut_at="token",
        metrics=("longbench_pro",),
        max_new_tokens=1024,
        chat=ChatWords(
            "Do a task on a text.",
            "Write the answer as the task asks for it, and nothing else.",
            "Text",
            "Task",
            cue="",
        ),
        notes="As published, the text comes first, then four line ends and the question, which says how to answer; a "
        "text that does not fit loses its middle. The benchmark asks each question three times and prints the "
        "mean. The output length is longdoc's. Summaries (T4) are not scored: that needs an embedding model of 8 "
        "billion parameters.",
    ),
)
