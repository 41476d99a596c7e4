from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from pipelines.plugins.bridges._generation_settings import GenerationSettings


def settings(reader: Any = "extractive", **arguments: Any) -> GenerationSettings:
    return GenerationSettings.from_arguments(arguments, models.get(reader))


def test_stop_strings_and_length_are_taken_and_the_length_is_the_harness_own_by_default() -> None:
    assert settings(until=["\n", ""], max_gen_toks=12) == GenerationSettings(12, ("\n",))
    assert settings(until="\n\n") == GenerationSettings(256, ("\n\n",))
    assert settings(max_new_tokens=3, max_tokens=4).length == 3


@pytest.mark.parametrize("greedy", [{"do_sample": False, "temperature": 1.0}, {"temperature": 0, "top_p": 0.9}, {}])
def test_without_sampling_its_arguments_say_nothing(greedy: dict[str, Any]) -> None:
    assert settings(**greedy) == GenerationSettings()


def test_a_reader_that_does_not_sample_refuses_to() -> None:
    with pytest.raises(UserError, match="the reader extractive does not: --gen_kwargs do_sample=False"):
        settings(temperature=0.7)


def test_an_argument_that_the_reader_does_not_take_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="the reader extractive does not take num_beams"):
        settings(num_beams=4)


def test_a_model_takes_its_fields(tiny_phi: Path) -> None:
    generation = settings(str(tiny_phi), do_sample=True, temperature=0.7, top_k=5, until=[], max_gen_toks=8)
    assert generation.samples
    assert dict(generation.fields) == {"temperature": 0.7, "top_k": 5, "do_sample": True}


def test_a_length_below_one_is_refused() -> None:
    with pytest.raises(UserError, match="at least 1 token, got 0"):
        settings(max_gen_toks=0)
