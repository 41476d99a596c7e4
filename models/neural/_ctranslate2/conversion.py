"""A network of `transformers` converted by CTranslate2's own converter, and checked to compute the same.

The converter was written for older versions of `transformers`, so some settings are put where it looks for them. Its
tokens are the decimal numbers of token ids: texts are tokenized elsewhere.
"""

from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.quiet import quiet
from models.neural.shared.decoder import Decoder
from models.neural.shared.encoder_decoder import EncoderDecoder
from models.neural.shared.inputs import Source, Target

SEQ2SEQ = frozenset({"t5", "mt5", "umt5", "bart", "pegasus"})
CAUSAL = frozenset({"llama", "qwen2", "qwen3", "mistral", "gemma", "gpt2"})
LAYERS = {"bart": (False, True), "pegasus": (True, False)}  # normalized before each; normalized embeddings
NEUTRAL_SETTINGS = {  # settings of decoding that are refused, and the value of each that has no effect
    "repetition_penalty": 1.0,
    "encoder_repetition_penalty": 1.0,
    "encoder_no_repeat_ngram_size": 0,
    "bad_words_ids": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
    "sequence_bias": None,
    "exponential_decay_length_penalty": None,
    "guidance_scale": 1.0,
}
LEAVE = "leave backend=ctranslate2 out"
PROBE = 256  # tokens that both networks read
TOLERANCE = 1e-3  # of a log-probability, per token; both compute in fp32 and differ by about 1e-6


def convert(network: EncoderDecoder | Decoder, source: Path, folder: Path) -> dict[str, Any]:
    """Write the converted network into an empty folder; return its description (special tokens and the like).

    Raises `UserError` where the converter cannot, where it computes something else, and where the model's own settings
    ask for a decoding that CTranslate2 does not have or does differently.
    """
    description = _decoding(network)
    checks = _probes(network)
    expected = _scores(network, checks)
    try:
        with quiet():
            _converter(network, source).convert(str(folder), quantization="float32", force=True)
    except OSError:
        raise
    except Exception as error:  # whatever it trips over in settings that it does not know
        raise UserError(f"CTranslate2 cannot convert this model ({error}): {LEAVE}") from error
    from models.neural._ctranslate2.networks import load

    computed = _scores(load(folder, description, "fp32"), checks)
    worst = max(abs(a - b) for a, b in zip(expected, computed, strict=True)) / len(checks[0][1])
    if not worst < TOLERANCE:
        raise UserError(
            f"CTranslate2's log-probabilities of this model differ from transformers' by {worst:.2g} per token: {LEAVE}"
        )
    return description


def _decoding(network: EncoderDecoder | Decoder) -> dict[str, Any]:
    settings = network.model.generation_config
    for name, neutral in NEUTRAL_SETTINGS.items():
        value = getattr(settings, name, None)
        if value is not None and value != neutral:
            raise UserError(f"this model's settings have {name}={value}, which CTranslate2 does differently: {LEAVE}")
    no_repeat_ngram_size = settings.no_repeat_ngram_size or 0
    if no_repeat_ngram_size and isinstance(network, Decoder):
        raise UserError(f"this model's settings have no_repeat_ngram_size, which CTranslate2 does differently: {LEAVE}")
    seq2seq = isinstance(network, EncoderDecoder)
    return {
        "seq2seq": seq2seq,
        "start": network.start,
        "ends": sorted(network.ends),
        "first": settings.forced_bos_token_id if seq2seq else None,
        "no_repeat_ngram_size": no_repeat_ngram_size,
    }


def _converter(network: EncoderDecoder | Decoder, source: Path) -> Any:
    """The library's converter for a network that is loaded already; token ids take the place of a tokenizer."""
    from ctranslate2.converters import TransformersConverter

    model = network.model
    config, kind = model.config, model.config.model_type
    if kind in LAYERS:
        config.normalize_before, config.normalize_embedding = LAYERS[kind]
    if kind in ("t5", "mt5"):  # it takes the output for scaled where this is set, as it was in transformers 4
        config.tie_word_embeddings = kind == "t5" and bool(config.scale_decoder_outputs)
    config.decoder_start_token_id = network.start
    size = int(model.get_input_embeddings().weight.shape[0])

    class Loaded(TransformersConverter):  # type: ignore[misc]
        def load_model(self, *_: Any, **__: Any) -> Any:
            return model

        def load_tokenizer(self, *_: Any, **__: Any) -> Any:
            return _Ids(size, network.pad)

    return Loaded(str(source))


class _Ids:
    """What the converter asks of a tokenizer, where each token is the number of its id.

    Start and end are those of padding: prompts bring their own, and each call names the end tokens. CTranslate2 would
    answer a prompt that has none but these with nothing.
    """

    unk_token = ""

    def __init__(self, size: int, pad: int) -> None:
        self.size = size
        self.bos_token = self.pad_token = self.eos_token = str(pad)

    def get_vocab(self) -> dict[str, int]:
        return {str(number): number for number in range(self.size)}

    def convert_ids_to_tokens(self, number: int) -> str:
        return str(number)


def _probes(network: EncoderDecoder | Decoder) -> list[tuple[list[int], list[int]]]:
    """Random (prompt, continuation) token ids to compare the two networks with; continuations have 16 tokens."""
    import numpy as np

    rng = np.random.default_rng(0)
    config = network.model.config
    max_positions = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or PROBE
    size, length = int(network.model.get_input_embeddings().weight.shape[0]), min(PROBE, max_positions) - 16
    rows = [rng.integers(0, size, length).tolist() for _ in range(2)]
    return [(row, rng.integers(0, size, 16).tolist()) for row in rows]


def _scores(network: Any, checks: list[tuple[list[int], list[int]]]) -> list[float]:
    if network.seq2seq:
        sources = [Source(prompt) for prompt, _ in checks]
        scored = network.score(sources, [(i, Target([], target)) for i, (_, target) in enumerate(checks)])
    else:
        scored = network.score(checks)
    return [score for score, _ in scored]
