"""The tasks of ZeroSCROLLS (Shaham et al. 2023): section 3 says what they are, section 4 how they are run."""

from dataclasses import asdict

from longdoc.errors import UserError
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.records import Example
from pipelines.strategies._row_prompt import Form, RowPrompt, instruction_of
from pipelines.tasks import Task
from pipelines.tasks._evidence import EVIDENCE
from pipelines.tasks._floors import FLOORS
from pipelines.tasks._zero_scrolls_datasets import DATASETS
from pipelines.tasks._zero_scrolls_prompts import WORDING

NOTES = (
    "Output lengths are those that the published code gives chat models and models behind an API; it gives T5 models "
    "1,024. The paper reads up to 8,192 tokens of a prompt. Labels are scored where the published rows carry them. The "
    'prompt is the published one of each row; prompt="chat" is its form for chat models, prompt="tags" the one that '
    "asks for tags around the answer. Rows of original releases carry none and get our own wording; their scores are "
    "marked so."
)
SUMMARIES = frozenset({"gov_report", "summ_screen_fd", "qmsum", "squality"})  # they get no format request


def _task(name: str, summary: str, length: int, *metrics: str) -> Task:
    return Task(
        name=f"zero_scrolls/{name}",
        summary=summary,
        dataset=DATASETS[name],
        chunker="truncate:8192",
        retriever="all",
        model="flan-t5-base",
        prompt="row",
        metrics=metrics,
        max_new_tokens=length,
        notes=NOTES,
        floor=FLOORS[f"zero_scrolls/{name}"],
        evidence=EVIDENCE.get(name, ""),
    )


TASKS = (
    _task("gov_report", "zero-shot summaries of reports by government agencies", 1_024, "rouge"),
    _task("summ_screen_fd", "zero-shot recaps of episodes of TV series from their scripts", 512, "rouge"),
    _task("qmsum", "zero-shot summaries of meetings that answer a query", 512, "rouge", *EVIDENCE_NAMES),
    _task("squality", "zero-shot summaries of stories that answer a question", 512, "rouge"),
    _task("qasper", "zero-shot questions about scientific papers", 128, "f1_ascii", *EVIDENCE_NAMES),
    _task("narrative_qa", "zero-shot questions about whole books and film scripts", 64, "f1_ascii"),
    _task("quality", "zero-shot multiple-choice questions about stories and articles", 10, "choice_accuracy"),
    _task("musique", "zero-shot multi-hop questions over twenty paragraphs", 32, "f1_ascii", *EVIDENCE_NAMES),
    _task("space_digest", "the percentage of a hotel's reviews that are positive", 36, "exponential_similarity"),
    _task("book_sum_sort", "the order of shuffled summaries of a book's chapters", 256, "concordance_index"),
)


def own_instruction(task: str) -> str:
    """Our own instruction for a task of ZeroSCROLLS, "" for any other."""
    suite, _, name = task.rpartition("/")
    return WORDING[name].instruction.strip() if suite == "zero_scrolls" and name in WORDING else ""


def row_prompt(task: str, form: Form, first: Example | None) -> RowPrompt:
    """The prompt of a task's rows, `first` being the first of them.

    A row's prompt is our own wording where the row carries none, or one that begins as ours does. Raises `UserError`
    for rows without a prompt of tasks for which there is none.
    """
    name, own_beginning = task.rpartition("/")[2], own_instruction(task).partition("{")[0]
    if first is None or "before" in first.meta:
        is_own = first is not None and bool(own_beginning) and instruction_of(first).startswith(own_beginning)
        return RowPrompt(form, "own" if is_own else "published", name in SUMMARIES)
    if not own_beginning:
        raise UserError(
            f"prompt={form!r} is for rows that carry their prompt, and those of {task} do not: "
            f"give a template, such as prompt='{{query}} {{document}}'"
        )
    return RowPrompt(form, "own", name in SUMMARIES, asdict(WORDING[name]))
