"""One's own documents: questions by the recipe of MuLD's question answering, and classes by a linear classifier."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.sources import DatasetInfo
from pipelines.strategies.shared.chat_words import SHORTLY, ChatWords, if_not_stated
from pipelines.tasks import Task

QA = Task(
    name="qa",
    summary="questions about your own documents (data=FILE or FOLDER)",
    dataset=DatasetInfo(repository="", files={}, layout="rows", counts={}, originals=("loogle",)),
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
    chat=ChatWords(
        "Answer a question about a document.", SHORTLY, absent=if_not_stated("the document"), answers="absent"
    ),
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
    chat=ChatWords(
        "Say to which class a document belongs.",
        "Write the one of these labels that fits the document, and nothing else:",
        answers="label",
    ),
)

TASKS = (QA, CLASSIFY)
