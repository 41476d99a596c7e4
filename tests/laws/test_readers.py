"""Laws of readers: those without weights, by name, and those with weights, on tiny models with random ones."""

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.construction import construct
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Compare, Fuse, Generate, Part, Prompt, Reader, Reply, Request, Score, TrainingExample
from tests import tiny_models
from tests.turns import for_each


def _without_arguments(name: str) -> bool:
    cls = models.registry.component(name)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    missing = dataclasses.MISSING
    return all(field.default is not missing or field.default_factory is not missing for field in fields)


ARGUMENTS = {"constant": {"text": "nothing to say"}}  # required arguments of readers
NAMES = [name for name in models.names() if _without_arguments(name) or name in ARGUMENTS]
GENERATE = [name for name in NAMES if Generate in models.registry.component(name).supports]  # type: ignore[attr-defined]
BOUNDED = [
    n for n in GENERATE if "max_input_tokens" in {f.name for f in dataclasses.fields(models.registry.component(n))}
]

UNREAD = {"constant", "majority", "random_choice"}  # answer without reading passages
CHOOSING = {"choices", "majority", "order"}  # give no answer to a prompt without options or numbered parts

TEXTS = (
    "The mill stood by the river. Anna Berg built it in 1931 because the town needed bread. It had 12 rooms.",
    "Zoë naïvely said: “où est Émile? 😀” Он ушёл. 雨が降った。 And then nobody spoke; the lamp went out.",
    "In the morning Carl Lund came back from Oslo. He was older than before, or so it seemed to her.",
)
QUESTIONS = ("Who built the mill?", "When was it built?", "Is Anna Berg older, or Carl Lund?", "Why did it end?", "")


def prompt(question: str, texts: tuple[str, ...] = TEXTS) -> Prompt:
    parts = [Part("query", f"{question}\n")] if question else []
    starts = [(1000 * i, text) for i, text in enumerate(texts)]
    return Prompt((*parts, *(Part("document", text, at, at + len(text), i) for i, (at, text) in enumerate(starts))))


def fitted_reader(name: str, **arguments: Any) -> Any:
    """The reader with the arguments that it requires; fitted if it has to be before it generates."""
    reader: Any = models.get(name, **ARGUMENTS.get(name, {}), **arguments)
    if Generate in reader.supports and not reader.fitted:
        reader.fit([TrainingExample(Generate(prompt(question), 10), (TEXTS[0],)) for question in QUESTIONS])
    return reader


def test_the_readers_of_the_readme_are_tested() -> None:
    assert {"extractive", "naive"} <= set(GENERATE)


@for_each("name", NAMES)
def test_a_reader_keeps_the_contract(name: str) -> None:
    reader = fitted_reader(name)
    assert isinstance(reader, Reader)
    assert bool(reader.supports) is reader.reads
    assert reader.supports <= {Generate, Fuse, Score, Classify, Compare}
    assert reader.labels is None or isinstance(reader.labels, tuple)


@for_each("name", NAMES)
def test_a_reader_can_be_made_from_its_description(name: str) -> None:
    reader = fitted_reader(name)
    assert describe(models.get(describe(reader))) == describe(reader)
    fields = {key: value for key, value in describe(reader).items() if key != "name"}
    assert construct(type(reader), name, fields) == reader


@for_each("name", NAMES)
def test_count_gives_one_number_per_text_and_never_fewer_for_a_longer_one(name: str) -> None:
    reader = fitted_reader(name)
    counts = reader.count(["", TEXTS[0], TEXTS[0] + " " + TEXTS[1]])
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert reader.count([]) == []


@pytest.mark.parametrize("name", GENERATE)
def test_replies_do_not_depend_on_the_order_or_batch_of_requests(name: str) -> None:
    requests = [Generate(prompt(question), 12) for question in QUESTIONS]
    reader = fitted_reader(name)
    together = reader.reply(requests)
    assert len(together) == len(requests)
    assert reader.reply(requests[::-1]) == together[::-1]
    assert [fitted_reader(name).reply([request])[0] for request in requests] == together
    assert reader.reply([]) == []


@for_each("name", GENERATE)
@for_each("length", [1, 2, 5, 200])
def test_an_answer_is_no_longer_than_requested(name: str, length: int) -> None:
    reader = fitted_reader(name)
    for reply in reader.reply([Generate(prompt(question), length) for question in QUESTIONS]):
        assert reply.error is None
        assert reply.tokens_out == reader.count([reply.value])[0] <= length
        assert reply.finish_reason in {"stop", "length"}


@pytest.mark.parametrize("name", GENERATE)
def test_no_answer_holds_a_stop_string(name: str) -> None:
    stop = ("e", "1")
    for reply in fitted_reader(name).reply([Generate(prompt(question), 50, stop) for question in QUESTIONS]):
        assert not any(text in reply.value for text in stop)


@pytest.mark.parametrize("name", GENERATE)
def test_n_answers_are_a_tuple_that_starts_with_the_single_answer(name: str) -> None:
    reader = fitted_reader(name)
    single, several = reader.reply([Generate(prompt(QUESTIONS[0]), 8), Generate(prompt(QUESTIONS[0]), 8, n=3)])
    assert isinstance(several.value, tuple)
    assert len(several.value) == 3
    assert all(isinstance(value, str) for value in several.value)
    assert isinstance(single.value, str)


@pytest.mark.parametrize("name", GENERATE)
def test_a_plain_string_is_read(name: str) -> None:
    (reply,) = fitted_reader(name).reply([Generate(TEXTS[0], 50)])
    assert reply.value or name in CHOOSING
    assert reply.tokens_in == fitted_reader(name).count([TEXTS[0]])[0]


@pytest.mark.parametrize("name", [name for name in GENERATE if name not in UNREAD])
def test_without_passages_the_answer_is_empty(name: str) -> None:
    (reply,) = fitted_reader(name).reply([Generate(prompt("Who?", ()), 5)])
    assert (reply.value, reply.tokens_out, reply.finish_reason, reply.truncated_tokens) == ("", 0, "stop", 0)


@for_each("name", BOUNDED)
@for_each("limit", [6, 20, 40])
def test_a_prompt_over_the_limit_is_cut_and_the_reply_says_by_how_much(name: str, limit: int) -> None:
    reader = fitted_reader(name, max_input_tokens=limit)
    question_prompt = prompt(QUESTIONS[0])
    (reply,) = reader.reply([Generate(question_prompt, 5)])
    tokens = reader.count([question_prompt.text])[0]
    assert limit - 2 <= reply.tokens_in <= limit
    assert reply.truncated_tokens == tokens - reply.tokens_in


@pytest.mark.parametrize("name", BOUNDED)
def test_a_question_over_the_limit_is_an_error_of_its_own_request_only(name: str) -> None:
    long, short = Generate(prompt("Who " * 30), 5), Generate(prompt(QUESTIONS[0]), 5)
    failed, answered = fitted_reader(name, max_input_tokens=20).reply([long, short])
    assert (failed.value, failed.finish_reason) == (None, "error")
    assert failed.error == "question and instructions alone take 30 tokens, the limit is 20"
    assert answered.error is None


TINY = {  # the tiny model of each reader with weights
    "seq2seq": "t5",
    "causal": "phi",
    "sequence_classifier": "bert",
    "cross_encoder": "bert_pairs",
    "span_extractor": "bert_spans",
    "multiple_choice": "bert_choices",
}
SERVED = {"openai", "responses", "anthropic", "ollama"}  # behind an API: tests/models/apis/test_NAME.py
PAIRS = ((0, 1), (1, 2), (0, 2), (2, 2))
REQUESTS: dict[type, list[Request]] = {
    Generate: [Generate(prompt(question), 4) for question in QUESTIONS],
    Fuse: [
        *(Fuse((prompt(question), prompt(question, TEXTS[:1])), 4) for question in QUESTIONS),
        Fuse((prompt(QUESTIONS[0]),), 4, overlap=2),
    ],
    Score: [Score(prompt(question), "Tom") for question in QUESTIONS],
    Classify: [Classify(text) for text in TEXTS],
    Compare: [Compare(TEXTS, PAIRS), Compare(TEXTS[::-1], PAIRS[:1]), Compare(TEXTS[:1], ())],
}


CONVERTED = {"seq2seq in ctranslate2": "t5", "causal in ctranslate2": "llama"}
WITH_WEIGHTS = [*TINY, *CONVERTED]


class WeightedReaders(dict[str, Any]):
    """Readers with weights, made when first looked up, with a limit that the prompts exceed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Any:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)  # it exists if a test was skipped while its model was made
        getattr(tiny_models, (TINY | CONVERTED)[name])(folder)
        settings = {"max_input_tokens": 40, "device": "cpu", "deterministic": True, "model": str(folder)}
        backend = {"backend": "ctranslate2"} if name in CONVERTED else {}
        self[name] = models.get({"name": name.split()[0], **settings, **backend})
        return self[name]


@pytest.fixture(scope="module")
def weighted_readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A reader of each kind with weights, with a limit that the prompts exceed; each reads one input at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGDOC_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield WeightedReaders(tmp_path_factory.mktemp("models"))


def test_every_reader_that_needs_a_model_has_one_here() -> None:
    assert set(TINY) == set(models.names()) - set(NAMES) - set(models.PRESETS) - SERVED


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_a_reader_with_weights_keeps_the_contract_and_can_be_made_from_its_description(
    name: str, weighted_readers: dict[str, Any]
) -> None:
    reader = weighted_readers[name]
    assert isinstance(reader, Reader)
    assert reader.supports
    assert reader.supports <= {Generate, Fuse, Score, Classify, Compare}
    assert reader.labels is None or isinstance(reader.labels, tuple)
    again: Any = models.get(describe(models.get(describe(reader))))
    assert describe(again) == describe(reader)
    assert again.max_prompt_tokens == reader.max_prompt_tokens
    assert reader.resolve()["deterministic"] is True


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_a_reader_with_weights_counts_one_number_per_text(name: str, weighted_readers: dict[str, Any]) -> None:
    counts = weighted_readers[name].count(["", TEXTS[0], TEXTS[0] + " " + TEXTS[1]])
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert weighted_readers[name].count([]) == []


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_replies_of_readers_with_weights_do_not_depend_on_the_order_or_batch(
    name: str, weighted_readers: dict[str, Any]
) -> None:
    reader = weighted_readers[name]
    for kind in reader.supports:
        requests = REQUESTS[kind]
        together = reader.reply(requests)
        assert reader.reply(requests[::-1]) == together[::-1]
        assert [reader.reply([request])[0] for request in requests] == together
        assert all(reply.error is None for reply in together)
        assert together[0].truncated_tokens > 0
    assert reader.reply([]) == []


def test_a_new_reader_is_one_new_file(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    for package in ("longdoc", "chunkers", "models", "retrievers", "pipelines"):
        shutil.copytree(Path(package), checkout / package, ignore=shutil.ignore_patterns("__pycache__"))
    (checkout / "models" / "baselines" / "shouting.py").write_text(SHOUTING, encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-c", "import models; print('shouting' in models.names(), models.get('shouting:marks=2'))"],
        cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)}, capture_output=True, text=True,
    )  # fmt: skip
    assert (process.stdout.strip(), process.stderr) == ("True Shouting(marks=2)", "")


SHOUTING = '''
from dataclasses import dataclass

from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class Shouting(GeneratingWordReader):
    """Answers with the prompt in capitals."""

    marks: int = 1

    def outputs(self, prompt, request):
        return [prompt.text.upper() + "!" * self.marks]
'''


class Silent(Reader):
    """A reader that defines only what is required."""

    supports = frozenset({Generate})

    def count(self, texts: Sequence[str]) -> list[int]:
        return [0 for _ in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        return [Reply("") for _ in requests]


def test_everything_optional_has_a_default() -> None:
    reader = models.get(Silent())
    assert (reader.max_prompt_tokens, reader.prompt_limit(10), reader.tokens_per_call) == (None, None, None)
    assert (reader.batch_requests, reader.fitted, reader.can_save, reader.is_chat) == (16, True, False, False)
    assert (reader.token_ends("one two"), reader.pair("a", "b"), reader.resolve()) == ([3, 7], None, {})
    with pytest.raises(UserError, match="Silent cannot be trained"):
        reader.fit([])
    with pytest.raises(UserError, match="Silent cannot be saved"):
        reader.save(Path("folder"))


def test_a_decoder_leaves_room_for_the_output() -> None:
    class Decoder(Silent):
        max_input_tokens = 40
        decoder_window = True

    assert Decoder().prompt_limit(15) == 25
    assert Decoder().no_room_message(40).startswith("an output of 40 tokens fills the reader's window of 40")


def test_an_object_that_is_not_a_reader_is_refused_with_what_it_lacks() -> None:
    class Duck:
        supports = frozenset({Generate})

        def reply(self, requests: Sequence[Request]) -> list[Reply]:
            return []

    with pytest.raises(UserError, match=r"is not a reader: give a name .* extends models\.Reader; it lacks count$"):
        models.get(Duck())
