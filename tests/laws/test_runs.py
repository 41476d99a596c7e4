"""Laws of runs in one folder: whatever ran there before, a start ends like the same call in a new folder."""

import json
from dataclasses import dataclass

import pytest

import pipelines
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.records import Document, Example
from tests.turns import for_each

SENT: list[str] = []  # the prompts of all requests


@dataclass(frozen=True)
class Recording(Reader):
    """Answers with the last words of the prompt, and adds each prompt to `SENT`."""

    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        SENT.extend(request.prompt.text for request in requests)
        return [Reply(" ".join(request.prompt.text.split()[-3:]), tokens_in=5, tokens_out=3) for request in requests]


def examples():
    for d in range(3):
        text = " ".join(f"Room{d}{i} holds chest {i * 7 % 11}." for i in range(20))
        document = Document(f"house-{d}", text)
        for q in range(3):
            at = text.index(f"Room{d}{q} ")
            yield Example(
                f"q-{d}-{q}", document, f"What does Room{d}{q} hold?", (f"chest {q * 7 % 11}.",) if q != 2 else (),
                evidence=((at, at + 10),), meta={"difficult": q},
            )  # fmt: skip


def run(folder, strategy="stuff", **arguments):
    defaults = {"data": list(examples()), "chunker": "sentences:3", "retriever": "bm25", "k": 2, "model": Recording()}
    return pipelines.run("qa", out=folder, strategy=strategy, **defaults, **{"metrics": ["f1"]} | arguments)


def files(folder):
    return {name: (folder / name).read_bytes() for name in ("predictions.jsonl", "scores.json")}


STARTS = {
    "a further metric": [{}, {"metrics": ["f1", "rouge"]}],
    "another metric": [{}, {"metrics": ["answer_recall"]}, {"metrics": ["evidence_recall", "f1"]}],
    "metrics in another order": [{"metrics": ["rouge-l", "f1"]}, {"metrics": ["f1", "rouge-l"]}],
    "metrics that read the example": [{"limit": 4}, {"metrics": ["evidence_recall", "exact_match_hard", "bleu-4"]}],
    "a larger limit": [{"limit": 2}, {"limit": 5}, {}],
    "a smaller limit": [{}, {"limit": 4}, {"limit": 1}],
    "both": [{"limit": 7}, {"limit": 3, "metrics": ["f1", "answer_recall"]}, {"metrics": ["answer_recall", "bleu-1"]}],
    "back and forth": [{"metrics": ["rouge"]}, {"limit": 2}, {"metrics": ["rouge"]}, {"limit": 3}, {}],
}


@pytest.mark.parametrize("strategy", ["stuff", "map_reduce", "vote"])
@for_each("starts", STARTS.values())
def test_a_start_with_other_metrics_or_another_limit_ends_as_in_a_new_folder_and_sends_only_new_requests(
    tmp_path, strategy, starts
):
    SENT.clear()
    for arguments in starts:
        result = run(tmp_path / "run", strategy, **arguments)
    sent = sorted(SENT)
    SENT.clear()
    fresh = run(tmp_path / "fresh", strategy, **starts[-1])
    assert files(tmp_path / "run") == files(tmp_path / "fresh")
    assert (result.scores, result.examples) == (fresh.scores, fresh.examples)
    SENT.clear()
    largest = max(arguments.get("limit", 9) for arguments in starts)
    run(tmp_path / "largest", strategy, limit=largest)
    assert sent == sorted(SENT)
    SENT.clear()
    for arguments in starts:  # everything is done: no requests, and the same files
        again = run(tmp_path / "run", strategy, **arguments)
        assert (again.new_requests, again.resumed) == (0, again.examples)
    assert SENT == []
    assert files(tmp_path / "run") == files(tmp_path / "fresh")


@pytest.mark.parametrize("metrics", [["f1", "rouge"], ["answer_recall", "evidence_recall"], ["exact_match_hard"]])
def test_metrics_that_are_added_by_scoring_give_the_files_of_a_run_with_them(tmp_path, metrics):
    run(tmp_path / "run", limit=5)
    SENT.clear()
    scores = pipelines.rescore(tmp_path / "run", metrics=metrics, data=list(examples()))
    assert SENT == []
    fresh = run(tmp_path / "fresh", limit=5, metrics=list(dict.fromkeys(["f1", *metrics])))
    assert scores["scores"] == fresh.scores
    assert files(tmp_path / "run") == files(tmp_path / "fresh")
    records = [json.loads((tmp_path / name / "run.json").read_text()) for name in ("run", "fresh")]
    assert records[0]["metrics"] == records[1]["metrics"]
    again = run(tmp_path / "run", limit=5, metrics=list(dict.fromkeys(["f1", *metrics])))
    assert (again.new_requests, again.resumed) == (0, 5)
    assert files(tmp_path / "run") == files(tmp_path / "fresh")


def test_other_data_are_refused_even_where_no_row_is_missing(tmp_path):
    run(tmp_path / "run", limit=5)
    with pytest.raises(UserError, match="these are not the data of the run"):
        pipelines.rescore(tmp_path / "run", metrics=["f1"], data=list(examples())[1:])
