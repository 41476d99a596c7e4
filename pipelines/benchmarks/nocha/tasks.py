"""NoCha: true and false claims about whole novels, in pairs (Karpinska et al. 2024)."""

from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE
from pipelines.tasks.prompt_files import PromptFile

PROMPT = (
    "Below are a book and a claim about it. Decide from the book alone whether the claim is true in every part.\n\n"
    "{document}\n\nClaim: {query}\n\n"
    "Give your reasons in a few sentences, then the answer: <answer>TRUE</answer> if all of the claim is true, "
    "<answer>FALSE</answer> if any part of it is false."
)

NOCHA = Task(
    name="nocha",
    summary="true and false claims about whole novels, in pairs (data=FOLDER with claims and texts)",
    dataset=DatasetInfo(repository="", files={}, layout="nocha", counts={}),
    chunker="whole",
    retriever="all",
    order="document",
    model="google/flan-t5-base",
    prompt=PROMPT,
    prompt_file=PromptFile("prompts/prompt.txt", {"[book_text]": "document", "[claim]": "query"}, formatted=False),
    predictions="nocha",
    cut_at="token",
    metrics=("pair_accuracy",),
    evidence=EVIDENCE["narrativeqa"],
    max_new_tokens=800,
    chat=ChatWords(
        "Decide from a book alone whether a claim about it is true in every part.",
        "Give your reasons in a few sentences, then the answer: <answer>TRUE</answer> if all of the claim is true, "
        "<answer>FALSE</answer> if any part of it is false.",
        document="Book",
        query="Claim",
        cue="",
    ),
    notes="The prompt asks for a paragraph of reasons before the answer. No output length is published; this one is "
    "longdoc's.",
)

TASKS = (NOCHA,)
