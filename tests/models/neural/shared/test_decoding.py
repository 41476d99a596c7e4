"""Decoding by the names of `transformers`, for both kinds of network that write."""

from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from models import Generate
from models.neural.causal import Causal
from models.neural.seq2seq import Seq2seq
from tests import tiny_models
from tests.tiny_models import TEXT
from tests.turns import for_each


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, tiny_t5: Path) -> dict[type, Path]:
    return {Seq2seq: tiny_t5, Causal: tiny_models.llama(tmp_path_factory.mktemp("llama"))}


KINDS = pytest.mark.parametrize("kind", [Seq2seq, Causal])


def output(kind: Any, folder: Path, request: Generate, **fields: Any) -> Any:
    return kind(str(folder), device="cpu", dtype="fp32", **fields).reply([request])[0].value


@KINDS
@pytest.mark.parametrize(
    "fields",
    [
        {"repetition_penalty": 5.0},
        {"no_repeat_ngram_size": 1},
        {"num_beams": 3},
        {"num_beams": 3, "length_penalty": 4.0},
        {"min_new_tokens": 12},
    ],
)
def test_a_setting_works_as_in_transformers(kind: Any, fields: dict[str, Any], folders: dict[type, Path]) -> None:
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    tokenizer = Tokenizer.from_file(str(folders[kind] / "tokenizer.json"))
    loader: Any = AutoModelForSeq2SeqLM if kind is Seq2seq else AutoModelForCausalLM
    network = loader.from_pretrained(folders[kind]).eval()
    ids = tokenizer.encode(TEXT[2]).ids
    row = network.generate(torch.tensor([ids]), max_new_tokens=12, do_sample=False, **fields)[0].tolist()
    new = row[1:] if kind is Seq2seq else row[len(ids) :]
    expected = tokenizer.decode(new, skip_special_tokens=True)
    assert output(kind, folders[kind], Generate(TEXT[2], 12), **fields) == expected


@KINDS
def test_samples_depend_on_seed_and_request_alone(kind: Any, folders: dict[type, Path]) -> None:
    requests = [Generate(text, 8) for text in TEXT] + [Generate(TEXT[0], 8, n=3)]
    sampling: dict[str, Any] = {"do_sample": True, "temperature": 2.0, "top_p": 0.95, "top_k": 100}
    reader = kind(str(folders[kind]), device="cpu", dtype="fp32", seed=7, **sampling)
    together = reader.reply(requests)
    assert reader.reply(requests[::-1]) == together[::-1]
    assert [reader.reply([request])[0] for request in requests] == together
    assert len(set(together[-1].value)) == 3
    other_seed = kind(str(folders[kind]), device="cpu", dtype="fp32", seed=8, **sampling).reply(requests)
    assert [reply.value for reply in other_seed] != [reply.value for reply in together]


@KINDS
def test_the_most_probable_token_is_sampled_where_no_other_is_left(kind: Any, folders: dict[type, Path]) -> None:
    request = Generate(TEXT[1], 8)
    greedy = output(kind, folders[kind], request)
    assert output(kind, folders[kind], request, do_sample=True, top_k=1) == greedy
    assert output(kind, folders[kind], request, do_sample=True, top_p=1e-6) == greedy
    assert output(kind, folders[kind], request, do_sample=True, temperature=1e-4) == greedy


def test_tokens_are_sampled_as_often_as_they_are_probable() -> None:
    import torch

    from models.neural.shared.decoding import _sampler, _seed

    probabilities = torch.tensor([0.5, 0.3, 0.2, 0.0])
    rows = 4000
    drawn = _sampler([_seed(0, str(row)) for row in range(rows)])(None, probabilities.log().expand(rows, -1)).argmax(-1)
    shares = torch.bincount(drawn, minlength=4) / rows
    assert shares.tolist() == pytest.approx(probabilities.tolist(), abs=0.03)
    assert shares[3] == 0


@KINDS
@for_each(
    ("fields", "message"),
    [
        ({"top_p": 0.9}, "top_p is for sampling: set do_sample=True"),
        ({"do_sample": True, "num_beams": 2}, "do_sample=True cannot be combined with num_beams=2"),
        ({"do_sample": True, "temperature": 0.0}, "temperature must be over 0"),
        ({"do_sample": True, "top_p": 1.5}, "top_p must be at most 1"),
        ({"do_sample": True, "top_k": 0}, "top_k must be at least 1"),
        ({"length_penalty": 2.0}, "length_penalty ranks beams"),
        ({"no_repeat_ngram_size": 0}, "no_repeat_ngram_size must be at least 1"),
        ({"repetition_penalty": 0.0}, "repetition_penalty must be over 0"),
    ],
)
def test_a_setting_out_of_range_or_without_effect_is_refused(
    kind: Any, fields: dict[str, Any], message: str, folders: dict[type, Path]
) -> None:
    with pytest.raises(UserError, match=message):
        kind(str(folders[kind]), **fields)


@KINDS
def test_an_output_shorter_than_the_least_is_refused(kind: Any, folders: dict[type, Path]) -> None:
    with pytest.raises(UserError, match="min_new_tokens=9 is more than max_new_tokens=8"):
        output(kind, folders[kind], Generate("Tom", 8), min_new_tokens=9)
