"""Pegasus-X and BigBird-Pegasus: blocks, limits, and what `transformers` leaves to the caller."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from models import Generate, Score
from models.neural.seq2seq import Seq2seq
from tests import tiny_models
from tests.tiny_models import TEXT

SHORT, LONG = TEXT[1], " ".join(TEXT[:3])  # within full attention and beyond it
KINDS = ("pegasus_x", "bigbird_pegasus")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind)) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_output_is_the_networks_best_token_step_by_step(
    kind: str, folders: dict[str, Path], by_hand: Callable[..., list[int]]
) -> None:
    tokenizer = Tokenizer.from_file(str(folders[kind] / "tokenizer.json"))
    reader = Seq2seq(str(folders[kind]), device="cpu", dtype="fp32")
    for text in (SHORT, LONG):
        row = by_hand(folders[kind], text, 8)
        assert reader.reply([Generate(text, 8)])[0].value == tokenizer.decode(row, skip_special_tokens=True) != ""


@pytest.mark.parametrize("kind", KINDS)
def test_requests_read_together_get_the_replies_they_get_alone(kind: str, folders: dict[str, Path]) -> None:
    requests: list[Any] = [Generate(text, 8) for text in (*TEXT, LONG, " ".join(TEXT[1:4]), LONG[:-9])]
    requests += [Score(text, word) for text in (SHORT, LONG, LONG[:-9]) for word in ("A lamp", "Tom")]
    alone = Seq2seq(str(folders[kind]), device="cpu", deterministic=True).reply(requests)
    together = Seq2seq(str(folders[kind]), device="cpu", dtype="fp32").reply(requests)
    outputs = [reply.value for reply in together]
    assert outputs[:9] == [reply.value for reply in alone[:9]]
    assert outputs[9:] == pytest.approx([reply.value for reply in alone[9:]], abs=1e-4)


@pytest.mark.parametrize(("kind", "limit"), [("pegasus_x", 127), ("bigbird_pegasus", 127)])
def test_inputs_are_cut_at_the_number_of_positions(kind: str, limit: int, folders: dict[str, Path]) -> None:
    reader = Seq2seq(str(folders[kind]), device="cpu", dtype="fp32")
    assert (reader.max_prompt_tokens, reader.max_output_tokens) == (limit, 128)
    (reply,) = reader.reply([Generate(" ".join(TEXT * 2), 2)])
    assert reply.tokens_in == limit and reply.truncated_tokens > 0


def test_a_short_text_does_not_change_how_bigbird_reads_the_next_long_one(folders: dict[str, Path]) -> None:
    reader = Seq2seq(str(folders["bigbird_pegasus"]), device="cpu", dtype="fp32")
    (before,) = reader.reply([Score(LONG, "A lamp")])
    encoder = reader.networks()[0].model.get_encoder()
    assert encoder.attention_type == "block_sparse"
    reader.reply([Score(SHORT, "A lamp")])
    assert encoder.attention_type == "original_full"
    assert reader.reply([Score(LONG, "A lamp")]) == [before]


def test_bigbird_reads_only_texts_of_one_padded_length_together(
    folders: dict[str, Path],
) -> None:
    reader = Seq2seq(str(folders["bigbird_pegasus"]), device="cpu", dtype="fp32")
    shapes: list[tuple[int, ...]] = []
    encoder = reader.networks()[0].model.get_encoder()
    encoder.register_forward_pre_hook(
        lambda _, __, arguments: shapes.append(tuple(arguments["input_ids"].shape)), with_kwargs=True
    )
    texts = ["Tom " * n for n in (9, 3, 26, 27, 33, 34)]  # 28 with the end is the most for full attention
    reader.reply([Generate(text, 2) for text in texts])
    assert shapes == [(4, 28), (2, 36)]


def test_positions_of_pegasus_x_stay_apart_in_bf16(folders: dict[str, Path]) -> None:
    import torch

    network = Seq2seq(str(folders["pegasus_x"]), device="cpu", dtype="bf16").networks()[0].model
    embed = network.get_encoder().embed_positions
    sines = embed(torch.zeros(1, 1000, 32, dtype=torch.bfloat16))
    exact = embed.forward(torch.zeros(1, 1000, 32))
    assert sines.dtype == torch.bfloat16
    assert float((sines.float() - exact).abs().max()) < 0.01
    plain = embed.forward(torch.zeros(1, 1000, 32, dtype=torch.bfloat16))  # what transformers makes of it
    assert float((plain.float() - exact).abs().max()) > 1
