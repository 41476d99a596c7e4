"""JSON: everything of the content, in JSON that every reader takes."""

import json as standard

from pipelines.display import json_text
from pipelines.results.reports import content
from tests.pipelines.results.reports import small_ablation


def test_the_whole_content_is_there() -> None:
    parsed = standard.loads(json_text.text(content.gather(small_ablation.ablation())))
    assert parsed["primary_metric"] == "f1"
    assert parsed["axes"] == {"retriever": ["tf_idf", "bm25|$x"], "k": [1, 5]}
    assert parsed["runs"][1]["differences"]["f1"]["p_holm"] == 0.012
    assert parsed["runs"][3]["error"] == "=1+1 <b>\n& 50% of_it"
    assert parsed["published"]["rows"][0]["model"] == "T5"
    assert parsed["warnings"] == ["9 documents are few"]


def test_nan_becomes_null_and_lone_surrogates_are_escaped() -> None:
    cells = [small_ablation.cell("\ud800", 1, 8.0, scores={"f1": float("nan")})]
    text = json_text.text(content.gather(small_ablation.ablation(cells=cells)))
    assert standard.loads(text)["runs"][0]["scores"] == {"f1": None}
    assert '"retriever": "\\ud800"' in text.encode("utf-8").decode("utf-8")
