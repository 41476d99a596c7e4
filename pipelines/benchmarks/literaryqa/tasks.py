"""LiteraryQA: questions of NarrativeQA about whole books, without its errors (Bonomo, Gioffré and Navigli 2025).

Counts of questions are those of the files in its repository (github.com/SapienzaNLP/LiteraryQA, commit d80898b).
"""

from pipelines.prompts.chat_words import CHAT
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE

LITERARYQA = Task(
    name="literaryqa",
    summary="questions about whole books, NarrativeQA's without its errors (data=FOLDER with annotations and texts)",
    dataset=DatasetInfo(
        repository="",
        files={},
        layout="literaryqa",
        counts={"test": 3_785, "validation": 1_417},
        count_source="its repository",
    ),
    floor="naive:random,words=4",
    chunker="whole",
    retriever="all",
    order="document",
    model="google/flan-t5-base",
    prompt="Below are a book and a question about it. Answer in a few words.\n\n{document}\n\n{query}\n\nAnswer:",
    predictions="literaryqa",
    metrics=("exact_match", "f1_hotpotqa", "rouge", "meteor"),
    evidence=EVIDENCE["narrativeqa"],
    max_new_tokens=64,
    chat=CHAT["narrative_qa"],
    notes="The scores by n-grams are exact match and F1 by HotpotQA's script, ROUGE-L and METEOR. The paper finds that "
    "they agree badly with people; `--judge` asks a model. Prompt and output length are longdoc's.",
)

TASKS = (LITERARYQA,)
