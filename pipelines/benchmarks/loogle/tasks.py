"""LooGLE: questions that need one place of a long document, and questions that need many (Li et al. 2024).

Counts of questions and documents are those of its paper's table of tasks.
"""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import ABSTRACT, PART, ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.prompt_files import PromptFile

SIMILARITY = ("bleu_loogle", "rouge_loogle", "meteor_loogle")
NOTES = (
    "Output lengths are those of the published code, which cuts the middle of a prompt that is too long. Its "
    "other scores are not computed here: BERTScore needs a model, and its judge is GPT-4."
)

QUESTION = (
    "Below is a long text and a question about it. Answer in one or two sentences.\n\n{document}\n\n"
    "Question: {query}\nAnswer:"
)
FILL = (
    "Below are a long text and a passage about it, in which names of people, places and organizations are masked; "
    "equal masks stand for equal names. Give the names, and nothing else, as a Python dictionary: its keys are the "
    "masks of the passage, its values the names."
)


CHAT = ChatWords(
    "Answer a question about a long text.", "Answer in one or two sentences, and write nothing else.", document="Text"
)
CHAT_ABSTRACT = ChatWords(
    "Write the abstract of a scientific paper.",
    "Write the abstract and nothing else.",
    document="Paper",
    part_format=PART,
    length=ABSTRACT,
)
CHAT_FILL = ChatWords(
    "Fill in the names that are masked in a passage about a long text: those of people, places and organizations. "
    "Equal masks stand for equal names.",
    "Write the names, and nothing else, as a Python dictionary: its keys are all masks of the passage, its values the "
    "names.",
    document="Text",
    query="Passage",
    cue="",
    answers="dictionary",
)


def _task(
    name: str,
    summary: str,
    count: int,
    length: int,
    *metrics: str,
    prompt: str = QUESTION,
    chat: ChatWords = CHAT,
    file: str = "",
    has_query: bool = True,
) -> Task:
    files = {"test": (f"data/{file or name}.jsonl",)}
    return Task(
        name=f"loogle/{name}",
        summary=summary,
        dataset=DatasetInfo("bigai-nlco/LooGLE", files, "loogle", {"test": count}, has_query=has_query),
        chunker="truncate:side=middle",
        retriever="all",
        model="google/flan-t5-base",
        prompt=prompt,
        prompt_file=PromptFile("config/task2prompt.json", {"{input}": "document", "{Q}": "query"}, entry=name),
        predictions="loogle",
        cut_at="token",
        equal_halves=True,
        metrics=metrics,
        max_new_tokens=length,
        notes=NOTES,
        chat=chat,
    )


TASKS = (
    _task(
        "shortdep_qa", "questions that one place of a long document answers", 1951, 300, *SIMILARITY, *EVIDENCE_NAMES
    ),
    _task(
        "longdep_qa", "questions that need several places of a long document", 1101, 500, *SIMILARITY, *EVIDENCE_NAMES
    ),
    _task(
        "longdep_summarization",
        "abstracts of papers from arXiv",
        516,
        500,
        *SIMILARITY,
        prompt="Below is a paper. Write its abstract.\n\n{document}\n\nAbstract:",
        chat=CHAT_ABSTRACT,
        file="summarization",
        has_query=False,
    ),
    _task(
        "shortdep_cloze",
        "names that are masked in a passage about a long document",
        2880,
        50,
        "cloze_match",
        prompt=f"{FILL}\n\n{{document}}\n\nPassage: {{query}}\n\nNames:",
        chat=CHAT_FILL,
    ),
)
