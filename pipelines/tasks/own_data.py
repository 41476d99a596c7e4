"""One's own documents: questions, and classes by a linear classifier."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import OWN_CLASSES, OWN_QUESTIONS
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

# A real model answers best from its passages (RESULTS.md, real_models), and people can read them: they are whole
# sentences. It compares words, so nothing has to be encoded, and the result does not depend on what is installed.
RETRIEVER = "best:encoder=none"

QA = Task(
    name="qa",
    summary="questions about your own documents (data=FILE or FOLDER)",
    dataset=DatasetInfo(repository="", files={}, layout="rows", counts={}, originals=("loogle",)),
    chunker="sentences:size=200",
    retriever=RETRIEVER,
    metrics=(
        "f1:unicode",
        "exact_match:unicode",
        "rouge-l",
        "bleu-1",
        "bleu-4",
        "meteor",
        "answer_recall:unicode",
        "abstention",
        *EVIDENCE_NAMES,
    ),
    max_new_tokens=64,
    chat=OWN_QUESTIONS,
)

CLASSIFY = Task(
    name="classify",
    summary="classes of your own documents (data=FOLDER with train and test files of document and label)",
    dataset=DatasetInfo(repository="", files={}, layout="rows", counts={}, has_query=False),
    chunker="whole",
    retriever="all",
    strategy="label",
    model="linear",
    prompt="{document}",
    metrics=("accuracy", "macro_f1"),
    max_new_tokens=16,
    chat=OWN_CLASSES,
)

TASKS = (QA, CLASSIFY)
