"""Prompts encoded one by one or in windows, and the decoder over all of their states."""

from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from longdoc.errors import UserError
from models import Fuse, Generate, Part, Prompt
from models.neural.seq2seq import Seq2seq
from models.neural.shared.encoder_decoder import fused_states
from models.neural.shared.inputs import Source, sliding
from tests.models.conftest import load_network
from tests.tiny_models import TEXT

KINDS = ("t5", "longt5", "bart", "led")
QUESTION = "Who kept a lamp? "


@pytest.fixture(scope="session")
def folders(tiny_t5: Path, tiny_longt5: Path, tiny_bart: Path, tiny_led: Path) -> dict[str, Path]:
    return {"t5": tiny_t5, "longt5": tiny_longt5, "bart": tiny_bart, "led": tiny_led}


@pytest.fixture(scope="session")
def readers(folders: dict[str, Path]) -> dict[str, Seq2seq]:
    longer = {"t5": {"max_input_tokens": 200}, "longt5": {"max_input_tokens": 200}}  # than what they were trained on
    return {
        kind: Seq2seq(str(folder), device="cpu", deterministic=True, **longer.get(kind, {}))
        for kind, folder in folders.items()
    }


def prompt(*texts: str, cue: str = "") -> Prompt:
    documents = [Part("document", text, 0, len(text), rank) for rank, text in enumerate(texts)]
    return Prompt((Part("query", QUESTION), *documents, *([Part("cue", cue)] if cue else [])))


def ids_of(folder: Path, text: str, special: bool = True) -> list[int]:
    return list(Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text, add_special_tokens=special).ids)


def states(network: Any, ids: list[int]) -> Any:
    """The encoder's states [tokens, width] of one input."""
    import torch

    with torch.no_grad():
        return network.get_encoder()(input_ids=torch.tensor([ids])).last_hidden_state[0]


def greedy(network: Any, memory: Any, steps: int, forced: int | None) -> list[int]:
    """Greedy decoding over encoder states, step by step and without a cache."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    row = [network.config.decoder_start_token_id]
    for step in range(steps):
        with torch.no_grad():
            encoder_output = BaseModelOutput(last_hidden_state=memory[None])
            logits = network(encoder_outputs=encoder_output, decoder_input_ids=torch.tensor([row])).logits[0, -1]
        row.append(forced if forced is not None and step == 0 else int(logits.argmax()))
        if row[-1] == network.config.eos_token_id:
            break
    return row[1:]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("overlap", [0, 2])
def test_fusing_one_prompt_is_plain_generation_token_for_token(
    kind: str, overlap: int, readers: dict[str, Seq2seq]
) -> None:
    for text in TEXT[:3]:
        for n in (1, 3):
            (plain,) = readers[kind].reply([Generate(prompt(text), 8, n=n)])
            (fused,) = readers[kind].reply([Fuse((prompt(text),), 8, n=n, overlap=overlap)])
            assert fused == plain
            assert all(fused.value)


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_beams_and_stop_strings_are_those_of_generation(kind: str, folders: dict[str, Path]) -> None:
    reader = Seq2seq(str(folders[kind]), device="cpu", deterministic=True, num_beams=3)
    first = reader.reply([Generate(prompt(TEXT[0]), 8)])[0].value
    stop = (first[2],)
    assert reader.reply([Fuse((prompt(TEXT[0]),), 8, stop)]) == reader.reply([Generate(prompt(TEXT[0]), 8, stop)])


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_fusion_in_decoder_decodes_over_the_states_of_all_prompts(
    kind: str, folders: dict[str, Path], readers: dict[str, Seq2seq]
) -> None:
    import torch

    network = load_network(folders[kind])
    tokenizer = Tokenizer.from_file(str(folders[kind] / "tokenizer.json"))
    texts = [QUESTION + text for text in TEXT[:4]]
    memory = torch.cat([states(network, ids_of(folders[kind], text)) for text in texts])
    row = greedy(network, memory, 10, forced=0 if kind == "bart" else None)
    (reply,) = readers[kind].reply([Fuse(tuple(prompt(text) for text in TEXT[:4]), 10)])
    assert reply.value == tokenizer.decode(row, skip_special_tokens=True) != ""
    assert reply.tokens_in == sum(len(ids_of(folders[kind], text, special=False)) for text in texts)
    alone = [readers[kind].reply([Generate(prompt(text), 10)])[0].value for text in TEXT[:4]]
    assert reply.value not in alone


@pytest.mark.parametrize("kind", ["t5", "bart"])
@pytest.mark.parametrize(("limit", "overlap"), [(40, 4), (33, 1), (40, 9)])
def test_sled_drops_the_states_at_the_edges_of_windows(
    kind: str, limit: int, overlap: int, folders: dict[str, Path]
) -> None:
    import torch

    folder, document, cue = folders[kind], " ".join(TEXT[:4]), " Answer:"
    network = load_network(folder)
    whole = ids_of(folder, QUESTION + document + cue)
    head = len(ids_of(folder, QUESTION.rstrip(), special=False)) + (kind == "bart")
    tail = len(ids_of(folder, cue, special=False)) + 1
    if kind == "bart":  # the space before the document is in the question
        head += 1
    n, room = len(whole) - head - tail, limit - head - tail
    starts = [*range(0, n - room, room - 2 * overlap), n - room]
    kept: dict[int, Any] = {}
    for start in starts:
        ids = whole[: head + start + room][head + start :]
        out = states(network, whole[:head] + ids + whole[len(whole) - tail :])
        if start == 0:
            before = out[:head]
        since = 0 if start == 0 else overlap
        until = room if start == n - room else room - overlap
        for at in range(since, until):
            kept.setdefault(start + at, out[head + at])
    memory = torch.cat([before, torch.stack([kept[at] for at in range(n)]), out[len(out) - tail :]])
    reader = Seq2seq(str(folder), device="cpu", deterministic=True, max_input_tokens=limit)
    request = Fuse((prompt(document, cue=cue),), 10, overlap=overlap)
    source = reader._read_fused(request)[1]
    assert len(source.windows) == len(starts) > 2
    assert source.ids == whole
    (fused,) = fused_states(reader.network(), [source])["encoder_outputs"].last_hidden_state
    assert torch.allclose(fused, memory, atol=1e-5)
    (reply,) = reader.reply([request])
    row = greedy(network, memory, 10, forced=0 if kind == "bart" else None)
    assert reply.value == Tokenizer.from_file(str(folder / "tokenizer.json")).decode(row, skip_special_tokens=True)
    assert (reply.truncated_tokens, reply.tokens_in) == (0, len(whole) - (1 if kind == "t5" else 2))


@pytest.mark.parametrize("kind", KINDS)
def test_requests_together_answer_as_one_by_one_and_as_in_deterministic_mode(
    kind: str, folders: dict[str, Path], readers: dict[str, Seq2seq]
) -> None:
    requests = [Fuse(tuple(prompt(text) for text in TEXT[:n]), 6) for n in (1, 4, 2)]
    requests.append(Fuse((prompt(*TEXT * 2),), 6, overlap=3))
    limit = readers[kind].limit
    assert len(readers[kind]._read_fused(requests[-1])[1].windows) > 2
    exact = readers[kind].reply(requests)
    assert [readers[kind].reply([request])[0] for request in requests] == exact
    batched = Seq2seq(str(folders[kind]), device="cpu", dtype="fp32", batch_tokens=1000, max_input_tokens=limit)
    assert batched.reply(requests) == exact


def test_windows_are_encoded_within_the_token_budget(folders: dict[str, Path]) -> None:
    width = len(ids_of(folders["t5"], QUESTION + TEXT[0]))
    for budget, shapes in ((None, [1, 1, 1, 1]), (2 * width, [2, 2]), (3 * width, [3, 1]), (9 * width, [4])):
        reader = Seq2seq(str(folders["t5"]), device="cpu", dtype="fp32", batch_tokens=budget, max_input_tokens=200)
        calls: list[int] = []
        encoder: Any = reader.networks()[0].model.get_encoder()
        encoder.register_forward_pre_hook(
            lambda _, __, inputs, calls=calls: calls.append(len(inputs["input_ids"])), with_kwargs=True
        )
        reader.reply([Fuse((prompt(TEXT[0]),) * 4, 2)])
        assert calls == shapes


def test_prompts_of_fusion_in_decoder_are_cut_one_by_one(folders: dict[str, Path]) -> None:
    reader = Seq2seq(str(folders["t5"]), device="cpu", deterministic=True, max_input_tokens=30)
    both = reader.reply([Fuse((prompt(TEXT[0]), prompt(TEXT[1])), 2)])[0]
    alone = [reader.reply([Generate(prompt(text), 2)])[0] for text in TEXT[:2]]
    assert both.truncated_tokens == sum(reply.truncated_tokens for reply in alone) > 0
    assert both.tokens_in == sum(reply.tokens_in for reply in alone)


def test_every_token_is_kept_once_with_its_context() -> None:
    for n in range(1, 40):
        source = Source([0, *range(100, 100 + n), 1])
        windows = list(sliding(source, (1, n + 1), limit=12, overlap=3))
        kept = [token for window in windows for token in window.source.ids[slice(*window.used)]]
        assert kept == source.ids
        for window in windows:
            ids, (since, until) = window.source.ids, window.used
            assert len(ids) <= 12
            for token in ids[since:until][1:-1]:
                around = range(max(token - 3, 100), min(token + 4, 100 + n))
                assert token in (0, 1) or set(around) <= set(ids)


def test_an_overlap_without_room_is_refused_and_a_question_without_room_fails_alone(folders: dict[str, Path]) -> None:
    reader = Seq2seq(str(folders["t5"]), device="cpu", deterministic=True, max_input_tokens=20)
    with pytest.raises(UserError, match=r"has room for \d+ tokens of the document beside the question, and overlap=9"):
        reader.reply([Fuse((prompt(*TEXT),), 2, overlap=9)])
    long = Prompt((Part("query", QUESTION * 5), Part("document", TEXT[0])))
    for overlap in (0, 1):
        failed, answered = reader.reply([Fuse((long,), 2, overlap=overlap), Generate(prompt(TEXT[0]), 2)])
        assert (failed.value, failed.finish_reason) == (None, "error")
        assert "question and instructions alone take" in str(failed.error)
        assert answered.error is None
