"""LaRA: long documents against retrieval, on questions of four levels (Li et al. 2025).

Its files are in its repository (github.com/Alibaba-NLP/LaRA), not on the hub: `data=`. They have 2,326 questions in all
(the paper's abstract), in a file for each length (32k, 128k), type of document (book, financial, paper) and level.
"""

from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Judging, Task
from pipelines.tasks.prompt_files import PromptFile

DATASET = DatasetInfo(repository="", files={}, layout="lara", counts={})
LEVELS = ("location", "reasoning", "comp", "hallu")
ROWS = {  # by length and type, in the order of LEVELS, of the repository's files (commit c171553)
    ("32k", "book"): (75, 59, 45, 59),
    ("32k", "financial"): (148, 118, 87, 118),
    ("32k", "paper"): (53, 53, 19, 53),
    ("128k", "book"): (None, 168, 73, 167),  # None: not counted
    ("128k", "financial"): (108, 77, 33, 77),
    ("128k", "paper"): (129, 131, 92, 134),
}
COUNTS = {
    (*kind, level): count
    for kind, counts in ROWS.items()
    for level, count in zip(LEVELS, counts, strict=True)
    if count is not None
}
PROMPTS = PromptFile(
    "evaluation/prompt.py", {"{context}": "document", "{question}": "query"}, group="full_templates", name_field="type"
)
NOTES = (
    "The output length is that of the published code for open models; for APIs it sets none. As there, a longer "
    "prompt keeps its first and last 63,500 tokens, which GPT-4 counts there and the reader here. The code's "
    "system message is left out. Its retrieval takes sentences in chunks of 600 tokens, 100 of them shared; two "
    "chunks by vectors (gte-large-v1.5) and three by BM25, ordered by a reranker; its prompts are `--prompts-from"
    " prompt.py::rag_templates`. The benchmark's own score is a judge's (`--judge`)."
)

ABSTENTION = "abstention:refusals=sentence"  # its references are sentences that say what the document lacks

CHAT = ChatWords(  # the same at all levels, so that it does not tell which questions have no answer
    "Answer a question about a document, which is a report, a book or a paper.",
    "Give a short answer and nothing else.",
    absent="If the document does not answer the question, say so in one sentence that names what is missing.",
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
        metrics=("f1", "rouge", *([ABSTENTION] if absent else [])),
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
