import numpy as np
import pytest

from models.encoders import _network, _onednn
from models.encoders.sentence_transformer import SentenceTransformer

TEXTS = ["the cat sat on a mat", "dog", "the dog ran to the garden where the cat did sleep"]

with_onednn = pytest.mark.skipif(not _onednn.is_available(), reason="no oneDNN on this processor")


def layer(*, bias=True, activation=None):
    """A block with a linear layer and an activation, as BERT has it."""
    import torch

    torch.manual_seed(0)
    block = torch.nn.Module()
    block.dense = torch.nn.Linear(24, 40, bias=bias)
    block.intermediate_act_fn = activation
    return block


def outputs(block, inputs):
    import torch

    with torch.no_grad():
        rows = block.dense(inputs)
        return (rows if block.intermediate_act_fn is None else block.intermediate_act_fn(rows)).numpy()


@with_onednn
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 7, 3000])
def test_a_converted_layer_gives_the_same_outputs(bias, rows):
    import torch

    block, inputs = layer(bias=bias), torch.randn(rows, 2, 24)
    expected = outputs(block, inputs)
    _onednn.convert(block)
    assert np.allclose(outputs(block, inputs), expected, atol=1e-5)


@with_onednn
def test_the_exact_gelu_is_computed_in_the_layer_before_it_and_other_functions_are_not():
    import torch
    from transformers.activations import ACT2FN

    inputs = torch.randn(5, 24)
    for name, is_fused in (("gelu", True), ("gelu_new", False), ("relu", False)):
        block = layer(activation=ACT2FN[name])
        expected = outputs(block, inputs)
        _onednn.convert(block)
        assert np.allclose(outputs(block, inputs), expected, atol=1e-5), name
        assert isinstance(block.intermediate_act_fn, torch.nn.Identity) is is_fused, name


@with_onednn
def test_subclasses_of_linear_layers_are_not_converted():
    import torch

    class Doubled(torch.nn.Linear):
        def forward(self, inputs):
            return 2 * super().forward(inputs)

    network = torch.nn.Sequential(Doubled(4, 4))
    inputs = torch.ones(1, 4)
    with torch.no_grad():
        expected = network(inputs)
        _onednn.convert(network)
        assert torch.equal(network(inputs), expected)


@with_onednn
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_an_encoder_s_vectors_are_those_of_torch(tiny_model, monkeypatch, dtype):
    folders = tiny_model("a"), tiny_model("b")
    encoder, other = (SentenceTransformer(str(folder), device="cpu", dtype=dtype, cache=False) for folder in folders)
    vectors = encoder.encode(TEXTS, "passage")
    monkeypatch.setattr(_network._onednn, "is_available", lambda dtype: False)
    expected = other.encode(TEXTS, "passage")
    assert np.allclose(vectors, expected, atol=1e-3 if dtype == "fp32" else 0.05)
    cosines = (vectors * expected).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > (0.999999 if dtype == "fp32" else 0.999)


def test_other_processors_do_not_use_onednn(monkeypatch):
    monkeypatch.setattr(_onednn.platform, "machine", lambda: "arm64")
    assert not _onednn.is_available()


@pytest.mark.parametrize("version", ["2.6.0", "2.14.0+cpu", "3.0"])
def test_untested_versions_of_torch_do_not_use_onednn(monkeypatch, version):
    monkeypatch.setattr("torch.__version__", version)
    assert not _onednn.is_available()
