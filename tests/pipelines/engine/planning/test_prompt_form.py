"""Which prompt a run takes; with a benchmark's file it is the prompt of the benchmark's own code."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.engine.planning.prompt_form import forms_of
from pipelines.records import Document, Example
from pipelines.strategies.chain_of_thought import ChainOfThought
from pipelines.tasks import ChatWords, Task, get

ROW = {
    "_id": "q0", "domain": "d", "sub_domain": "s", "difficulty": "easy", "length": "short",
    "question": " What {was} it? ", "choice_A": "a $Q ", "choice_B": "b", "choice_C": "c", "choice_D": "d",
    "answer": "A", "context": " Anna woke. Bert slept. Clara left. ",
}  # fmt: skip
FILES = {
    "0shot": "Read {this}:\n$DOC$\n$Q$ $C_A$ $C_B$ $C_C$ $C_D$",
    "0shot_rag": "Chunks:\n$DOC$\n$Q$",
    "0shot_no_context": "Guess: $Q$ $C_D$",
    "0shot_cot": "Think about $DOC$: $Q$",
    "0shot_cot_ans": "Left out. $Q$ $C_B$ Thoughts: $COT$",
}
FILLED = {"$Q$": "What {was} it?", "$C_A$": "a $Q", "$C_B$": "b", "$C_C$": "c", "$C_D$": "d"}
WHOLE = "Anna woke. Bert slept. Clara left."


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    for name, text in FILES.items():
        (tmp_path / "prompts" / f"{name}.txt").write_text(text)
    (tmp_path / "data.json").write_text(json.dumps([ROW]))
    return tmp_path


def fill(template: str, **parts: str) -> str:
    """The prompt that the benchmark's code makes of a file."""
    for name, text in [*parts.items(), *((name.strip("$"), text) for name, text in FILLED.items())]:
        template = template.replace(f"${name}$", text)
    return template


def prompt(repository: Path, file: str = "prompts", **arguments: Any) -> str:
    sources = {"data": repository / "data.json", "prompts_from": repository / file}
    return pipelines.prompt("longbench_v2", "q0", model="lead", **sources, **arguments).text


def test_the_whole_document_stands_in_the_first_file(repository: Path) -> None:
    assert prompt(repository) == fill(FILES["0shot"], DOC=WHOLE)
    assert prompt(repository, "") == prompt(repository, "prompts/0shot.txt") == prompt(repository)


def test_passages_are_numbered_in_the_order_of_the_document(repository: Path) -> None:
    chunks = "Retrieved chunk 1: Bert slept.\n\nRetrieved chunk 2: Clara left."
    arguments = {"chunker": "tokens:size=2", "retriever": "last", "k": 2}
    assert prompt(repository, **arguments) == fill(FILES["0shot_rag"], DOC=chunks)


def test_without_a_document_the_question_stands_alone(repository: Path) -> None:
    assert prompt(repository, retriever="none") == fill(FILES["0shot_no_context"])
    with pytest.raises(UserError, match="the prompt must have one place for the document, and has 0"):
        prompt(repository, "prompts/0shot_no_context.txt")


def test_reasoning_has_a_file_for_each_request(repository: Path) -> None:
    plan = pipelines.engine.planning.plan.make_plan(
        "longbench_v2",
        data=repository / "data.json",
        model="lead",
        prompts_from=repository,
        strategy="chain_of_thought",
    )
    assert isinstance(plan.strategy, ChainOfThought)
    assert plan.strategy.conclusion == "Left out. {query} {option_b} Thoughts: {document}"
    assert prompt(repository, strategy="chain_of_thought") == fill(FILES["0shot_cot"], DOC=WHOLE)
    passages = {"chunker": "sentences", "retriever": "first", "k": 1}
    assert prompt(repository, strategy="chain_of_thought", **passages).startswith("Chunks:\n")
    with_file_named = prompt(repository, "prompts/0shot_cot.txt", strategy="chain_of_thought")
    assert with_file_named == prompt(repository, strategy="chain_of_thought")


def test_a_benchmark_without_a_second_prompt_says_so(repository: Path) -> None:
    with pytest.raises(UserError, match="no second prompt for chain_of_thought in longbench/qasper"):
        pipelines.prompt(
            "longbench/qasper", "x", data=repository, model="lead", prompts_from=repository, strategy="chain_of_thought"
        )


def test_a_missing_file_that_a_form_needs_is_named(repository: Path) -> None:
    (repository / "prompts" / "0shot_cot_ans.txt").unlink()
    with pytest.raises(UserError, match=r"the folder has no prompts/0shot_cot_ans.txt"):
        prompt(repository, strategy="chain_of_thought")


def test_each_form_has_a_prompt_in_our_own_words(repository: Path) -> None:
    task = get("longbench_v2")
    arguments = {"data": repository / "data.json", "model": "lead"}
    closed = pipelines.prompt("longbench_v2", "q0", retriever="none", **arguments).text
    assert closed.startswith("Question: What {was} it?\n(A) a $Q\n(B) b\n(C) c\n(D) d\n\nEnd with")
    thinking = pipelines.prompt("longbench_v2", "q0", strategy="chain_of_thought", **arguments).text
    assert "step by step" in thinking
    assert "The correct answer is" not in thinking
    assert "The correct answer is (LETTER)" in task.prompts["conclusion"]


def test_prompts_for_chat_models_say_which_part_of_the_document_is_shown(repository: Path) -> None:
    def chat_prompt(**arguments: Any) -> str:
        defaults = {"data": repository / "data.json", "model": "lead", "prompt": "chat"}
        return pipelines.prompt("longbench_v2", "q0", **defaults, **arguments).text  # type: ignore[arg-type]

    question = "Question: What {was} it?\n(A) a $Q\n(B) b\n(C) c\n(D) d\n\n"
    answer = 'End with a sentence of this form, with the letter of the right choice: "The correct answer is (LETTER)".'
    opening = "Answer a question of multiple choice about a text."
    assert chat_prompt() == f"{opening}\n\nText:\n{WHOLE}\n\n{question}{answer}"
    passages = {"chunker": "sentences:size=2", "retriever": "last", "k": 2}
    parts = "Parts of the text:\nBert slept.\n\nClara left."
    assert chat_prompt(**passages) == f"{opening} Only parts of the text are shown.\n\n{parts}\n\n{question}{answer}"
    part = f"{opening} Only one part of the text is shown.\n\nPart of the text:\nAnna woke."
    absent = 'If this part does not say, write "not stated".'
    assert chat_prompt(chunker="sentences:size=2", strategy="map") == f"{part}\n\n{question}{answer} {absent}"
    closed = f"{opening} The text is not shown: answer from what you know.\n\n{question}{answer}"
    assert chat_prompt(retriever="none") == closed
    steps = "Do not answer yet: write down, step by step, what leads to the answer."
    assert chat_prompt(strategy="chain_of_thought") == f"{opening}\n\nText:\n{WHOLE}\n\n{question}{steps}"


def test_prompt_chat_words_the_second_prompt_of_reasoning_too_unless_one_is_given(repository: Path) -> None:
    arguments = {"data": repository / "data.json", "model": "lead", "prompt": "chat"}
    conclusions = []
    for strategy in ("chain_of_thought", {"name": "chain_of_thought", "conclusion": "So? {document}"}):
        plan = pipelines.engine.planning.plan.make_plan("longbench_v2", strategy=strategy, **arguments)
        assert isinstance(plan.strategy, ChainOfThought)
        conclusions.append(plan.strategy.conclusion)
    assert conclusions == [None, "So? {document}"]


def test_a_user_s_task_without_chat_words_keeps_its_prompt_and_refuses_prompt_chat() -> None:
    task = Task(name="letters", summary="letters", metrics=("f1",), max_new_tokens=5, prompt="Read: {document}")
    rows = [Example("e", Document("d", WHOLE), "Who?", ("Anna",))]
    assert pipelines.prompt(task, "e", data=rows, model="lead").text == f"Read: {WHOLE}"
    with pytest.raises(UserError, match="prompt='chat' needs rows with prompts, which letters does not have"):
        pipelines.prompt(task, "e", data=rows, model="lead", prompt="chat")
    worded = replace(task, chat=ChatWords("Answer a question about a letter.", "Be short.", document="Letter"))
    shown = pipelines.prompt(worded, "e", data=rows, model="lead", prompt="chat", chunker="whole").text
    assert shown == f"Answer a question about a letter.\n\nLetter:\n{WHOLE}\n\nBe short.\n\nQuestion: Who?\nAnswer:"


def test_scores_of_our_own_words_say_so_and_those_of_the_files_do_not(repository: Path, tmp_path: Path) -> None:
    arguments = {"data": repository / "data.json", "model": "lead", "strategy": "chain_of_thought"}
    own = pipelines.run("longbench_v2", out=tmp_path / "own", **arguments)
    theirs = pipelines.run("longbench_v2", out=tmp_path / "theirs", prompts_from=repository, **arguments)
    rules = "longbench_v2|answer:The correct answer is (X), else X|unanswered:0"
    assert own.scores.signatures["accuracy"] == f"{rules}|prompt:own wording"
    assert theirs.scores.signatures["accuracy"] == rules


def test_the_form_is_that_of_strategy_and_retriever() -> None:
    import retrievers
    from pipelines import strategies

    stuff, thinking = strategies.get("stuff"), strategies.get("chain_of_thought")
    assert forms_of(stuff, retrievers.get("all")) == ()
    assert forms_of(stuff, retrievers.get("bm25")) == ("passages",)
    assert forms_of(thinking, retrievers.get("all")) == ("reasoning",)
    assert forms_of(thinking, retrievers.get("none")) == ("closed book", "reasoning")


@pytest.mark.parametrize("place", ["", "LongBench", "LongBench/config", "LongBench/config/dataset2prompt.json"])
def test_longbench_s_prompts_are_found_in_its_repository_and_below(tmp_path: Path, place: str) -> None:
    file = tmp_path / "LongBench" / "config" / "dataset2prompt.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"trec": "Type {{x}}?\n{context}\n{input}", "qasper": "other"}))
    row = {"input": "Q: When?\nType:", "context": "Q: Who?\nType: Human", "answers": ["Date"], "all_classes": ["Date"]}
    (tmp_path / "trec.jsonl").write_text(json.dumps({**row, "_id": "t"}) + "\n")
    shown = pipelines.prompt(
        "longbench/trec", "t", data=tmp_path / "trec.jsonl", model="lead", prompts_from=tmp_path / place
    )
    assert shown.text == "Type {x}?\nQ: Who?\nType: Human\nQ: When?\nType:"


def test_prompts_of_own_rows_mention_missing_answers_only_where_a_row_has_none(tmp_path: Path) -> None:
    absent = 'If the document does not say, write "not stated".'
    answerable_row = {"id": "e", "document": WHOLE, "query": "Who?", "answers": ["Anna"]}
    marked_row = {"document": WHOLE, "query": "Why?", "unanswerable": True}
    squad_row = {"document": WHOLE, "query": "Why?", "answers": {"text": [], "answer_start": []}}
    cases = {
        "answerable": ([answerable_row], False),
        "marked": ([answerable_row, marked_row], True),
        "as SQuAD 2.0": ([answerable_row, squad_row], True),
        "all are marked answerable": ([answerable_row | {"is_impossible": False}], False),
        "without references": ([{"id": "e", "document": WHOLE, "query": "Who?"}], False),
    }
    for name, (rows, is_mentioned) in cases.items():
        file = tmp_path / "rows.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for data in (rows, file):
            shown = pipelines.prompt("qa", "e", data=data, model="lead", prompt="chat").text
            assert (absent in shown) == is_mentioned, (name, shown)
    examples = [
        Example("e", Document("d", WHOLE), "Who?", ("Anna",)),
        Example("f", Document("d", WHOLE), "Why?", ("",)),
    ]
    assert absent in pipelines.prompt("qa", "e", data=examples, model="lead", prompt="chat").text
    assert absent not in pipelines.prompt("qa", "e", data=examples[:1], model="lead", prompt="chat").text
