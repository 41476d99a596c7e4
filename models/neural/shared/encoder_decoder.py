"""An encoder-decoder network of `transformers` on its device: token ids in, token ids or log-probabilities out."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.quiet import quiet
from models.neural.shared.decoding import Decoding, IsComplete, trimmed
from models.neural.shared.inputs import Fused, Source, Target, Window

LENGTHS = ("max_length", "min_length", "max_new_tokens", "min_new_tokens", "forced_eos_token_id")
SAMPLING = ("temperature", "top_p", "top_k", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")
_loading = threading.Lock()


def pretrained(
    model_class: Any, path: Path, dtype: str, options: Mapping[str, Any], hint: str = "", new_head: bool = False
) -> Any:
    """The model of a folder, of the class `model_class` of `transformers`; no code from the folder is run.

    Nothing is printed. Raises `UserError` for weights that do not make up the model (with the `hint`), and for unknown
    options. With a `new_head` only the base model's weights must be there, except its pooling layer.
    """
    import torch

    dtypes = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
    fixed: dict[str, Any] = {
        "dtype": dtypes[dtype],
        "use_safetensors": True,
        "local_files_only": True,
        "trust_remote_code": False,
        "output_loading_info": True,
    }
    try:
        with _loading, quiet():
            model, report = model_class.from_pretrained(str(path), **options, **fixed)
    except ImportError as error:  # quantization and device_map need packages of their own
        raise UserError(f"cannot load the model in {path} with these options: {error}") from error
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise UserError(f"cannot load the model in {path}: {error}") from error
    missing = sorted(report["missing_keys"])
    if new_head:
        base = f"{model.base_model_prefix}."
        missing = [name for name in missing if name.startswith(base) and not name.startswith(f"{base}pooler.")]
    if missing:
        message = f"the weights in {path} lack {len(missing)} tensors of this model (the first is {missing[0]})"
        raise UserError(message + (f": {hint}" if hint else ""))
    return model


@dataclass(frozen=True, slots=True)
class EncoderDecoder:
    """A loaded network. `window`: inputs are padded to a multiple of it (LED, BigBird-Pegasus), 1 elsewhere."""

    model: Any
    start: int
    pad: int
    ends: frozenset[int]
    window: int = 1
    seq2seq: ClassVar[bool] = True

    @classmethod
    def load(cls, path: Path, dtype: str, device: str, window: int, options: Mapping[str, Any]) -> "EncoderDecoder":
        """Load a folder's safetensors weights; nothing is printed and no code from the folder is run.

        With the option `device_map` they stay where it puts them. Raises `UserError` for weights that do not make up
        the model, and for unknown options.
        """
        from transformers import AutoModelForSeq2SeqLM

        model = pretrained(AutoModelForSeq2SeqLM, path, dtype, options)
        special_ids = _prepare_generation(model)
        if model.config.model_type == "pegasus_x":
            _compute_positions_in_fp32(model)
        placed = model if "device_map" in options else model.to(device)
        return cls(placed.eval(), special_ids["start"], special_ids["pad"], special_ids["ends"], window)

    def generate(
        self,
        sources: Sequence[Source | Fused],
        length: int,
        decoding: Decoding,
        n: int,
        keys: Sequence[str],
        is_complete: IsComplete | None,
    ) -> list[list[list[int]]]:
        """n outputs of each source, of at most `length` tokens, without start token and padding.

        A row that ends by an end token has it as its last; `keys` and `is_complete` are as in `Decoding.write`.
        """
        outputs = decoding.write(self.model, self.inputs(sources), length, n, keys, 1, is_complete)
        trimmed_outputs = [trimmed(output, self.ends, self.pad) for output in outputs]
        return [trimmed_outputs[position : position + n] for position in range(0, len(trimmed_outputs), n)]

    def score(self, sources: Sequence[Source], pairs: Sequence[tuple[int, Target]]) -> list[tuple[float, bool]]:
        """(summed log-probability, whether greedy decoding would write it) of each pair (source, target).

        Natural logarithms of the target's own tokens, computed in fp32. Each source is encoded once.
        """
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        prefixes = [[self.start, *target.prefix] for _, target in pairs]
        rows = [prefix + target.ids for prefix, (_, target) in zip(prefixes, pairs, strict=True)]
        inputs = self.inputs(sources)
        with torch.inference_mode():
            source_numbers = torch.tensor([source_number for source_number, _ in pairs], device=self.model.device)
            states = self.model.get_encoder()(**inputs, return_dict=True).last_hidden_state
            mask = inputs["attention_mask"]
            logits = self.model(
                encoder_outputs=BaseModelOutput(last_hidden_state=states[source_numbers]),
                attention_mask=mask[source_numbers],
                decoder_input_ids=self._padded([row[:-1] for row in rows], 1)[0],
                use_cache=False,
                return_dict=True,
            ).logits
            log_probs = torch.log_softmax(logits.float(), dim=-1)
            scores = []
            for i, (prefix, (_, target)) in enumerate(zip(prefixes, pairs, strict=True)):
                positions = torch.arange(len(prefix) - 1, len(prefix) - 1 + len(target.ids), device=log_probs.device)
                tokens = torch.tensor(target.ids, dtype=torch.long, device=log_probs.device)
                likeliest = bool((log_probs[i, positions].argmax(dim=-1) == tokens).all())
                scores.append((float(log_probs[i, positions, tokens].double().sum()), likeliest))
        return scores

    def training_batch(self, rows: Sequence[tuple[Source, Target]]) -> dict[str, Any]:
        """The training inputs for pairs of source and target; positions without a label have -100."""
        import torch

        prefixes = [[self.start, *target.prefix] for _, target in rows]
        decoder_inputs = [prefix + target.ids[:-1] for prefix, (_, target) in zip(prefixes, rows, strict=True)]
        label_rows = [
            [-100] * (len(prefix) - 1) + target.ids for prefix, (_, target) in zip(prefixes, rows, strict=True)
        ]
        width = max(map(len, label_rows))
        labels = torch.tensor([row + [-100] * (width - len(row)) for row in label_rows], device=self.model.device)
        decoder_ids = self._padded(decoder_inputs, 1)[0]
        return {**self.inputs([source for source, _ in rows]), "decoder_input_ids": decoder_ids, "labels": labels}

    def inputs(self, sources: Sequence[Source | Fused]) -> dict[str, Any]:
        """The padded encoder inputs of prompts; for fused ones, which are encoded here, the encoder states."""
        if fused := [source for source in sources if isinstance(source, Fused)]:
            return fused_states(self, fused)
        single_sources = [source for source in sources if isinstance(source, Source)]
        ids, mask = self._padded([source.ids for source in single_sources], self.window)
        if self.model.config.model_type == "bigbird_pegasus":
            _choose_attention(self.model, ids.shape[1])
        inputs = {"input_ids": ids, "attention_mask": mask}
        if single_sources[0].attends_to_all is not None:
            import torch

            global_mask = torch.zeros_like(mask)
            for row, source in enumerate(single_sources):
                attends = torch.tensor(source.attends_to_all, dtype=mask.dtype)
                global_mask[row, : len(attends)] = attends
            inputs["global_attention_mask"] = global_mask
        return inputs

    def _padded(self, rows: Sequence[list[int]], multiple: int) -> tuple[Any, Any]:
        """Token ids padded on the right to a multiple of `multiple`, and the mask that is 1 on tokens."""
        import torch

        width = max(-(-max(map(len, rows), default=0) // multiple), 1) * multiple
        ids = torch.tensor([row + [self.pad] * (width - len(row)) for row in rows], dtype=torch.long)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], dtype=torch.long)
        return ids.to(self.model.device), mask.to(self.model.device)


def _prepare_generation(model: Any) -> dict[str, Any]:
    """The model's special token ids; its own settings of lengths and sampling are removed."""
    generation_config, config = model.generation_config, model.config
    for name in (*LENGTHS, *SAMPLING):
        setattr(generation_config, name, None)
    token_ids = {}
    for name in ("pad_token_id", "eos_token_id", "decoder_start_token_id"):
        token_id = getattr(generation_config, name, None)
        token_ids[name] = getattr(config, name, None) if token_id is None else token_id
    if token_ids["decoder_start_token_id"] is None:
        token_ids["decoder_start_token_id"] = token_ids["pad_token_id"]
    for name, token_id in token_ids.items():
        if token_id is None:
            raise UserError(f"the model's config.json has no {name}")
        setattr(generation_config, name, token_id)
    end_ids: Any = token_ids["eos_token_id"]
    return {
        "start": token_ids["decoder_start_token_id"],
        "pad": token_ids["pad_token_id"],
        "ends": frozenset([end_ids] if isinstance(end_ids, int) else end_ids),
    }


def _choose_attention(model: Any, width: int) -> None:
    """Set BigBird's attention for a width: full for short inputs. `transformers` switches to full, but never back."""
    config, encoder = model.config, model.get_encoder()
    short = width <= full_attention_limit(vars(config))
    encoder.set_attention_type("original_full" if short else config.attention_type)


def full_attention_limit(settings: Mapping[str, Any]) -> int:
    """The longest input that BigBird reads with full attention: (5 + 2 · random blocks) blocks, in tokens."""
    return (5 + 2 * int(settings.get("num_random_blocks", 3))) * int(settings.get("block_size", 64))


def _compute_positions_in_fp32(model: Any) -> None:
    """Pegasus-X: compute the sines of positions in fp32. In bf16 positions over 256 are rounded: many become one."""
    for module in model.modules():
        if type(module).__name__ == "PegasusXSinusoidalPositionalEmbedding":
            module.register_forward_pre_hook(lambda _, inputs: (inputs[0].float(), *inputs[1:]))
            module.register_forward_hook(lambda _, __, sines: sines.to(model.dtype))


def fused_states(network: "EncoderDecoder", fused: Sequence[Fused]) -> dict[str, Any]:
    """The encoder states [sources, tokens, width] of fused sources, padded, and their attention mask."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    rows = [torch.cat(list(_states(network, source))) for source in fused]
    width = max(map(len, rows))
    mask = torch.zeros((len(rows), width), dtype=torch.long, device=network.model.device)
    states = rows[0].new_zeros((len(rows), width, rows[0].shape[-1]))
    for i, row in enumerate(rows):
        states[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"encoder_outputs": BaseModelOutput(last_hidden_state=states), "attention_mask": mask}


def _states(network: "EncoderDecoder", fused: Fused) -> Iterator[Any]:
    """The encoder states [tokens, width] that are used of each window."""
    import torch

    for batch in _batches(fused.windows, fused.budget):
        with torch.inference_mode():
            inputs = network.inputs([window.source for window in batch])
            states = network.model.get_encoder()(**inputs, return_dict=True).last_hidden_state
        yield from (row[slice(*window.used)] for row, window in zip(states, batch, strict=True))


def _batches(windows: Sequence[Window], budget: int | None) -> Iterator[list[Window]]:
    batch: list[Window] = []
    for window in windows:
        widest = max(len(window.source.ids) for window in (*batch, window))
        if batch and (budget is None or (len(batch) + 1) * widest > budget):
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
