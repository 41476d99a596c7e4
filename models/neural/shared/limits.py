"""What a model's configuration and this machine allow: lengths, attention windows, device, dtype."""

from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError

RELATIVE = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})  # positions are relative: no fixed end
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx")  # what decoders call them
T5_INPUT = {"longt5": 4096}  # where the configuration does not say; 512 for the others

Settings = Mapping[str, Any]


def input_limit(settings: Settings, given_count: int | None, window: int, field: str = "max_input_tokens") -> int:
    """The longest input in tokens, special ones included. Raises `UserError` where `given_count` is over the positions.

    `field` is the parameter that `given_count` is of.

    T5's positions are relative: its figure is what it was trained on (512), and more may be given. LED's inputs are
    padded to whole windows, so only whole windows of its positions count.
    """
    if given_count is not None and given_count < 1:
        raise UserError(f"{field} must be at least 1, got {given_count}; leave it out for the model's own")
    kind = settings.get("model_type", "")
    if kind in RELATIVE:
        return given_count or int(settings.get("n_positions") or T5_INPUT.get(kind, 512))
    positions = settings.get("max_encoder_position_embeddings") or settings.get("max_position_embeddings")
    if positions is None:
        raise UserError(f"this {kind or 'model'}'s config.json does not say how many positions it has: not supported")
    maximum = int(positions) // window * window
    if given_count is not None and given_count > maximum:
        raise UserError(f"{field}={given_count} is over the model's {maximum} positions; give at most {maximum}")
    return given_count or maximum


def output_limit(settings: Settings) -> int | None:
    """The longest output in tokens, None where positions are relative.

    As many as the decoder has positions: the start token takes the first, and the last token written needs none. M2M100
    and NLLB compute positions beyond those of their configuration, but learned nothing of them.
    """
    if settings.get("model_type") in RELATIVE:
        return None
    positions = settings.get("max_decoder_position_embeddings") or settings.get("max_position_embeddings")
    return None if positions is None else int(positions)


def window_limit(settings: Settings, given_count: int | None) -> int:
    """The window that prompt and output of a decoder share, in tokens, special ones included. Raises `UserError`.

    Positions may be computed beyond those of the configuration, but the model learned nothing of them.
    """
    if given_count is not None and given_count < 1:
        raise UserError(f"max_input_tokens must be at least 1, got {given_count}; leave it out for the model's own")
    maximum = next((int(settings[name]) for name in POSITIONS if settings.get(name)), None)
    if maximum is None:
        if given_count is None:
            kind = settings.get("model_type", "model")
            raise UserError(
                f"this {kind}'s config.json does not say how many positions it has: give max_input_tokens "
                "(--max-input-tokens N)"
            )
        return given_count
    if given_count is not None and given_count > maximum:
        raise UserError(
            f"max_input_tokens={given_count} is over the model's {maximum} positions; give at most {maximum}"
        )
    return given_count or maximum


def padded_to(settings: Settings, window: int | None) -> int:
    """What the length of inputs has to be a multiple of: LED's window, BigBird-Pegasus' block; 1 elsewhere."""
    if settings.get("model_type") == "bigbird_pegasus":
        return int(settings.get("block_size") or 64)
    return window or 1


def attention_window(settings: Settings, given_count: int | None) -> int | None:
    """LED's attention window (the widest of its layers), None for other models. Raises `UserError`."""
    if settings.get("model_type") != "led":
        if given_count is not None:
            raise UserError(f"attention_window is for LED; {settings.get('model_type')} models have none: leave it out")
        return None
    if given_count is not None and (given_count < 2 or given_count % 2):
        raise UserError(f"attention_window must be an even number of at least 2, got {given_count}")
    own_value = settings.get("attention_window", 512)
    return given_count or (own_value if isinstance(own_value, int) else max(own_value))


def devices(name: str | None, spread: bool = False) -> tuple[str, ...]:
    """The devices of a list with commas, as `device` tells each; the same one may stand there twice.

    `spread`: the network goes where `device_map` puts it, which is on GPUs where there are any. Raises `UserError`.
    """
    return tuple(device(text.strip()) for text in name.split(",")) if name and not spread else (device(None),)


def device(name: str | None) -> str:
    """The device by name, the GPU if there is one for None. Raises `UserError` for one that is not there."""
    if name == "cpu":
        return name
    import torch

    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(name)
    except RuntimeError:
        raise UserError(f'unknown device {name!r}; known: "cpu", "cuda", "cuda:0" …') from None
    if kind.type == "cuda" and (kind.index or 0) >= torch.cuda.device_count():
        raise UserError(f'device {name!r}: this machine has {torch.cuda.device_count()} CUDA GPUs; use device="cpu"')
    return name


def dtype(wanted_text: str, deterministic: bool, settings: Settings, device: str) -> str:
    """bf16, fp16 or fp32. Raises `UserError` for what would give nonsense or contradict."""
    if wanted_text == "int8":
        raise UserError(
            'dtype="int8" is for backend=ctranslate2, in readers that generate; use "auto", "bf16" or "fp32"'
        )
    if deterministic:
        if wanted_text not in ("auto", "fp32"):
            raise UserError(f'deterministic=True computes in fp32; drop dtype="{wanted_text}"')
        return "fp32"
    if wanted_text == "fp16" and settings.get("model_type") in RELATIVE:
        raise UserError('T5 models were trained in bf16 and give NaN in fp16; use dtype="auto", "bf16" or "fp32"')
    if wanted_text == "fp16" and device == "cpu":
        raise UserError('fp16 is for GPUs; on a CPU use dtype="auto", "bf16" or "fp32"')
    if wanted_text != "auto":
        return wanted_text
    return "bf16" if computes_bf16(device) else "fp32"


def computes_bf16(device: str) -> bool:
    """Whether the hardware itself computes in bf16: emulated (oneDNN does so on older CPUs) it is slower than fp32."""
    import torch

    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return False
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))
