"""A network's linear layers in oneDNN, on x86 processors.

PyTorch multiplies fp32 matrices by MKL there, which does not use all that other makers' processors can do; oneDNN is in
its wheels as well. Here it has the weights in blocks, put so once, and computes GELU in the pass that writes a layer's
outputs, where that function stands right behind the layer, as in BERT and its kin. Sums are in fp32 or bf16 as before;
last digits differ.

PyTorch has no public function for this: its compiler calls the operators. They are used with the releases that the
tests run with alone (`RELEASES`); with any other the network computes as PyTorch has it.
"""

import platform
from typing import Any

RELEASES = ("2.13",)  # of torch
ROWS = 2_048  # tokens that the layout of the weights is chosen for; any number can be computed


def is_available(dtype: str = "fp32") -> bool:
    """Whether oneDNN can be used on this processor for "fp32" or "bf16", with a torch that was tested."""
    import torch

    if torch.__version__.rpartition(".")[0] not in RELEASES or platform.machine().lower() not in {"x86_64", "amd64"}:
        return False
    if not all(hasattr(torch.ops.mkldnn, name) for name in ("_linear_pointwise", "_reorder_linear_weight")):
        return False
    return dtype != "bf16" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # which takes AVX-512 or newer


def convert(network: Any) -> None:
    """Make a network's linear layers compute in oneDNN; it must be on the CPU and not be trained any more."""
    import torch

    layers = [layer for layer in network.modules() if type(layer) is torch.nn.Linear]
    before_gelu = {id(layer) for layer in map(_gelu_fused, network.modules()) if layer is not None}
    for layer in layers:
        _convert_layer(layer, "gelu" if id(layer) in before_gelu else "none")


def _convert_layer(layer: Any, activation: str) -> None:
    """Reorder a layer's weights into blocks, and replace its forward method."""
    import torch

    linear = torch.ops.mkldnn._linear_pointwise
    blocked_weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), ROWS)
    layer.weight = torch.nn.Parameter(blocked_weight, requires_grad=False)
    bias = layer.bias
    layer.forward = lambda inputs: linear(inputs, blocked_weight, bias, activation, [], "none")


def _gelu_fused(block: Any) -> Any:
    """A block's linear layer before an exact GELU, or None; the block's own GELU becomes the identity."""
    import torch
    from transformers.activations import GELUActivation

    layer, activation = getattr(block, "dense", None), getattr(block, "intermediate_act_fn", None)
    if type(layer) is not torch.nn.Linear or type(activation) is not GELUActivation:
        return None
    if activation.act is not torch.nn.functional.gelu:
        return None
    block.intermediate_act_fn = torch.nn.Identity()
    return layer
