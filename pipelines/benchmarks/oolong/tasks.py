"""OOLONG: counts over all lines of a window, or of transcripts of games (Bertsch et al. 2025)."""

from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

NOTES = (
    "As published, the text comes first and the question, which says how to answer, after it; thinking is not "
    "limited. The output length is longdoc's."
)


def _task(name: str, summary: str, metric: str, form: str) -> Task:
    return Task(
        name=f"oolong/{name}",
        summary=summary,
        dataset=DatasetInfo(repository="", files={}, layout="oolong", counts={}),
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt=f"{{document}}\n\n{{query}}\n{form.replace('{', '{{').replace('}', '}}')}\n",
        metrics=(metric,),
        max_new_tokens=512,
        chat=ChatWords("Answer a question about all of what is shown.", form, document="Window", cue=""),
        notes=NOTES,
    )


TASKS = (
    _task(
        "synth",
        "counts, users and dates over all lines of a window (data=FILE)",
        "oolong_synth",
        'End with the answer alone, behind a colon: "Answer: …".',
    ),
    _task(
        "real",
        "counts over transcripts of role-playing games (data=FILE)",
        "oolong_real",
        r"End with the answer alone, in this form: \boxed{…}.",
    ),
)
