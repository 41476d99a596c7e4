"""Short names of the papers' readers."""

from pathlib import Path
from typing import Any

import pytest

import models
import pipelines
from longdoc.errors import UserError
from models import hub
from tests.models.test_hub import COMMIT, cache, fill_cache  # noqa: F401  (a fixture)

PAPERS = {
    "bart-base": ("facebook/bart-base", None),
    "led-base": ("allenai/led-base-16384", None),
    "flan-t5-small": ("google/flan-t5-small", 8192),
    "flan-t5-base": ("google/flan-t5-base", 8192),
    "flan-t5-large": ("google/flan-t5-large", 8192),
    "flan-t5-xl": ("google/flan-t5-xl", 8192),
    "flan-t5-xxl": ("google/flan-t5-xxl", 8192),
    "flan-ul2": ("google/flan-ul2", 8192),
    "t0pp": ("bigscience/T0pp", 8192),
}


def test_the_papers_readers_have_short_names() -> None:
    for name, (model, limit) in PAPERS.items():
        reader, fields = models.registry.parse(name)
        assert (reader, fields["model"], fields.get("max_input_tokens")) == ("seq2seq", model, limit)
    assert set(models.PRESETS) - {"none"} == set(PAPERS) <= set(models.names())


@pytest.mark.parametrize("name", PAPERS)
def test_without_weights_the_error_names_the_two_ways_to_get_them(name: str, cache: Path) -> None:  # noqa: F811
    with pytest.raises(UserError) as error:
        models.get(name)
    for words in (f"longdoc data fetch {PAPERS[name][0]}", "path of a local folder", 'model="extractive"'):
        assert words in str(error.value)


def test_flan_t5_reads_as_much_as_in_the_paper_unless_given_another_limit(cache: Path, tiny_t5: Path) -> None:  # noqa: F811
    fill_cache(cache, "google/flan-t5-base", tiny_t5)
    reader: Any = models.get("flan-t5-base", device="cpu")
    assert reader.max_prompt_tokens == 8191  # the text alone: one is the end token
    assert reader.resolve()["max_input_tokens_with_special"] == 8192
    assert reader.resolve()["revision"] == COMMIT
    for shorter in (models.get("flan-t5-base", max_input_tokens=40), models.get("flan-t5-base:max_input_tokens=40")):
        assert shorter.max_prompt_tokens == 39
    with pytest.raises(UserError, match="max_input_tokens given twice"):
        models.get("flan-t5-base:max_input_tokens=40", max_input_tokens=50)


def test_led_and_bart_read_as_far_as_their_positions(cache: Path, tiny_led: Path, tiny_bart: Path) -> None:  # noqa: F811
    fill_cache(cache, "allenai/led-base-16384", tiny_led)
    fill_cache(cache, "facebook/bart-base", tiny_bart)
    limits = [models.get(name, device="cpu").max_prompt_tokens for name in ("led-base", "bart-base")]
    assert limits == [128 - 2, 64 - 2]


def test_fetch_takes_the_short_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fetched = []

    def folder(model: str, revision: str | None = None, weights: bool = True) -> hub.Fetched:
        fetched.append(model)
        return hub.Fetched(tmp_path, None)

    monkeypatch.setattr(hub, "folder", folder)
    assert pipelines.fetch("t0pp", "google/flan-t5-base") == {
        "t0pp": str(tmp_path),
        "google/flan-t5-base": str(tmp_path),
    }
    assert fetched == ["bigscience/T0pp", "google/flan-t5-base"]


def test_presets_are_listed_with_their_settings() -> None:
    from pipelines.cli.components import catalogue

    parameters = catalogue()["readers"]["flan-ul2"]["parameters"]
    assert (parameters["model"], parameters["max_input_tokens"]) == ("google/flan-ul2", 8192)
