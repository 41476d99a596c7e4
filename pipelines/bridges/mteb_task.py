"""Retrieval tasks for MTEB made of question answering and summarization data: find the document.

LongEmbed (Zhu et al. 2024, section 3.2) makes its real tasks of the data of SCROLLS and LongBench so: every document is
in the corpus, and a query's only relevant document is its own. The queries are the questions (NarrativeQA, 2WikiMQA);
of QMSum and SummScreenFD, whose questions fit any document or are none, the reference summaries: its queries of QMSum
have 434 characters in the mean (`mteb`'s statistics of LEMBQMSumRetrieval), which the questions have not.
"""

import hashlib
from typing import Any, Literal

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.optional import need
from pipelines import sources, tasks
from pipelines.engine.planning.argument_types import DataSpec, TaskSpec
from pipelines.records import Example

Queries = Literal["questions", "references"]
MAIN_SCORE = "ndcg_at_10"  # LongEmbed's
LONG_EMBED: dict[str, Queries] = {
    "scrolls/narrative_qa": "questions",
    "scrolls/qmsum": "references",
    "scrolls/summ_screen_fd": "references",
}


@checks_names
def mteb_task(
    task: TaskSpec, *, data: DataSpec | None = None, split: str | None = None, queries: Queries | None = None
) -> Any:
    """The `mteb` task of a task of ours: all its documents, and a query for each example. Raises `UserError`.

    - `data`, `split`: as in `pipelines.run`.
    - `queries`: the examples' "questions", or the first of their "references"; by default as LongEmbed has them, else
      the questions. Equal queries of several documents are left out: none of these documents is the one to find.

    Scores are MTEB's, nDCG@10 first. Its name says what it is made of, and its revision is a digest of the data, so
    that MTEB keeps results of different data apart.
    """
    need("mteb", "mteb", "a retrieval task for MTEB")
    chosen_task = tasks.get(task)
    kind = queries or LONG_EMBED.get(chosen_task.name, "questions")
    if kind not in ("questions", "references"):
        raise UserError(f'queries must be "questions" or "references", got {kind!r}')
    split_name = split or chosen_task.split
    examples = list(sources.load(chosen_task.name, chosen_task.dataset, data, split_name, None).examples())
    texts = {example.id: _text(example, kind) for example in examples}
    documents_by_query: dict[str, set[str]] = {}
    for example in examples:
        documents_by_query.setdefault(texts[example.id], set()).add(example.document.id)
    unique_examples = {
        example.id: example
        for example in examples
        if texts[example.id] and len(documents_by_query[texts[example.id]]) == 1
    }
    if not unique_examples:
        raise UserError(
            f"no example of {chosen_task.name} has a query of its own among its {kind}: give the other queries="
        )
    documents = {example.document.id: example.document for example in examples}
    return _task(
        f"Longdoc-{chosen_task.name.replace('/', '-')}-{kind}",
        split_name,
        {name: texts[name] for name in unique_examples},
        {name: {"text": document.text, "title": document.title} for name, document in documents.items()},
        {name: example.document.id for name, example in unique_examples.items()},
    )


def _text(example: Example, kind: Queries) -> str:
    if kind == "questions":
        return example.query.strip()
    return example.references[0].strip() if example.references else ""


def _task(
    name: str, split: str, queries: dict[str, str], corpus: dict[str, dict[str, str]], relevant: dict[str, str]
) -> Any:
    from datasets import Dataset
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.abstasks.task_metadata import TaskMetadata

    digest = hashlib.sha256(repr((queries, corpus, relevant)).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    class LongdocRetrieval(AbsTaskRetrieval):
        """The data as MTEB takes them; nothing is downloaded."""

        metadata = TaskMetadata(
            name=name,
            description="Find the document that a question or a summary belongs to.",
            dataset={"path": f"longdoc/{name}", "revision": digest},
            type="Retrieval",
            category="t2t",
            eval_splits=[split],
            eval_langs=["eng-Latn"],
            main_score=MAIN_SCORE,
        )

        def load_data(self, num_proc: int | None = None, **arguments: Any) -> None:
            """Put the data into the form of MTEB's version 2."""
            self.dataset = {
                "default": {
                    split: {
                        "queries": Dataset.from_list([{"id": key, "text": text} for key, text in queries.items()]),
                        "corpus": Dataset.from_list([{"id": key, **fields} for key, fields in corpus.items()]),
                        "relevant_docs": {key: {document: 1} for key, document in relevant.items()},
                        "top_ranked": None,
                    }
                }
            }
            self.data_loaded = True

    return LongdocRetrieval()
