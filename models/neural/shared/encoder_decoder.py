"""An encoder-decoder network of `transformers` on its device: token ids in, token ids or log-probabilities out."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from models.neural.shared.decoding import Decoding, IsComplete, trimmed
from models.neural.shared.inputs import Fused, Source, Target, Window
from models.quiet import quiet

LENGTHS = ("max_length", "min_length", "max_new_tokens", "min_new_tokens", "forced_eos_token_id")
SAMPLING = ("temperature", "top_p", "top_k", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")
_loading = threading.Lock()


def pretrained(
    kind: Any, path: Path, dtype: str, options: Mapping[str, Any], hint: str = "", new_head: bool = False
) -> Any:
    """A network of `transformers`' class `kind` from a folder's safetensors; no code from the folder is run.

    Nothing is printed. Raises `UserError` for weights that do not make up the model (with the `hint`), and for unknown
    options. With a `new_head` only the base model's have to be there, its pooling layer (part of some heads) aside.
    """
    import torch

    kinds_values = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
    fixed: dict[str, Any] = {
        "dtype": kinds_values[dtype],
        "use_safetensors": True,
        "local_files_only": True,
        "trust_remote_code": False,
        "output_loading_info": True,
    }
    try:
        with _loading, quiet():
            model, report = kind.from_pretrained(str(path), **options, **fixed)
    except ImportError as error:  # quantization and device_map need packages of their own
        raise UserError(f"cannot load the model in {path} with these options: {error}") from error
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise UserError(f"cannot load the model in {path}: {error}") from error
    missing = sorted(report["missing_keys"])
    if new_head:
        base = f"{model.base_model_prefix}."
        missing = [name for name in missing if name.startswith(base) and not name.startswith(f"{base}pooler.")]
    if missing:
        lacking_text = f"the weights in {path} lack {len(missing)} tensors of this model, {missing[0]} the first"
        raise UserError(lacking_text + (f": {hint}" if hint else ""))
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
        settled_fields = _settle(model)
        if model.config.model_type == "pegasus_x":
            _exact_positions(model)
        placed_value = model if "device_map" in options else model.to(device)
        return cls(placed_value.eval(), settled_fields["start"], settled_fields["pad"], settled_fields["ends"], window)

    def generate(
        self,
        sources: Sequence[Source | Fused],
        length: int,
        decoding: Decoding,
        n: int,
        keys: Sequence[str],
        ended_value: IsComplete | None,
    ) -> list[list[list[int]]]:
        """For each source n continuations of at most `length` tokens, without the start token and padding.

        A row that ends by an end token has it as its last; `keys` and `ended_value` are as in `Decoding.write`.
        """
        rows = decoding.write(self.model, self.inputs(sources), length, n, keys, 1, ended_value)
        flat = [trimmed(row, self.ends, self.pad) for row in rows]
        return [flat[position : position + n] for position in range(0, len(flat), n)]

    def score(self, sources: Sequence[Source], pairs: Sequence[tuple[int, Target]]) -> list[tuple[float, bool]]:
        """For each pair (source, target) the sum of the natural log-probabilities of the target's own tokens, and
        whether each of them is the likeliest.

        Each source is encoded once. The softmax is taken in fp32 whatever the network's dtype.
        """
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        before = [[self.start, *target.prefix] for _, target in pairs]
        rows = [start + target.ids for start, (_, target) in zip(before, pairs, strict=True)]
        inputs = self.inputs(sources)
        with torch.inference_mode():
            owners = torch.tensor([owner for owner, _ in pairs], device=self.model.device)
            states = self.model.get_encoder()(**inputs, return_dict=True).last_hidden_state
            mask = inputs["attention_mask"]
            logits = self.model(
                encoder_outputs=BaseModelOutput(last_hidden_state=states[owners]),
                attention_mask=mask[owners],
                decoder_input_ids=self._padded([row[:-1] for row in rows], 1)[0],
                use_cache=False,
                return_dict=True,
            ).logits
            known_value = torch.log_softmax(logits.float(), dim=-1)
            sums = []
            for i, (start, (_, target)) in enumerate(zip(before, pairs, strict=True)):
                positions = torch.arange(len(start) - 1, len(start) - 1 + len(target.ids), device=known_value.device)
                tokens = torch.tensor(target.ids, dtype=torch.long, device=known_value.device)
                likeliest = bool((known_value[i, positions].argmax(dim=-1) == tokens).all())
                sums.append((float(known_value[i, positions, tokens].double().sum()), likeliest))
        return sums

    def training_batch(self, rows: Sequence[tuple[Source, Target]]) -> dict[str, Any]:
        """What the network takes to learn the targets' own tokens from the sources; -100 is no label."""
        import torch

        before = [[self.start, *target.prefix] for _, target in rows]
        decoder_inputs = [start + target.ids[:-1] for start, (_, target) in zip(before, rows, strict=True)]
        asked_rows = [[-100] * (len(start) - 1) + target.ids for start, (_, target) in zip(before, rows, strict=True)]
        width = max(map(len, asked_rows))
        labels = torch.tensor([row + [-100] * (width - len(row)) for row in asked_rows], device=self.model.device)
        decoder = self._padded(decoder_inputs, 1)[0]
        return {**self.inputs([source for source, _ in rows]), "decoder_input_ids": decoder, "labels": labels}

    def inputs(self, sources: Sequence[Source | Fused]) -> dict[str, Any]:
        """What the network takes for prompts, padded; of fused ones, which are encoded here, the states."""
        if fused := [source for source in sources if isinstance(source, Fused)]:
            return joined(self, fused)
        plain_sources = [source for source in sources if isinstance(source, Source)]
        ids, mask = self._padded([source.ids for source in plain_sources], self.window)
        if self.model.config.model_type == "bigbird_pegasus":
            _choose_attention(self.model, ids.shape[1])
        inputs = {"input_ids": ids, "attention_mask": mask}
        if plain_sources[0].attends_to_all is not None:
            import torch

            marks = torch.zeros_like(mask)
            for row, source in enumerate(plain_sources):
                global_mask = torch.tensor(source.attends_to_all, dtype=mask.dtype)
                marks[row, : len(global_mask)] = global_mask
            inputs["global_attention_mask"] = marks
        return inputs

    def _padded(self, rows: Sequence[list[int]], multiple: int) -> tuple[Any, Any]:
        """Token ids padded on the right to a multiple of `multiple`, and the mask that is 1 on tokens."""
        import torch

        width = max(-(-max(map(len, rows), default=0) // multiple), 1) * multiple
        ids = torch.tensor([row + [self.pad] * (width - len(row)) for row in rows], dtype=torch.long)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], dtype=torch.long)
        return ids.to(self.model.device), mask.to(self.model.device)


def _settle(model: Any) -> dict[str, Any]:
    """Leave of the model's generation settings what does not speak of lengths or sampling; find its special tokens."""
    settings, config = model.generation_config, model.config
    for name in (*LENGTHS, *SAMPLING):
        setattr(settings, name, None)
    values = {}
    for name in ("pad_token_id", "eos_token_id", "decoder_start_token_id"):
        value = getattr(settings, name, None)
        values[name] = getattr(config, name, None) if value is None else value
    if values["decoder_start_token_id"] is None:
        values["decoder_start_token_id"] = values["pad_token_id"]
    for name, value in values.items():
        if value is None:
            raise UserError(f"the model's config.json has no {name}")
        setattr(settings, name, value)
    ends: Any = values["eos_token_id"]
    return {
        "start": values["decoder_start_token_id"],
        "pad": values["pad_token_id"],
        "ends": frozenset([ends] if isinstance(ends, int) else ends),
    }


def _choose_attention(model: Any, width: int) -> None:
    """BigBird reads short inputs with full attention. `transformers` goes over to it, but never back."""
    config, encoder = model.config, model.get_encoder()
    short = width <= reach(vars(config))
    encoder.set_attention_type("original_full" if short else config.attention_type)


def reach(settings: Mapping[str, Any]) -> int:
    """The tokens up to which BigBird's attention is full: two global blocks, three in a row, twice the random ones."""
    return (5 + 2 * int(settings.get("num_random_blocks", 3))) * int(settings.get("block_size", 64))


def _exact_positions(model: Any) -> None:
    """Pegasus-X: compute the sines of positions in fp32. In bf16 positions over 256 are rounded: many become one."""
    for module in model.modules():
        if type(module).__name__ == "PegasusXSinusoidalPositionalEmbedding":
            module.register_forward_pre_hook(lambda _, inputs: (inputs[0].float(), *inputs[1:]))
            module.register_forward_hook(lambda _, __, sines: sines.to(model.dtype))


def joined(network: "EncoderDecoder", fused: Sequence[Fused]) -> dict[str, Any]:
    """What `generate` takes for fused sources: encoder states [sources, tokens, width], padded, and their mask."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    rows = [torch.cat(list(_states(network, fused))) for fused in fused]
    width = max(map(len, rows))
    mask = torch.zeros((len(rows), width), dtype=torch.long, device=network.model.device)
    states = rows[0].new_zeros((len(rows), width, rows[0].shape[-1]))
    for i, row in enumerate(rows):
        states[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"encoder_outputs": BaseModelOutput(last_hidden_state=states), "attention_mask": mask}


def _states(network: "EncoderDecoder", fused: Fused) -> Iterator[Any]:
    """The kept states of each window [tokens, width], neighbours encoded together within the budget."""
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
