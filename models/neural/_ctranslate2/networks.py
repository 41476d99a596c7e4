"""Networks in CTranslate2 (https://opennmt.net/CTranslate2): token ids in, token ids or log-probabilities out.

They stand where `EncoderDecoder` and `Decoder` stand. Tokens are the decimal numbers of token ids.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from models.neural.shared.decoding import Decoding, IsComplete
from models.neural.shared.inputs import Fused, Source, Target

COMPUTED = {"fp32": "float32", "int8": "int8_float32"}


def threads() -> int:
    """Number of threads of a network: as many as torch has (OMP_NUM_THREADS)."""
    import torch

    return torch.get_num_threads()


def load(folder: Path, description: Mapping[str, Any], dtype: str) -> "Translator | Generator":
    """The converted network in a folder; in int8 its weights are quantized while they are read."""
    import ctranslate2

    kind = ctranslate2.Translator if description["seq2seq"] else ctranslate2.Generator
    try:
        engine = kind(str(folder), "cpu", compute_type=COMPUTED[dtype], intra_threads=threads())
    except (RuntimeError, ValueError) as error:
        raise UserError(f"CTranslate2 cannot load the converted model in {folder}: {error}") from error
    ends = frozenset(description["ends"])
    if description["seq2seq"]:
        return Translator(engine, description["start"], ends, description["first"], description["no_repeat_ngram_size"])
    return Generator(engine, description["start"], ends)


@dataclass(frozen=True, slots=True)
class Translator:
    """A sequence-to-sequence network. `first` is forced as the first token of outputs, None: nothing is."""

    engine: Any
    start: int
    ends: frozenset[int]
    first: int | None
    no_repeat_ngram_size: int
    seq2seq: ClassVar[bool] = True

    def generate(
        self,
        sources: Sequence[Source | Fused],
        length: int,
        decoding: Decoding,
        n: int,
        keys: Sequence[str],
        is_complete: IsComplete | None,
    ) -> list[list[list[int]]]:
        """See `EncoderDecoder.generate`."""
        rows = [_tokens(source.ids) for source in sources if isinstance(source, Source)]
        with _stopping(is_complete, decoding, n) as stops:
            results = self.engine.translate_batch(
                rows,
                None if self.first is None else [[str(self.first)]] * len(rows),
                max_decoding_length=length,
                min_decoding_length=0,
                max_input_length=0,
                no_repeat_ngram_size=self.no_repeat_ngram_size,
                callback=stops,
                **_search(decoding, n, self.ends),
            )
        return [[_ids(tokens) for tokens in result.hypotheses] for result in results]

    def score(self, sources: Sequence[Source], pairs: Sequence[tuple[int, Target]]) -> list[tuple[float, bool | None]]:
        """See `EncoderDecoder.score`; whether a token is the likeliest is not known."""
        rows = [_tokens(sources[owner].ids) for owner, _ in pairs]
        targets = [_tokens([*target.prefix, *target.ids]) for _, target in pairs]
        results = self.engine.score_batch(rows, targets, max_input_length=0)
        scores: list[tuple[float, bool | None]] = []
        for result, (_, target) in zip(results, pairs, strict=True):  # the end token's comes last
            log_probs = result.log_probs[len(target.prefix) : len(target.prefix) + len(target.ids)]
            scores.append((float(sum(log_probs)), None))
        return scores


@dataclass(frozen=True, slots=True)
class Generator:
    """A decoder-only network. Prompts are read one by one: it reads those of different lengths together slowly."""

    engine: Any
    start: int
    ends: frozenset[int]
    seq2seq: ClassVar[bool] = False

    def generate(
        self,
        prompts: Sequence[list[int]],
        length: int,
        decoding: Decoding,
        n: int,
        keys: Sequence[str],
        is_complete: IsComplete | None,
    ) -> list[list[list[int]]]:
        """See `Decoder.generate`."""
        search = {"max_length": length, "include_prompt_in_result": False, **_search(decoding, n, self.ends)}
        outputs = []
        for prompt in prompts:
            row = [_tokens(prompt or [self.start])]
            with _stopping(is_complete, decoding, n) as stops:
                (result,) = self.engine.generate_batch(row, callback=stops, **search)
            outputs.append([list(ids) for ids in result.sequences_ids])
        return outputs

    def score(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[tuple[float, bool | None]]:
        """See `Decoder.score`; whether a token is the likeliest is not known."""
        scores: list[tuple[float, bool | None]] = []
        for prompt, target in pairs:
            row = [_tokens([*(prompt or [self.start]), *target])]
            (result,) = self.engine.score_batch(row, max_input_length=0)
            scores.append((float(sum(result.log_probs[len(row[0]) - 1 - len(target) :])), None))
        return scores


def _search(decoding: Decoding, n: int, ends: frozenset[int]) -> dict[str, Any]:
    beams = max(decoding.num_beams, n)
    return {
        "beam_size": beams,
        "num_hypotheses": n,
        "length_penalty": 1.0 if beams == 1 or decoding.length_penalty is None else decoding.length_penalty,
        "end_token": sorted(ends),
        "return_end_token": True,
    }


@contextmanager
def _stopping(is_complete: IsComplete | None, decoding: Decoding, n: int) -> Iterator[Callable[[Any], bool] | None]:
    """The callback that gets each token and returns whether its row is complete; None where nothing stops a row.

    A thread of the network lets go of it last. It must not hold the network through `is_complete` then: the thread
    would end the network, and with it itself, which aborts the program.
    """
    if is_complete is None or max(decoding.num_beams, n) > 1:
        yield None
        return
    callbacks: list[IsComplete] = [is_complete]
    rows: dict[int, list[int]] = {}

    def stops(step: Any) -> bool:
        row = rows.setdefault(step.batch_id, [])
        row.append(step.token_id)
        return callbacks[0](row)

    try:
        yield stops
    finally:
        callbacks.clear()


def _tokens(ids: Sequence[int]) -> list[str]:
    return list(map(str, ids))


def _ids(tokens: Sequence[str]) -> list[int]:
    return list(map(int, tokens))
