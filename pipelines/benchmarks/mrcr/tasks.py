"""MRCR: one of several like answers in a long conversation, to be repeated (OpenAI 2025)."""

from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

TASKS = (
    Task(
        name="mrcr",
        summary="one of several like answers in a long conversation, to be repeated (data=FILE)",
        dataset=DatasetInfo(repository="", files={}, layout="mrcr", counts={}),
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt="{document}\n\nUser: {query}\n\nAssistant:",
        metrics=("mrcr_ratio", *EVIDENCE_NAMES),
        max_new_tokens=4096,
        chat=ChatWords(
            "Below is a conversation, and the message that follows it. Do what the message asks.",
            "Write nothing but what the message asks for.",
            document="Conversation",
            query="Message",
            cue="",
        ),
        notes="The conversation is shown as one text, so that passages of it can be selected. The published code sends "
        "it as messages; scores may differ. No output length is published; this one is longdoc's.",
    ),
)
