"""Low-rank adapters (Hu et al. 2021, "LoRA") through `peft` (extra `lora`), merged into the weights that are saved.

W is frozen and W + 2·B·A is used, B and A of the given rank; peft chooses which matrices of a model have adapters
(mostly queries and values). The scale is twice that of the paper's α = r.
"""

from typing import Any

from longdoc.errors import UserError
from longdoc.optional import need

SCALE = 2


def adapted(model: Any, rank: int | None, task: str) -> Any:
    """The model with adapters of this rank, only these (and a head of a `task` that has one) being trained.

    The model itself for None. Raises `UserError` if peft has no defaults for the kind of model.
    """
    if rank is None:
        return model
    peft: Any = need("peft", "lora", "training with lora=RANK")
    config = peft.LoraConfig(r=rank, lora_alpha=SCALE * rank, lora_dropout=0.0, task_type=task)
    try:
        return peft.get_peft_model(model, config)
    except ValueError as error:
        raise UserError(f"no adapters for {model.config.model_type} models: {error}. Train without lora") from None


def merged(model: Any) -> Any:
    """The model with its adapters merged into its weights; the model itself without adapters."""
    return model.merge_and_unload() if hasattr(model, "merge_and_unload") else model
