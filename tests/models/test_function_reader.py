"""A Python function as a model: its prompts, its outputs, and the record of a run with it."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import longdoc
import models
from longdoc.errors import UserError
from longdoc.registry import name_of
from models import Fuse, Generate, Part, Prompt, hub
from pipelines.results.overviews.systems import system_of
from pipelines.results.result import Result
from pipelines.results.run_folders.run import finished_run

DOCUMENT = "Anna came. Bo slept."
ROWS = [
    {"id": "a", "document": DOCUMENT, "question": "Who came?", "answers": ["Anna"]},
    {"id": "b", "document": DOCUMENT, "question": "Who slept?", "answers": ["Bo"]},
]
HERE = __name__


def right_answer(prompt: str) -> str:
    return "Anna" if "came?" in prompt else "Bo"


def run(model: Any, out: Path, **arguments: Any) -> Result:
    return longdoc.run("qa", data=ROWS, model=model, metrics="f1", out=out, report=False, **arguments)


def code(model: Any) -> Any:
    return models.get(model).resolve()["code"]


class Client:
    """Somebody's client of a model."""

    def __init__(self, name: str) -> None:
        self.name, self.calls = name, 0

    def ask(self, prompt: str) -> str:
        self.calls += 1
        return f"{self.name} {right_answer(prompt)}"

    def __call__(self, prompt: str) -> str:
        return self.ask(prompt)


def test_a_function_answers_the_text_of_the_prompt(tmp_path: Path) -> None:
    prompts: list[str] = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return right_answer(prompt)

    result = run(answer, tmp_path / "a")
    for question, prompt in zip(("Who came?", "Who slept?"), sorted(prompts), strict=True):
        assert prompt.startswith(
            f"Answer a question about a document.\n\nDocument:\n{DOCUMENT}\n\nGive only the answer"
        )
        assert prompt.endswith(f"\n\nQuestion: {question}\nAnswer:")
    assert [prediction.prediction for prediction in result.predictions] == ["Anna", "Bo"]
    assert result.scores == {"f1": 100.0}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (lambda prompt: right_answer(prompt), "Anna"),
        (partial(lambda before, prompt: before + right_answer(prompt), "It was "), "It was Anna"),
        (Client("ours").ask, "ours Anna"),
        (Client("ours"), "ours Anna"),
        (str.title, "Who Came?"),
    ],
    ids=["lambda", "partial", "method", "callable object", "builtin"],
)
def test_any_callable_of_a_text_is_a_model(model: Callable[[str], str], expected: str) -> None:
    (reply,) = models.get(model).reply([Generate("Who came?", 10)])
    assert (reply.value, reply.error, reply.finish_reason) == (expected, None, "stop")
    assert (reply.tokens_in, reply.tokens_out) == (2, len(expected.split()))


def test_lengths_and_stop_strings_are_those_of_the_request() -> None:
    reader = models.get(lambda prompt: "Anna came home.\nQuestion: who else?")
    (stopped, cut) = reader.reply([Generate("Who?", 10, stop=("\n",)), Generate("Who?", 2)])
    assert (stopped.value, stopped.finish_reason) == ("Anna came home.", "stop")
    assert (cut.value, cut.finish_reason) == ("Anna came", "length")


def test_several_outputs_are_as_many_calls() -> None:
    numbers = iter(range(9))
    (reply,) = models.get(lambda prompt: str(next(numbers))).reply([Generate("Who?", 10, n=3)])
    assert reply.value == ("0", "1", "2")


def test_a_prompt_is_cut_to_the_limit_in_words() -> None:
    prompt = Prompt((Part("query", "Who came? "), Part("document", DOCUMENT, 0, len(DOCUMENT), 0)))
    (reply,) = models.get(str.upper, max_input_tokens=4).reply([Generate(prompt, 10)])
    assert (reply.value, reply.truncated_tokens) == ("WHO CAME? ANNA CAME.", 2)


def test_ask_takes_a_function_and_shows_it_numbered_passages() -> None:
    def model(prompt: str) -> str:
        assert "=== [1], line 1 ===\nAnna came. Bo slept.\n" in prompt
        return "Anna came [1]."

    answer = longdoc.ask(text=DOCUMENT, question="Who came?", model=model)
    assert (answer.text, [citation.number for citation in answer.citations]) == ("Anna came [1].", [1])


def test_a_function_can_be_the_judge(tmp_path: Path) -> None:
    assert run(right_answer, tmp_path / "a", judge=lambda prompt: "yes").scores["judged"] == 100.0


def test_an_exception_fails_its_example_alone(tmp_path: Path) -> None:
    def answer(prompt: str) -> str:
        if "slept?" in prompt:
            raise ValueError("quota\nover")
        return right_answer(prompt)

    result = run(answer, tmp_path / "a")
    line = answer.__code__.co_firstlineno + 2
    problem = f"{HERE}:{answer.__qualname__} raised ValueError: quota over (line {line} of {__file__})"
    assert result.failures == {"b": problem}
    assert [prediction.id for prediction in result.predictions] == ["a"]


@pytest.mark.parametrize(("value", "kind"), [(None, "NoneType"), (b"Bo", "bytes"), ({"text": "Bo"}, "dict")])
def test_a_result_that_is_not_text_is_reported_with_the_example(value: Any, kind: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        run(lambda prompt: value, tmp_path / "a")
    assert "the first, a: " in str(raised.value)
    assert f"returned {kind}, not a text: return the answer as a str" in str(raised.value)


def test_a_user_error_in_the_function_ends_the_run(tmp_path: Path) -> None:
    def answer(prompt: str) -> str:
        raise UserError("no key: set OPENAI_API_KEY")

    with pytest.raises(UserError, match=r"^no key: set OPENAI_API_KEY$"):
        run(answer, tmp_path / "a")


async def later(prompt: str) -> str:
    return prompt


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (later, r"^later is async: give a function that waits, lambda prompt: asyncio.run\(later\(prompt\)\)$"),
        (lambda: "Bo", "must take one argument, the text of a prompt: def answer"),
        (lambda prompt, system: "Bo", "must take one argument, the text of a prompt: def answer"),
        (dict, "<class 'dict'> is not a reader"),
    ],
    ids=["async", "no argument", "two arguments", "a class"],
)
def test_a_function_that_cannot_be_called_with_a_prompt_is_refused(model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        run(model, tmp_path / "a")


def test_fields_of_weights_are_refused() -> None:
    with pytest.raises(UserError, match="unknown parameter of function given as a model: 'device'"):
        models.get(right_answer, device="cpu")


def test_other_requests_than_generate_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the reader function_reader answers Generate, not Fuse"):
        models.get(right_answer).reply([Fuse((Prompt.of("Who?"),), 10)])


def test_a_run_records_the_function_s_name_and_a_digest_of_its_code(tmp_path: Path) -> None:
    result = run(right_answer, tmp_path / "a")
    record = json.loads((tmp_path / "a" / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["model"]["function"] == {"name": f"{HERE}:right_answer", "repeatable": False}
    assert record["spec"]["resolved"] == {"code": code(right_answer)}
    assert record["arguments"]["model"] == {"name": f"{HERE}:right_answer", "repeatable": False}
    assert record["repeatable"] == "no: a component was given as an object"
    assert result.recipe.endswith(f" → {HERE}:right_answer")


def test_a_run_with_the_same_function_is_resumed(tmp_path: Path) -> None:
    run(right_answer, tmp_path / "a", limit=1)
    result = run(right_answer, tmp_path / "a")
    assert (result.resumed, result.new_requests) == (1, 1)
    assert run(right_answer, tmp_path / "a").new_requests == 0


def test_a_failed_example_is_asked_again_by_the_same_run(tmp_path: Path) -> None:
    failures_left = [True]

    def answer(prompt: str) -> str:
        if "slept?" in prompt and failures_left.pop():
            raise ConnectionError("no line")
        return right_answer(prompt)

    assert list(run(answer, tmp_path / "a").failures) == ["b"]
    failures_left.append(False)
    result = run(answer, tmp_path / "a")
    assert (result.failures, result.scores, result.new_requests) == ({}, {"f1": 100.0}, 1)


def test_an_edited_function_is_another_run(tmp_path: Path) -> None:
    def answers(text: str) -> Callable[[str], str]:
        return lambda prompt: text

    run(answers("Bo"), tmp_path / "a")
    with pytest.raises(UserError, match=r"a holds another run .*other code of the model"):
        run(answers("Anna"), tmp_path / "a")
    assert run(answers("Bo"), tmp_path / "a").new_requests == 0


def test_the_digest_is_of_the_code_and_of_the_values_bound_to_it() -> None:
    def scaled(factor: float, log: list[str]) -> Callable[[str], str]:
        return lambda prompt: f"{factor}{log}"

    assert code(scaled(0.5, [])) == code(scaled(0.5, ["a prompt"]))
    assert code(scaled(0.5, [])) != code(scaled(0.7, []))
    assert code(Client("one").ask) == code(Client("one").ask) != code(Client("two").ask)
    assert code(Client("one")) != code(Client("two"))
    assert code(partial(right_answer)) != code(right_answer)
    assert code(partial(max, key=1.0)) != code(partial(max, key=2.0))
    client = Client("one")
    reader = models.get(client.ask)
    reader.reply([Generate("Who?", 5)])
    assert reader.resolve()["code"] == code(Client("one").ask)


def test_rerunning_a_folder_needs_the_function_again(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    longdoc.run("qa", data=rows, model=right_answer, metrics="f1", out=tmp_path / "a", report=False)
    problem = f"was an object, {HERE}:right_answer, which no file can hold: give model= again, or another"
    with pytest.raises(UserError, match=f"^the model of the run in .*a {problem}$"):
        longdoc.rerun(tmp_path / "a")
    assert longdoc.rerun(tmp_path / "a", model=right_answer).new_requests == 0


def test_rerunning_a_folder_names_all_arguments_that_it_needs_again(tmp_path: Path) -> None:
    run(right_answer, tmp_path / "a")
    with pytest.raises(UserError, match=r"2 rows given in Python, .*: give data= and model= again, or another$"):
        longdoc.rerun(tmp_path / "a")
    assert longdoc.rerun(tmp_path / "a", model=right_answer, data=ROWS).new_requests == 0


def test_functions_are_compared_in_an_ablation(tmp_path: Path) -> None:
    def wrong(prompt: str) -> str:
        return "Carl"

    ablation = longdoc.ablate("qa", data=ROWS, metrics="f1", model=[right_answer, wrong], out=tmp_path / "grid")
    assert [cell.scores["f1"] for cell in ablation.cells] == [100.0, 0.0]
    assert [cell.name for cell in ablation.cells] == [f"model={HERE}:right_answer", f"model={name_of(wrong)}"]


def test_a_table_names_the_function_and_does_not_look_for_it_in_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "file_kind", lambda name: pytest.fail(f"looked for {name} in the hub"))
    result = run(right_answer, tmp_path / "a", chunker="whole", retriever="all")
    assert system_of(finished_run(result.folder)) == f"{HERE}:right_answer (whole, all, prompt=chat)"
