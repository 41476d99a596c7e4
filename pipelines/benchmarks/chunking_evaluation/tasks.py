"""Chroma's chunking evaluation: which chunks are retrieved, character by character (Smith & Troynikov 2024)."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import SHORTLY, ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

CHUNKING_EVALUATION = Task(
    name="chunking_evaluation",
    summary="chunkers and retrievers by the evidence they retrieve (data=FOLDER with questions and corpora)",
    dataset=DatasetInfo(repository="", files={}, layout="chunking_evaluation", counts={}, originals=("rows",)),
    retriever="bm25",
    k=5,
    strategy="select_only",
    model="none",
    metrics=("chunking_scores", "precision_omega:by=code", "precision_omega:by=sets", *EVIDENCE_NAMES),
    max_new_tokens=64,
    chat=ChatWords("Answer a question about a document.", SHORTLY),
    notes="472 questions about five corpora. The published code ranks the chunks of all corpora together, and takes 5 "
    "by default.",
)

TASKS = (CHUNKING_EVALUATION,)
