"""What a model's configuration and this machine allow: lengths, attention windows, device, dtype."""

from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError

RELATIVE = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})  # positions are relative: no fixed end
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx")  # what decoders call them
T5_INPUT = {"longt5": 4096}  # where the configuration does not say; 512 for the others

Settings = Mapping[str, Any]


def input_limit(settings: Settings, given_limit: int | None, window: int, field: str = "max_input_tokens") -> int:
    """The longest input in tokens, special ones included. Raises `UserError` if `given_limit` exceeds the positions.

    `field` is the name of the parameter that sets `given_limit`.

    T5's positions are relative: its figure is what it was trained on (512), and more may be given. LED's inputs are
    padded to whole windows, so only whole windows of its positions count.
    """
    if given_limit is not None and given_limit < 1:
        raise UserError(f"{field} must be at least 1, got {given_limit}; leave it out for the model's own")
    kind = settings.get("model_type", "")
    if kind in RELATIVE:
        return given_limit or int(settings.get("n_positions") or T5_INPUT.get(kind, 512))
    positions = settings.get("max_encoder_position_embeddings") or settings.get("max_position_embeddings")
    if positions is None:
        raise UserError(
            f"this {kind or 'model'} cannot be read: its config.json does not say how many positions it has"
        )
    maximum = int(positions) // window * window
    if given_limit is not None and given_limit > maximum:
        raise UserError(f"{field}={given_limit} is over the model's {maximum} positions; give at most {maximum}")
    return given_limit or maximum


def output_limit(settings: Settings) -> int | None:
    """The longest output in tokens, None where positions are relative.

    As many as the decoder has positions: the start token takes the first, and the last token written needs none. M2M100
    and NLLB compute positions beyond those of their configuration, but learned nothing of them.
    """
    if settings.get("model_type") in RELATIVE:
        return None
    positions = settings.get("max_decoder_position_embeddings") or settings.get("max_position_embeddings")
    return None if positions is None else int(positions)


def window_limit(settings: Settings, given_limit: int | None) -> int:
    """The window that prompt and output of a decoder share, in tokens, special ones included. Raises `UserError`.

    Positions may be computed beyond those of the configuration, but the model learned nothing of them.
    """
    if given_limit is not None and given_limit < 1:
        raise UserError(f"max_input_tokens must be at least 1, got {given_limit}; leave it out for the model's own")
    maximum = next((int(settings[name]) for name in POSITIONS if settings.get(name)), None)
    if maximum is None:
        if given_limit is None:
            kind = settings.get("model_type", "model")
            raise UserError(
                f"this {kind}'s config.json does not say how many positions it has: give "
                'model="MODEL,max_input_tokens=N"'
            )
        return given_limit
    if given_limit is not None and given_limit > maximum:
        raise UserError(
            f"max_input_tokens={given_limit} is over the model's {maximum} positions; give at most {maximum}"
        )
    return given_limit or maximum


def padded_to(settings: Settings, window: int | None) -> int:
    """The multiple to which inputs are padded: LED's window, BigBird-Pegasus' block size, else 1."""
    if settings.get("model_type") == "bigbird_pegasus":
        return int(settings.get("block_size") or 64)
    return window or 1


def attention_window(settings: Settings, given_window: int | None) -> int | None:
    """LED's attention window (the widest of its layers), None for other models. Raises `UserError`."""
    if settings.get("model_type") != "led":
        if given_window is not None:
            raise UserError(f"attention_window is for LED; {settings.get('model_type')} models have none: leave it out")
        return None
    if given_window is not None and (given_window < 2 or given_window % 2):
        raise UserError(f"attention_window must be an even number of at least 2, got {given_window}")
    windows = settings.get("attention_window", 512)
    return given_window or (windows if isinstance(windows, int) else max(windows))


def devices(name: str | None, spread: bool = False) -> tuple[str, ...]:
    """The devices in a comma-separated list, each checked by `device`; one may occur twice.

    `spread`: the network goes where `device_map` puts it, which is on GPUs where there are any. Raises `UserError`.
    """
    return tuple(device(text.strip()) for text in name.split(",")) if name and not spread else (device(None),)


def device(name: str | None) -> str:
    """The device of this name; None is the GPU if there is one. Raises `UserError` if it does not exist."""
    if name == "cpu":
        return name
    import torch

    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        parsed = torch.device(name)
    except RuntimeError:
        raise UserError(f'unknown device {name!r}; known: "cpu", "cuda", "cuda:0" …') from None
    if parsed.type == "cuda" and (parsed.index or 0) >= torch.cuda.device_count():
        raise UserError(f'device {name!r}: this machine has {torch.cuda.device_count()} CUDA GPUs; use device="cpu"')
    return name


def dtype(wanted: str, deterministic: bool, settings: Settings, device: str) -> str:
    """The dtype to compute in: bf16, fp16 or fp32. Raises `UserError` for one that would give wrong results."""
    if wanted == "int8":
        raise UserError(
            'dtype="int8" is for backend=ctranslate2, in readers that generate; use "auto", "bf16" or "fp32"'
        )
    if deterministic:
        if wanted not in ("auto", "fp32"):
            raise UserError(f'deterministic=True computes in fp32; drop dtype="{wanted}"')
        return "fp32"
    if wanted == "fp16" and settings.get("model_type") in RELATIVE:
        raise UserError('T5 models were trained in bf16 and give NaN in fp16; use dtype="auto", "bf16" or "fp32"')
    if wanted == "fp16" and device == "cpu":
        raise UserError('fp16 is for GPUs; on a CPU use dtype="auto", "bf16" or "fp32"')
    if wanted != "auto":
        return wanted
    return "bf16" if computes_bf16(device) else "fp32"


def computes_bf16(device: str) -> bool:
    """Whether the hardware itself computes in bf16: emulated (oneDNN does so on older CPUs) it is slower than fp32."""
    import torch

    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return False
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
