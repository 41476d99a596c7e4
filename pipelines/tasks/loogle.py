"""LooGLE: questions that need one place of a long document, and questions that need many (Li et al. 2024)."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.strategies._chat_words import ABSTRACT, PART, ChatWords
from pipelines.tasks import Task
from pipelines.tasks._loogle_datasets import DATASETS
from pipelines.tasks._prompt_files import PromptFile

SIMILARITY = ("bleu_loogle", "rouge_loogle", "meteor_loogle")
NOTES = (
    "Output lengths are those of the published code, which cuts the middle of the whole prompt where it is too long. "
    "Its further scores are not computed here: BERTScore needs a model, and its judge is GPT-4."
)

ANSWER = "Below is a long text and a question about it. Answer in one or two sentences."
FILL = (
    "Below are a long text and a passage about it, in which names of people, places and organizations are masked; "
    "equal masks stand for equal names. Give the names, and nothing else, as a dictionary of mask to name: "
    "{{'<mask-0>': 'Ada', '<mask-1>': 'Acre'}}"
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
    "Write the names, and nothing else, as a dictionary of mask to name with all masks of the passage, such as "
    "{'<mask-0>': 'Ada', '<mask-1>': 'Acre'}.",
    document="Text",
    query="Passage",
    answers="dictionary",
)


def _task(name: str, summary: str, length: int, prompt: str, metrics: tuple[str, ...], chat: ChatWords = CHAT) -> Task:
    return Task(
        name=f"loogle/{name}",
        summary=summary,
        dataset=DATASETS[name],
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
        "shortdep_qa",
        "questions that one place of a long document answers",
        300,
        f"{ANSWER}\n\n{{document}}\n\nQuestion: {{query}}\nAnswer:",
        (*SIMILARITY, *EVIDENCE_NAMES),
    ),
    _task(
        "longdep_qa",
        "questions that need several places of a long document",
        500,
        f"{ANSWER}\n\n{{document}}\n\nQuestion: {{query}}\nAnswer:",
        (*SIMILARITY, *EVIDENCE_NAMES),
    ),
    _task(
        "longdep_summarization",
        "abstracts of papers from arXiv",
        500,
        "Below is a paper. Write its abstract.\n\n{document}\n\nAbstract:",
        SIMILARITY,
        CHAT_ABSTRACT,
    ),
    _task(
        "shortdep_cloze",
        "names that are masked in a passage about a long document",
        50,
        f"{FILL}\n\n{{document}}\n\nPassage: {{query}}\n\nNames:",
        ("cloze_match",),
        CHAT_FILL,
    ),
)
