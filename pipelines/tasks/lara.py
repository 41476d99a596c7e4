"""LaRA: long documents against retrieval, on questions of four levels (Li et al. 2025)."""

from pipelines.strategies._chat_words import ChatWords
from pipelines.tasks import Judging, Task
from pipelines.tasks._lara_datasets import DATASET
from pipelines.tasks._prompt_files import PromptFile

PROMPTS = PromptFile(
    "evaluation/prompt.py", {"{context}": "document", "{question}": "query"}, group="full_templates", name_field="type"
)
NOTES = (
    "Output length: that of its code for open models (none is set for those behind an API). As in its code a longer "
    "prompt keeps its first and last 63,500 tokens, here as the reader counts them, there as GPT-4 does; the system "
    "message that its code begins with is left out. Its retrieval: sentences in chunks of 600 tokens, 100 in common, "
    "two by vectors (gte-large-v1.5) and three by BM25, ordered by a reranker; prompts_from=prompt.py::rag_templates. "
    "Its own score is a judge's: judge=."
)


CHAT = ChatWords(  # the same at all levels, so that it does not tell which questions have no answer
    "Answer a question about a document, which is a report, a book or a paper.",
    "Give a short answer and nothing else.",
    absent="If what is shown does not answer the question, say so in one sentence that names what is missing, such as: "
    "The document does not provide the number of employees.",
)


def _task(name: str, summary: str, absent: bool = False) -> Task:
    return Task(
        name=f"lara/{name}",
        summary=summary,
        dataset=DATASET,
        chunker="truncate:127000,side=middle",
        retriever="all",
        model="google/flan-t5-base",
        prompt="Below are a document and a question about it. Give a short answer.\n\n{document}\n\n"
        "Question: {query}\n\nAnswer:",
        prompt_file=PROMPTS,
        predictions="lara",
        judging=Judging(absent=absent, prompt="hallu" if absent else ""),
        cut_at="token",
        metrics=("f1", "rouge"),
        max_new_tokens=1024,
        notes=NOTES,
        chat=CHAT,
    )


TASKS = (
    _task("location", "questions that one place in a report, book or paper answers"),
    _task("reasoning", "questions that need inference or calculation over a report, book or paper"),
    _task("comparison", "questions that compare two parts of a report, book or paper"),
    _task("hallucination", "questions that the document does not answer, which has to be said", absent=True),
)
